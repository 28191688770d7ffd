/** Leases of connections: rows that say who may use a bank, until when by the clock of the database. */
import type { BankId } from "@millrace/core/bank/Bank"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Effect from "effect/Effect"

/**
 * Takes or extends the leases of all these banks for `holder`; `false` when one is busy. Then some are taken:
 * run it in a transaction that is rolled back.
 */
export const takeLeases = Effect.fnUntraced(function* (
  sql: SqlClient,
  banks: ReadonlyArray<BankId>,
  holder: string,
  seconds: number
): Effect.fn.Return<boolean, SqlError> {
  const wanted = [...new Set(banks)].toSorted()
  if (wanted.length === 0) return true
  const taken = yield* sql`insert into bank_lease as l (bank_id, holder, expires_at)
    select bank_id, ${holder}, store_now() + make_interval(secs => ${seconds}::float8)
    from unnest(${wanted}::text[]) as bank_id
    on conflict (bank_id) do update
      set holder = excluded.holder,
        expires_at = case when l.holder = excluded.holder then greatest(l.expires_at, excluded.expires_at)
          else excluded.expires_at end
      where l.holder = excluded.holder or l.expires_at <= store_now()
    returning bank_id`
  return taken.length === wanted.length
})
