/** Banks, their connections and accounts in PostgreSQL. Connection secrets are sealed first. */
import { type Account, type AccountId, type Bank, type BankId, Secrets } from "@millrace/core/bank"
import { type BankConnection, BankStore, isSameConnection, StorageUnavailable } from "@millrace/core/storage"
import type { CalendarDate, Decimal } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { instant, json, nullable, optionalInstant, present } from "./Column.ts"
import { inTransaction, stored } from "./SqlFailure.ts"

export interface BankRow {
  readonly id: BankId
  readonly workspace_id: WorkspaceId
  readonly name: string
  readonly source: Bank["source"]
  readonly type: Bank["type"]
  readonly position: number
  readonly icon: string | null
  readonly connection_status: NonNullable<Bank["connectionStatus"]> | null
  readonly institution_id: string | null
  readonly provider_instance_id: string | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly deleted_at: Date | null
  readonly made_for: NonNullable<Bank["madeFor"]> | null
  readonly removal: NonNullable<Bank["removal"]> | null
}

export const toBank = (row: BankRow): Bank => ({
  id: row.id,
  workspaceId: row.workspace_id,
  name: row.name,
  source: row.source,
  type: row.type,
  order: row.position,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  ...present({
    icon: row.icon,
    connectionStatus: row.connection_status,
    institutionId: row.institution_id,
    providerInstanceId: row.provider_instance_id,
    deletedAt: optionalInstant(row.deleted_at),
    madeFor: row.made_for,
    removal: row.removal
  })
})

interface ConnectionRow {
  readonly workspace_id: WorkspaceId
  readonly connection_instance: string
  readonly connection_ref: string
  readonly connection_secrets: string
}

export interface AccountRow {
  readonly id: AccountId
  readonly workspace_id: WorkspaceId
  readonly bank_id: BankId
  readonly provider_account_id: string
  readonly stable_keys: ReadonlyArray<string>
  readonly account_number: string
  /** The upstream's; a person may have given another one. */
  readonly account_name: string
  readonly given_name: string | null
  readonly sign_override: boolean
  readonly sign_asked_at: Date | null
  readonly account_type: Account["accountType"]
  readonly account_subtype: string | null
  readonly balance: Decimal.Decimal
  readonly available_balance: Decimal.Decimal
  readonly currency: Account["currency"]
  readonly credit_limit: Decimal.Decimal | null
  readonly balance_as_of: Date | null
  readonly history_from: CalendarDate.CalendarDate | null
  readonly read_from: NonNullable<Account["readFrom"]> | null
  readonly joined_into: AccountId | null
  readonly joins: number | null
  readonly supports: Account["supports"]
  readonly state: Account["state"]
  readonly created_at: Date
  readonly updated_at: Date
}

export const toAccount = (row: AccountRow): Account => ({
  id: row.id,
  workspaceId: row.workspace_id,
  bankId: row.bank_id,
  providerAccountId: row.provider_account_id,
  stableKeys: row.stable_keys,
  accountNumber: row.account_number,
  accountName: row.given_name ?? row.account_name,
  accountType: row.account_type,
  balance: row.balance,
  availableBalance: row.available_balance,
  currency: row.currency,
  supports: row.supports,
  state: row.state,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  ...present({
    upstreamName: row.given_name === null ? null : row.account_name,
    signOverride: row.sign_override ? true : null,
    signAskedAt: optionalInstant(row.sign_asked_at),
    accountSubtype: row.account_subtype,
    creditLimit: row.credit_limit,
    balanceAsOf: optionalInstant(row.balance_as_of),
    historyFrom: row.history_from,
    readFrom: row.read_from,
    joinedInto: row.joined_into,
    joins: row.joins
  })
})

/** With the upstream's name alone: what people say is kept beside it. */
const asUpstreamSays = ({ upstreamName, ...account }: Account): Account => ({
  ...account,
  accountName: upstreamName ?? account.accountName
})

/** What the secrets of a connection are sealed for. */
export const contextOf = (workspaceId: string, bankId: string): string => `${workspaceId}|${bankId}`

/** What a bank is made from. */
export const bankColumns: ReadonlyArray<keyof BankRow> = [
  "id",
  "workspace_id",
  "name",
  "source",
  "type",
  "position",
  "icon",
  "connection_status",
  "institution_id",
  "provider_instance_id",
  "created_at",
  "updated_at",
  "deleted_at",
  "made_for",
  "removal"
]

