/** Rows of the ledger as the kernel sees them, and what finds those of an account. */
import type { AccountId } from "@millrace/core/bank"
import { type DataType, dataTypes, type HeldRecord, type LedgerRecord, type RecordState } from "@millrace/core/record"
import type { RecordScope } from "@millrace/core/storage"
import type { CalendarDate } from "@millrace/core"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { instant, optionalInstant } from "./Column.ts"
import { fieldsIn, type StoredFields } from "./record/RecordFields.ts"

export interface RecordRow {
  readonly id: string
  readonly account_id: AccountId
  readonly data_type: DataType
  readonly provider_id: string
  readonly date: CalendarDate.CalendarDate | null
  readonly pending: boolean
  readonly state: RecordState
  readonly merged_into: string | null
  readonly hash: string
  readonly fields: StoredFields
  readonly change_no: bigint
  readonly public_change_no: bigint
  readonly version: number
  readonly annotated: boolean
  readonly created_at: Date
  readonly updated_at: Date
}

export interface HeldRow extends RecordRow {
  readonly missed: number
  readonly missed_since: Date | null
  readonly missed_at: Date | null
  readonly apart: boolean
}

export const recordColumns =
  "id, account_id, data_type, provider_id, date, pending, state, merged_into, hash, fields, change_no, public_change_no, version, annotated, created_at, updated_at"

/** The same where it is known whose records are asked for: of many of them, each would have a text of its own for that. */
export const ownColumns = recordColumns.replace(" account_id, data_type,", "")

export type OwnRow = Omit<RecordRow, "account_id" | "data_type">

export const recordOf = (
  { accountId, dataType }: Pick<RecordScope, "accountId" | "dataType">,
  row: OwnRow
): LedgerRecord => {
  const record: LedgerRecord = {
    id: row.id,
    accountId,
    dataType,
    providerId: row.provider_id,
    date: row.date,
    pending: row.pending,
    state: row.state,
    hash: row.hash,
    fields: fieldsIn(row.fields),
    changeNo: Number(row.change_no),
    publicChangeNo: Number(row.public_change_no),
    version: row.version,
    annotated: row.annotated,
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at)
  }
  return row.merged_into === null ? record : { ...record, mergedInto: row.merged_into }
}

export const toRecord = (row: RecordRow): LedgerRecord =>
  recordOf({ accountId: row.account_id, dataType: row.data_type }, row)

export const toHeld = (row: HeldRow): HeldRecord => ({
  ...toRecord(row),
  missed: row.missed,
  missedSince: optionalInstant(row.missed_since),
  missedAt: optionalInstant(row.missed_at),
  apart: row.apart
})

/** Every statement about records begins with it, so that no workspace meets another's. */
export const inScope = (sql: SqlClient, scope: RecordScope): Fragment =>
  sql`account_id = ${scope.accountId} and data_type = ${scope.dataType} and workspace_id = ${scope.workspaceId}`

const itsScope = "scope_no, account_id, data_type, workspace_id"

/** The same of the table of records itself, whose indexes begin with a number (`schema/09_record.sql`). */
export const inLedger = (sql: SqlClient, { accountId, dataType, workspaceId }: RecordScope): Fragment =>
  sql`in_scope(${sql.literal(itsScope)}, ${accountId}, ${dataType}, ${workspaceId})`

/** Records of all types of some accounts, in texts whose parameters have numbers. */
export const ofAccounts = (column: string, accounts: string): string =>
  `${column} = any(array(select record_scope(a.id, t.name) from unnest(${accounts}) a(id)
    cross join unnest('{${dataTypes.join(",")}}'::text[]) t(name)))`

/** As `inLedger`, in texts whose parameters have numbers. */
export const ledgerText = (account: string, type: string, workspace: string): string =>
  `in_scope(${itsScope}, ${account}, ${type}, ${workspace})`

/** The same for all records of it, with a number that PostgreSQL learns when it runs the statement. */
export const wholeLedgerText = (account: string, type: string, workspace: string): string =>
  `scope_no = (select record_scope(${account}, ${type})) and case when account_id = ${account} and data_type = ${type}
    and workspace_id = ${workspace} then true else false end`
