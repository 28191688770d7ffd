/** Taking back what a file showed and nobody shows any more. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Account, AccountId } from "../bank/Account.ts"
import type { IdentityStore } from "../identity/IdentityStore.ts"
import { BankStore } from "../bank/BankStore.ts"
import { writeOf } from "../identity/MatchWrites.ts"
import type { Fields } from "../record/FieldValue.ts"
import { type RecordScope, RecordStore } from "../record/RecordStore.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import * as Decimal from "../shared/Decimal.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Transactor } from "../storage/Transactor.ts"
import { ingest } from "../sync/Ingest.ts"
import { LedgerWriter, type WriteRight } from "../sync/LedgerWriter.ts"
import { ShownRecords, tombstoneOf, type Shown } from "./ShownRecords.ts"
import type { Upload, UploadStatement } from "./Upload.ts"
import { UploadStore } from "./UploadStore.ts"

interface Balance {
  readonly balance: Decimal.Decimal
  readonly availableBalance: Decimal.Decimal
  readonly asOf: CalendarDate | undefined
}

const dayOf = ({ balanceDate, to }: UploadStatement): CalendarDate | undefined => balanceDate ?? to

/** The newest balance that files state of an account; of one day that of the file that came last. */
const balanceOf = (uploads: ReadonlyArray<Upload>, accountId: AccountId): Balance | undefined => {
  let newest: UploadStatement | undefined
  for (const { statements } of uploads) {
    for (const statement of statements) {
      if (statement.accountId !== accountId || statement.closingBalance === undefined) continue
      if (newest === undefined || (dayOf(statement) ?? "") >= (dayOf(newest) ?? "")) newest = statement
    }
  }
  const balance = newest?.closingBalance
  return balance === undefined
    ? undefined
    : { balance, availableBalance: newest?.availableBalance ?? balance, asOf: dayOf(newest!) }
}

const make = Effect.gen(function* () {
  const banks = yield* BankStore
  const records = yield* RecordStore
  const uploads = yield* UploadStore
  const writer = yield* LedgerWriter
  const digest = yield* Digest
  const { atomically } = yield* Transactor
  const shown = yield* ShownRecords

  /** Removes records of a place that only this file showed and that are not among those that stay. */
  const withdraw = Effect.fnUntraced(function* (
    right: WriteRight,
    scope: RecordScope,
    id: Upload["id"],
    left: Iterable<string>,
    staying: Iterable<string>
  ) {
    const gone = yield* shown.onlyOf(scope, id, left, staying)
    for (let at = 0; at < gone.length; at += limits.commitChunk) {
      const tombstones = gone.slice(at, at + limits.commitChunk).map(tombstoneOf)
      yield* atomically(Effect.andThen(writer.guard(right), records.write(scope, tombstones)))
    }
    return gone.length
  })

  /** The balance as a record, where feeds of balances have made one. */
  const putBalance = Effect.fnUntraced(function* (account: Account, balance: Balance | undefined) {
    const scope: RecordScope = { workspaceId: account.workspaceId, accountId: account.id, dataType: "balances" }
    const [entry] = yield* records.index(scope, { providerIds: ["balance"] })
    const [record] = entry === undefined ? [] : yield* records.held(scope, [entry.id])
    if (record === undefined || record.state !== "live") return
    if (balance?.asOf === undefined) return yield* records.write(scope, [tombstoneOf(record)])
    const fields: Fields = {
      date: `${balance.asOf}T00:00:00.000Z`,
      amount: balance.balance,
      availableBalance: balance.availableBalance,
      currency: account.currency
    }
    const { providerAccountId } = account
    const read = ingest("balances", { providerAccountId, providerId: "balance", pending: false, fields }, digest)
    if ("quarantined" in read || read.observation.hash === record.hash) return
    yield* records.write(scope, [writeOf(record.id, read.observation, record)])
  })

  /**
   * Brings an account of files in line with the files that still show it: its balance is the newest that they state, and
   * one that none shows is `missing` until a file names it again.
   */
  const settle = Effect.fnUntraced(function* (account: Account) {
    const files = yield* uploads.showing(account.id)
    const balance = balanceOf(files, account.id)
    const scope: RecordScope = { workspaceId: account.workspaceId, accountId: account.id, dataType: "transactions" }
    const [live] = files.length > 0 ? [true] : yield* records.page(scope, { filter: {}, limit: 1 })
    const { balanceAsOf: _, ...rest } = account
    yield* banks.putAccounts([
      {
        ...rest,
        state: live === undefined ? "missing" : "open",
        balance: balance?.balance ?? Decimal.zero,
        availableBalance: balance?.availableBalance ?? Decimal.zero,
        ...(balance?.asOf === undefined ? {} : { balanceAsOf: Timestamp.make(`${balance.asOf}T00:00:00.000Z`) }),
        updatedAt: yield* Timestamp.now
      }
    ])
    yield* putBalance(account, balance)
  })

  return { ...shown, withdraw, settle }
})

/** Takes back what a file showed. */
export class Withdrawal extends Context.Service<Withdrawal>()("@millrace/core/upload/Withdrawal", { make }) {
  static readonly layer: Layer.Layer<
    Withdrawal,
    never,
    BankStore | RecordStore | UploadStore | LedgerWriter | Digest | Transactor | IdentityStore
  > = Layer.effect(Withdrawal, make).pipe(Layer.provide(ShownRecords.layer))
}
/** What two lists of places show together. */
export const together = (all: ReadonlyArray<Shown>): ReadonlyArray<Shown> => {
  const places = new Map<string, Shown & { readonly ids: Set<string> }>()
  for (const one of all) {
    const key = `${one.accountId} ${one.dataType}`
    const place = places.get(key)
    if (place === undefined) places.set(key, { ...one, ids: new Set(one.recordIds) })
    else for (const id of one.recordIds) place.ids.add(id)
  }
  return [...places.values()].map(({ accountId, dataType, ids }) => ({ accountId, dataType, recordIds: [...ids] }))
}
