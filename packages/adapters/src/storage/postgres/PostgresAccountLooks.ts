/** What a read of an account begins with, in one statement, and a page of its records in the same message. */
import { type AccountLook, AccountLooks } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { instant } from "./Column.ts"
import { accountColumns, type AccountRow, bankColumns, type BankRow, toAccount, toBank } from "./PostgresBankStore.ts"
import { makePages, type ShownRow, toShown } from "./RecordPages.ts"
import { stored } from "./SqlFailure.ts"
import { type Reading, readBoth } from "./TenantClient.ts"

/** Columns of the account have the names of the bank's, so theirs begin with this. */
const prefix = "account_"

type LookRow = BankRow & {
  readonly pulled_at: Date | null
  readonly change_seq: bigint | null
} & { readonly [Column in keyof AccountRow as `${typeof prefix}${Column}`]: AccountRow[Column] | null }

const lookStatement = `
  select ${bankColumns.map((column) => `b.${column}`).join(", ")},
    ${accountColumns.map((column) => `a.${column} as ${prefix}${column}`).join(", ")}, p.pulled_at, c.change_seq
  from bank b
    left join account a on a.id = $3 and a.bank_id = b.id and a.workspace_id = $1 and a.joined_into is null
    left join record_pull p on p.account_id = a.id and p.data_type = $4
    left join account_change c on c.account_id = a.id
  where b.id = $2 and b.workspace_id = $1 and b.made_for is null`

/** The account's part of a row, under the names of its own columns. */
const accountOf = (row: LookRow): AccountRow | undefined => {
  if (row.account_id === null) return undefined
  const own: Record<string, unknown> = {}
  for (const column of accountColumns) own[column] = row[`${prefix}${column}`]
  return own as unknown as AccountRow
}

const lookOf = (row: LookRow | undefined): AccountLook => {
  const account = row === undefined ? undefined : accountOf(row)
  return {
    bank: Option.map(Option.fromUndefinedOr(row), toBank),
    account: Option.map(Option.fromUndefinedOr(account), toAccount),
    pulledAt: row === undefined || row.pulled_at === null ? undefined : instant(row.pulled_at),
    lastChange: Number(row?.change_seq ?? 0)
  }
}

export const layer: Layer.Layer<AccountLooks, never, SqlClient.SqlClient> = Layer.effect(
  AccountLooks,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { shownReading } = makePages(sql)
    return AccountLooks.of({
      look: Effect.fnUntraced(function* (workspaceId, { accountId, bankId }, dataType, query) {
        const look: Reading = { text: lookStatement, values: [workspaceId, bankId, accountId, dataType] }
        if (query === undefined) {
          const [row] = yield* stored(sql.unsafe<LookRow>(look.text, look.values))
          return lookOf(row)
        }
        const page = yield* shownReading({ workspaceId, accountId, dataType }, query)
        const [[row], rows] = yield* stored(readBoth(sql, look, page))
        const found = lookOf(row as LookRow | undefined)
        return Option.isNone(found.account) ? found : { ...found, page: (rows as ReadonlyArray<ShownRow>).map(toShown) }
      })
    })
  })
)
