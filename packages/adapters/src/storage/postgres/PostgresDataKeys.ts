/** Data keys in PostgreSQL, sealed. */
import { randomBytes } from "node:crypto"
import { Secrets } from "@millrace/core/bank"
import { type DataKeyName, DataKeys, StorageUnavailable } from "@millrace/core/storage"
import { acrossTenants } from "@millrace/core/workspace"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import { stored } from "./SqlFailure.ts"

/** What a data key is sealed for. */
export const contextOf = (name: string): string => `data key|${name}`

const ofInstallation = acrossTenants("tables of the installation")

export const layer: Layer.Layer<DataKeys, never, SqlClient.SqlClient | Secrets> = Layer.effect(
  DataKeys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    // A key that was made in a transaction would be gone with it, and whatever was made with the key would stay.
    const outside = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.updateContext(effect, (context: Context.Context<never>) => Context.omit(sql.transactionService)(context))
    const known = new Map<DataKeyName, Redacted.Redacted>()
    const kept = (name: DataKeyName) =>
      Effect.map(
        stored(sql<{ readonly sealed: string }>`select sealed from data_key where name = ${name}`),
        ([row]) => row?.sealed
      )

    const make = Effect.fnUntraced(function* (name: DataKeyName) {
      const sealed = yield* secrets.seal({ key: randomBytes(32).toString("base64") }, contextOf(name))
      // Of several processes that make it at the same moment, one does.
      yield* stored(sql`insert into data_key (name, sealed, created_at) values (${name}, ${sealed}, store_now())
        on conflict do nothing`)
      return (yield* kept(name)) ?? sealed
    })

    const find = Effect.fnUntraced(function* (name: DataKeyName) {
      const sealed = (yield* kept(name)) ?? (yield* make(name))
      const { key } = yield* secrets
        .open(sealed, contextOf(name))
        .pipe(
          Effect.mapError(
            ({ reason }) => new StorageUnavailable({ message: `the data key "${name}" cannot be opened: ${reason}` })
          )
        )
      return Redacted.make(key!)
    })

    return DataKeys.of({
      get: Effect.fn("DataKeys.get")(function* (name) {
        const before = known.get(name)
        if (before !== undefined) return before
        const opened = yield* ofInstallation(outside(find(name)))
        known.set(name, opened)
        return opened
      })
    })
  })
)