/** What an account is made from. */
export const accountColumns: ReadonlyArray<keyof AccountRow> = [
  "id",
  "workspace_id",
  "bank_id",
  "provider_account_id",
  "stable_keys",
  "account_number",
  "account_name",
  "given_name",
  "sign_override",
  "sign_asked_at",
  "account_type",
  "account_subtype",
  "balance",
  "available_balance",
  "currency",
  "credit_limit",
  "balance_as_of",
  "history_from",
  "read_from",
  "joined_into",
  "joins",
  "supports",
  "state",
  "created_at",
  "updated_at"
]

export const layer: Layer.Layer<BankStore, never, SqlClient.SqlClient | Secrets> = Layer.effect(
  BankStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const secrets = yield* Secrets
    const columns = sql.literal(bankColumns.join(", "))
    const insert = (bank: Bank, reached: BankConnection | undefined, sealed: string | null) => sql`insert into bank (id,
            workspace_id, name, source, type, position, icon, connection_status, institution_id, provider_instance_id,
            connection_instance, connection_ref, connection_secrets, created_at, updated_at, deleted_at, made_for, removal)
          values (${bank.id}, ${bank.workspaceId}, ${bank.name}, ${bank.source}, ${bank.type}, ${bank.order},
            ${nullable(bank.icon)}, ${json(bank.connectionStatus)}, ${nullable(bank.institutionId)},
            ${nullable(bank.providerInstanceId)}, ${nullable(reached?.instanceId)},
            ${nullable(reached?.connection.ref)}, ${sealed}, ${bank.createdAt}, ${bank.updatedAt},
            ${nullable(bank.deletedAt)}, ${nullable(bank.madeFor)}, ${json(bank.removal)})`

    const openedOf = (id: BankId, { connection_secrets, workspace_id }: ConnectionRow) =>
      Effect.mapError(
        secrets.open(connection_secrets, contextOf(workspace_id, id)),
        ({ reason }) => new StorageUnavailable({ message: `the secrets of ${id} cannot be opened: ${reason}` })
      )

    return BankStore.of({
      insert: Effect.fn("BankStore.insert")(function* (bank, reached) {
        const sealed =
          reached === undefined
            ? null
            : yield* secrets.seal(reached.connection.secrets, contextOf(bank.workspaceId, bank.id))
        yield* stored(insert(bank, reached, sealed))
      }),
      list: Effect.fnUntraced(function* (workspaceIds, which = "live") {
        const rows = yield* stored(sql<BankRow>`select ${columns} from bank
          where ${sql.in("workspace_id", workspaceIds)} and (deleted_at is null or removal is not null) = ${which === "live"}
            and made_for is null order by position, created_at, id`)
        return rows.map(toBank)
      }),
      get: Effect.fn("BankStore.get")(function* (workspaceId, id) {
        const rows = yield* stored(
          sql<BankRow>`select ${columns} from bank
            where id = ${id} and workspace_id = ${workspaceId} and made_for is null`
        )
        return Arr.head(rows.map(toBank))
      }),
      made: Effect.fn("BankStore.made")(function* (feedId) {
        const rows = yield* stored(
          sql<BankRow>`select ${columns} from bank where made_for = ${feedId} order by position, created_at, id`
        )
        return rows.map(toBank)
      }),
      holdMade: Effect.fn("BankStore.holdMade")(function* (bank) {
        const held = sql<BankRow>`select ${columns} from bank
          where made_for = ${bank.madeFor} and source = ${bank.source} for no key update`
        const [before] = yield* stored(held)
        if (before !== undefined) return toBank(before)
        // Anyone who makes one at the same time is waited for, and then has made it.
        yield* stored(sql`${insert(bank, undefined, null)}
          on conflict (made_for, source) where made_for is not null do nothing`)
        const [now] = yield* stored(held)
        return toBank(now!)
      }),
      hold: Effect.fn("BankStore.hold")(function* (workspaceId, id) {
        const rows = yield* stored(sql<BankRow>`select ${columns} from bank
          where id = ${id} and workspace_id = ${workspaceId} and made_for is null for no key update`)
        return Arr.head(rows.map(toBank))
      }),
      holdLive: Effect.fn("BankStore.holdLive")(function* (workspaceId, ids) {
        if (ids.length === 0) return []
        // In one order, so that two who hold several never wait for each other in a circle.
        const rows = yield* stored(sql<Pick<BankRow, "id">>`select id from bank
          where workspace_id = ${workspaceId} and id = any(${[...ids]}::text[]) and deleted_at is null
            and removal is null order by id for share`)
        return rows.map(({ id }) => id)
      }),
      setLife: Effect.fn("BankStore.setLife")(function* (id, { deletedAt, removal }, at) {
        yield* stored(sql`update bank set deleted_at = ${nullable(deletedAt)}, removal = ${json(removal)},
          updated_at = ${at} where id = ${id}`)
      }),
      dropConnection: Effect.fn("BankStore.dropConnection")(function* (id) {
        yield* stored(sql`update bank set connection_instance = null, connection_ref = null, connection_secrets = null
          where id = ${id}`)
      }),
      purgeable: Effect.fn("BankStore.purgeable")(function* (deletedBy, limit) {
        const rows = yield* stored(sql<BankRow>`select ${columns} from bank
          where deleted_at <= ${deletedBy} and removal is null and made_for is null
          order by deleted_at, id limit ${limit}`)
        return rows.map(toBank)
      }),
      byConnection: Effect.fn("BankStore.byConnection")(function* (workspaceId, instanceId, ref, which = "live") {
        const rows = yield* stored(sql<BankRow>`select ${columns} from bank where workspace_id = ${workspaceId}
          and connection_instance = ${instanceId} and connection_ref = ${ref}
          and (deleted_at is null) = ${which === "live"} order by deleted_at desc, id desc limit 1`)
        return Arr.head(rows.map(toBank))
      }),
      ofConnection: Effect.fn("BankStore.ofConnection")(function* (instanceId, ref) {
        const rows = yield* stored(sql<BankRow>`select ${columns} from bank
          where connection_instance = ${instanceId} and connection_ref = ${ref} order by created_at, id limit 100`)
        return rows.map(toBank)
      }),
      anyConnected: Effect.fn("BankStore.anyConnected")(function* (workspaceId, instanceId) {
        const [row] = yield* stored(sql<{ readonly found: boolean }>`select exists (select from bank
          where workspace_id = ${workspaceId} and connection_instance = ${instanceId}) as found`)
        return row!.found
      }),
      connection: Effect.fn("BankStore.connection")(function* (id) {
        const rows = yield* stored(sql<ConnectionRow>`select workspace_id, connection_instance, connection_ref,
          connection_secrets from bank where id = ${id} and connection_ref is not null`)
        const row = rows[0]
        if (row === undefined) return Option.none()
        return Option.some({
          instanceId: row.connection_instance,
          connection: { ref: row.connection_ref, secrets: yield* openedOf(id, row) }
        })
      }),
      replaceConnection: Effect.fn("BankStore.replaceConnection")(function* (
        id,
        { connection, instanceId },
        status,
        at
      ) {
        const [row] = yield* stored(sql<Pick<BankRow, "workspace_id">>`select workspace_id from bank where id = ${id}`)
        if (row === undefined) return
        const sealed = yield* secrets.seal(connection.secrets, contextOf(row.workspace_id, id))
        yield* stored(sql`update bank set connection_instance = ${instanceId}, connection_ref = ${connection.ref},
          connection_secrets = ${sealed}, connection_status = ${json(status)}, updated_at = ${at} where id = ${id}`)
      }),
      rotateSecrets: Effect.fn("BankStore.rotateSecrets")(function* (id, known, newer) {
        return yield* inTransaction(sql)(
          Effect.gen(function* () {
            const [row] = yield* stored(sql<ConnectionRow>`select workspace_id, connection_instance, connection_ref,
              connection_secrets from bank where id = ${id} and connection_ref is not null for no key update`)
            if (row === undefined) return Option.none()
            const held = { ref: row.connection_ref, secrets: yield* openedOf(id, row) }
            if (!isSameConnection(held, known)) return Option.some(held)
            const sealed = yield* secrets.seal(newer, contextOf(row.workspace_id, id))
            yield* stored(sql`update bank set connection_secrets = ${sealed} where id = ${id}`)
            return Option.some({ ref: held.ref, secrets: newer })
          })
        )
      }),
      update: Effect.fn("BankStore.update")(function* (workspaceId, id, { icon, name, order }, at) {
        const rows = yield* stored(sql`update bank set name = coalesce(${nullable(name)}, name),
            position = coalesce(${nullable(order)}, position),
            icon = case when ${icon === undefined} then icon else ${nullable(icon)} end, updated_at = ${at}
          where id = ${id} and workspace_id = ${workspaceId} and made_for is null returning id`)
        return rows.length > 0
      }),
      unchecked: Effect.fn("BankStore.unchecked")(function* (since, limit) {
        // Instants of one form: their texts compare as they do.
        const rows = yield* stored(sql<BankRow>`select ${columns} from bank
          where deleted_at is null and removal is null and connection_ref is not null
            and coalesce(connection_status ->> 'lastCheckedAt', '') < ${since}::text
          order by coalesce(connection_status ->> 'lastCheckedAt', '') collate "C", id limit ${limit}`)
        return rows.map(toBank)
      }),
      setStatus: Effect.fn("BankStore.setStatus")(function* (id, status, at) {
        yield* stored(sql`update bank set connection_status = ${json(status)}, updated_at = ${at} where id = ${id}`)
      }),
      remove: Effect.fn("BankStore.remove")(function* (workspaceId, id) {
        const rows = yield* stored(
          sql`delete from bank where id = ${id} and workspace_id = ${workspaceId} returning id`
        )
        return rows.length > 0
      }),
      accounts: Effect.fn("BankStore.accounts")(function* (bankId) {
        const rows = yield* stored(
          sql<AccountRow>`select * from account where bank_id = ${bankId} order by created_at, id`
        )
        return rows.map(toAccount)
      }),
      account: Effect.fn("BankStore.account")(function* (workspaceId, bankId, id) {
        const rows = yield* stored(sql<AccountRow>`select * from account
          where id = ${id} and bank_id = ${bankId} and workspace_id = ${workspaceId} and joined_into is null
            and not exists (select from bank where bank.id = account.bank_id and made_for is not null)`)
        return Arr.head(rows.map(toAccount))
      }),
      putAccounts: Effect.fn("BankStore.putAccounts")(function* (accounts) {
        if (accounts.length === 0) return
        yield* stored(sql`insert into account (id, workspace_id, bank_id, provider_account_id, stable_keys,
            account_number, account_name, account_type, account_subtype, balance, available_balance, currency,
            credit_limit, balance_as_of, history_from, supports, state, created_at, updated_at)
          select a."id", a."workspaceId", a."bankId", a."providerAccountId", a."stableKeys", a."accountNumber",
            a."accountName", a."accountType", a."accountSubtype", a."balance", a."availableBalance", a."currency",
            a."creditLimit", a."balanceAsOf", a."historyFrom", a."supports", a."state", a."createdAt", a."updatedAt"
          from json_to_recordset(${JSON.stringify(accounts.map(asUpstreamSays))}::json) as a("id" text, "workspaceId" text, "bankId" text,
            "providerAccountId" text, "stableKeys" json, "accountNumber" text, "accountName" text, "accountType" text,
            "accountSubtype" text, "balance" numeric, "availableBalance" numeric, "currency" text,
            "creditLimit" numeric, "balanceAsOf" timestamptz, "historyFrom" date, "supports" json, "state" text, "createdAt" timestamptz,
            "updatedAt" timestamptz)
          -- In one order, so that two writers never wait for each other in a circle.
          order by a."id" collate "C"
          on conflict (id) do update set (workspace_id, bank_id, provider_account_id, stable_keys, account_number,
            account_name, account_type, account_subtype, balance, available_balance, currency, credit_limit,
            balance_as_of, supports, state, created_at, updated_at) = (excluded.workspace_id, excluded.bank_id,
            excluded.provider_account_id, excluded.stable_keys, excluded.account_number, excluded.account_name,
            excluded.account_type, excluded.account_subtype, excluded.balance, excluded.available_balance,
            excluded.currency, excluded.credit_limit, excluded.balance_as_of, excluded.supports, excluded.state,
            excluded.created_at, excluded.updated_at)`)
      }),
      describeAccount: Effect.fn("BankStore.describeAccount")(function* (
        id,
        { accountName, signAskedAt, signOverride },
        at
      ) {
        yield* stored(sql`update account set
            given_name = case when ${accountName === undefined} then given_name else ${nullable(accountName)} end,
            sign_override = coalesce(${nullable(signOverride)}, sign_override),
            sign_asked_at = case when ${signAskedAt === undefined} then sign_asked_at else ${nullable(signAskedAt)} end,
            updated_at = ${at}
          where id = ${id}`)
      }),
      setReadFrom: Effect.fn("BankStore.setReadFrom")(function* (id, dataType, from) {
        yield* stored(
          from === undefined
            ? sql`update account set read_from = nullif(read_from - ${dataType}::text, '{}'::jsonb) where id = ${id}`
            : sql`update account set
                read_from = coalesce(read_from, '{}'::jsonb) || jsonb_build_object(${dataType}::text, ${from}::text)
                where id = ${id}`
        )
      }),
      setHistoryFrom: Effect.fn("BankStore.setHistoryFrom")(function* (id, from) {
        yield* stored(sql`update account set history_from = ${from} where id = ${id}`)
      })
    })
  })
)
