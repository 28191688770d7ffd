/** Uploaded statement files as a source of records (decisions 7.1). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { maskNumber, type Account } from "../bank/Account.ts"
import { isMaskedNumber } from "../bank/AccountReference.ts"
import type { Bank } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import type { Feed } from "../feed/Feed.ts"
import { IdentityStore } from "../identity/IdentityStore.ts"
import type { ObservedRecord } from "../provider/Provider.ts"
import type { Fields } from "../record/FieldValue.ts"
import { RecordStore, type RecordScope } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Decimal from "../shared/Decimal.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { DataKeys } from "../storage/DataKeys.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { Observation, Quarantined } from "../record/Observation.ts"
import { ingest } from "../sync/Ingest.ts"
import type { Fenced } from "../job/JobStore.ts"
import type { LeaseLost } from "../storage/Lease.ts"
import { LedgerWriter, type WriteRight } from "../sync/LedgerWriter.ts"
import { AccountSeal } from "./AccountSeal.ts"
import { daysOf, EarlierFiles } from "./EarlierFiles.ts"
import {
  accountKeys,
  accountOf,
  isStated,
  namelessKey,
  withoutNumber,
  wordsForAccount,
  type Asked,
  type Seal
} from "./FileAccounts.ts"
import { rowIdsOf } from "./RowIds.ts"
import { showSameRows } from "./SameRows.ts"
import type { Shown } from "./ShownRecords.ts"
import { StatedBalances, type BalanceGap } from "./StatedBalances.ts"
import type { Statement, StatementAccount, StatementRow } from "./Statement.ts"
import type { Upload } from "./Upload.ts"
import { UploadStore } from "./UploadStore.ts"
import { bookedOf, readingOf } from "./UploadSummary.ts"
import { together, Withdrawal } from "./Withdrawal.ts"

export interface Taken {
  readonly accounts: ReadonlyArray<Account>
  readonly read: number
  readonly changed: number
  readonly quarantined: ReadonlyArray<Quarantined>
  /** Balances that the rows of the accounts do not reach. */
  readonly gaps: ReadonlyArray<BalanceGap>
}

/** Rows that are taken in at once; then everybody else has a turn. */
const rowsOfTurn = 500

const observed = (account: string, row: StatementRow, id: string): ObservedRecord => ({
  providerAccountId: account,
  providerId: id,
  pending: row.pending,
  fields: {
    date: row.date,
    ...(row.authorizedDate === undefined ? {} : { authorizedDate: row.authorizedDate }),
    description: row.description,
    originalDescription: row.originalDescription,
    ...(row.merchantName === undefined ? {} : { merchantName: row.merchantName }),
    amount: row.amount,
    currency: row.currency,
    ...(row.category === undefined ? {} : { category: row.category }),
    type: row.type,
    reference: row.reference
  }
})

/** Records of an account that are read to tell whether a statement shows them. */
const mostCompared = 5_000

/** A statement whose currency was assumed, in the one that its account has. */
const inCurrency = (statement: StatementAccount, currency: StatementAccount["currency"]): StatementAccount =>
  statement.currency === currency
    ? statement
    : {
        ...statement,
        currency,
        rows: statement.rows.map((row) => (row.currency === statement.currency ? { ...row, currency } : row))
      }

/** Whether the end of the number is not known yet, and now is. */
const isLessKnown = (held: string, now: string): boolean => held.length < now.length

export class StatementSource extends Context.Service<
  StatementSource,
  {
    /**
     * Books a file that was read: accounts, rows and balances, then the upload's status. What an earlier reading of it
     * gave, and neither this one nor anybody else shows, goes.
     */
    readonly take: (
      right: WriteRight,
      feed: Feed,
      bank: Bank,
      target: Account | undefined,
      upload: Upload,
      statement: Statement,
      /** What it was read with (`readingKey`). */
      reading: string,
      /** As in `SnapshotOfAccount`. */
      byIdOnly: boolean
    ) => Effect.Effect<Taken, Fenced | LeaseLost | StorageUnavailable>
  }
>()("@millrace/core/upload/StatementSource") {
  static readonly layer: Layer.Layer<
    StatementSource,
    never,
    BankStore | UploadStore | RecordStore | IdentityStore | LedgerWriter | Transactor | DataKeys | Ids | Digest
  > = Layer.effect(
    StatementSource,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const uploads = yield* UploadStore
      const records = yield* RecordStore
      const writer = yield* LedgerWriter
      const { atomically } = yield* Transactor
      const ids = yield* Ids
      const digest = yield* Digest
      const numbers = yield* AccountSeal
      const booked = yield* Withdrawal
      const earlier = yield* EarlierFiles
      const balances = yield* StatedBalances

      /** Accounts for which the statement shows the rows that we hold. */
      const withSameRows = Effect.fnUntraced(function* (accounts: ReadonlyArray<Account>, { rows }: StatementAccount) {
        const days = rows.map(({ date }) => date).toSorted()
        if (days.length === 0) return []
        const filter = { from: CalendarDate.addDays(days[0]!, -1), to: CalendarDate.addDays(days.at(-1)!, 1) }
        const found: Array<Account> = []
        for (const account of accounts) {
          const scope: RecordScope = {
            workspaceId: account.workspaceId,
            accountId: account.id,
            dataType: "transactions"
          }
          const held = (yield* records.page(scope, { filter, limit: mostCompared })).flatMap(({ date, fields }) =>
            date === null || !Decimal.is(fields["amount"]) ? [] : [{ date, amount: fields["amount"] }]
          )
          if (showSameRows(rows, held)) found.push(account)
        }
        return found
      })

      const heldAccount = Effect.fnUntraced(function* (bank: Bank, asked: Asked) {
        const held = yield* banks.accounts(bank.id)
        const isNamed = asked.statement.number !== "" || asked.keys[0] !== namelessKey
        const known = accountOf(held, asked)
        if (known !== undefined && isNamed) return known
        // Where a number or a name is missing, the rows tell before a file without any name does.
        const same = yield* withSameRows(withoutNumber(held, asked), asked.statement)
        return same.length === 1 ? same[0] : known
      })

      const accountFor = Effect.fnUntraced(function* (
        right: WriteRight,
        bank: Bank,
        fileName: string,
        statement: StatementAccount,
        currencyIsAssumed: boolean,
        seal: Seal
      ) {
        const keys = accountKeys(statement, fileName, seal)
        const held = yield* heldAccount(bank, { statement, keys, formerKey: seal(statement.key), currencyIsAssumed })
        const now = yield* Timestamp.now
        const asOf = statement.balanceDate ?? statement.to
        const balanceAsOf = asOf === undefined ? undefined : Timestamp.make(`${asOf}T00:00:00.000Z`)
        const newer =
          statement.closingBalance !== undefined &&
          (held?.balanceAsOf === undefined || (balanceAsOf !== undefined && balanceAsOf >= held.balanceAsOf))
        const balance = newer ? statement.closingBalance : held?.balance
        const masked = maskNumber(statement.number, isMaskedNumber(statement.number) ? "masked" : "whole")
        const words = wordsForAccount(statement, fileName)
        const account: Account = {
          ...(held ?? {
            id: yield* ids.next("account"),
            workspaceId: bank.workspaceId,
            bankId: bank.id,
            providerAccountId: keys[0]!,
            accountNumber: masked,
            accountName: statement.name !== "" ? statement.name : `${bank.name} ${words === "" ? masked : words}`,
            accountType: statement.type,
            currency: statement.currency,
            supports: ["transactions", "balances"] as const,
            createdAt: now
          }),
          state: "open",
          // A file without any name says nothing about the next one.
          stableKeys: [
            ...new Set([
              ...(held?.stableKeys ?? []),
              ...keys.filter((key) => held === undefined || key !== namelessKey)
            ])
          ],
          ...(held === undefined || isStated(held.accountType) ? {} : { accountType: statement.type }),
          ...(held === undefined || !isLessKnown(held.accountNumber, masked) ? {} : { accountNumber: masked }),
          balance: balance ?? ("0" as Account["balance"]),
          availableBalance: (newer ? statement.availableBalance : undefined) ?? balance ?? ("0" as Account["balance"]),
          ...(newer && balanceAsOf !== undefined ? { balanceAsOf } : {}),
          updatedAt: now
        }
        yield* atomically(Effect.andThen(writer.guard(right), banks.putAccounts([account])))
        return account
      })

      const observations = Effect.fnUntraced(function* (
        dataType: "transactions" | "balances",
        account: Account,
        file: Statement,
        statement: StatementAccount
      ) {
        if (dataType === "transactions") {
          const idOf = rowIdsOf(file, statement.rows, digest)
          const taken: Array<ReturnType<typeof ingest>> = []
          for (const row of statement.rows) {
            taken.push(ingest(dataType, observed(account.providerAccountId, row, idOf(row)), digest))
            if (taken.length % rowsOfTurn === 0) yield* Effect.yieldNow
          }
          return taken
        }
        const asOf = statement.balanceDate ?? statement.to
        if (statement.closingBalance === undefined || asOf === undefined) return []
        // A later file has said more already.
        if (account.balanceAsOf !== undefined && account.balanceAsOf.slice(0, 10) > asOf) return []
        const fields: Fields = {
          date: `${asOf}T00:00:00.000Z`,
          amount: statement.closingBalance,
          ...(statement.availableBalance === undefined ? {} : { availableBalance: statement.availableBalance }),
          currency: account.currency
        }
        return [
          ingest(
            dataType,
            { providerAccountId: account.providerAccountId, providerId: "balance", pending: false, fields },
            digest
          )
        ]
      })

      /** Ends a reading: what only the one before it showed goes, then the file is processed. */
      const finish = Effect.fnUntraced(function* (
        right: WriteRight,
        bank: Bank,
        upload: Upload,
        now: ReadonlyArray<Shown>,
        said: ReturnType<typeof readingOf>,
        hasOwnAccounts: boolean
      ) {
        const { id, workspaceId } = upload
        const own = new Map((yield* banks.accounts(bank.id)).map((account) => [account.id, account]))
        const left: Array<Shown> = []
        for (const before of yield* booked.of(workspaceId, id)) {
          const staying = now.find((one) => one.accountId === before.accountId && one.dataType === before.dataType)
          const stays = new Set(staying?.recordIds)
          const recordIds = before.recordIds.filter((recordId) => !stays.has(recordId))
          if (recordIds.length === 0) continue
          const { accountId, dataType } = before
          if (!own.has(accountId)) left.push({ accountId, dataType, recordIds })
          else yield* booked.withdraw(right, { workspaceId, accountId, dataType }, id, recordIds, stays)
        }
        yield* atomically(
          Effect.gen(function* () {
            yield* writer.guard(right)
            yield* uploads.setShown(id, together([...now, ...left]))
            yield* uploads.setReading(id, said)
            yield* uploads.setStatus(id, {
              status: "processed",
              ...(right.fence === undefined ? {} : { jobId: right.fence.jobId })
            })
            if (!hasOwnAccounts) return
            for (const accountId of new Set(upload.statements.map((statement) => statement.accountId))) {
              const account = accountId === undefined ? undefined : own.get(accountId)
              if (account !== undefined) yield* booked.settle(account)
            }
          })
        )
      })

      /** What the file says besides its rows, and the files before it. */
      const readings = Effect.fnUntraced(function* (upload: Upload, account: Account, stated: StatementAccount) {
        const { closingBalance, from, openingBalance, to } = stated
        const isPeriod = from !== undefined && to !== undefined && from <= to
        const file = { closingBalance, openingBalance, ...(isPeriod ? { from, to } : {}) }
        const days = daysOf({ ...file, ...bookedOf(stated) })
        return { file, earlier: yield* earlier.around(account.id, upload.id, days) }
      })

      const take: StatementSource["Service"]["take"] = Effect.fn("StatementSource.take")(
        function* (right, feed, bank, target, upload, statement, reading, byIdOnly) {
          const seal = yield* numbers.seal
          const dataType = feed.dataType === "balances" ? "balances" : "transactions"
          const accounts: Array<Account> = []
          const shown: Array<Shown> = []
          const quarantined: Array<Quarantined> = (statement.refused ?? []).map(
            ({ column, element, line, message }) => ({
              providerId: `on line ${line}${column === undefined ? "" : `, column ${column}`}`,
              reason: element === undefined ? message : `${element}: ${message}`
            })
          )
          let read = 0
          let changed = 0
          const currencyIsAssumed = statement.assumed["currency"] !== undefined
          for (const stated of statement.accounts) {
            const account = target ?? (yield* accountFor(right, bank, upload.fileName, stated, currencyIsAssumed, seal))
            const one = currencyIsAssumed ? inCurrency(stated, account.currency) : stated
            accounts.push(account)
            const scope: RecordScope = { workspaceId: feed.workspaceId, accountId: account.id, dataType }
            const rows: Array<Observation> = []
            for (const result of yield* observations(dataType, account, statement, one)) {
              if ("quarantined" in result) quarantined.push(result.quarantined)
              else rows.push(result.observation)
            }
            const place = { accountId: account.id, dataType } as const
            const named = rows.map(({ providerId }) => providerId)
            yield* atomically(Effect.andThen(writer.guard(right), uploads.beginShowing(upload.id, place, named)))
            const written = yield* writer.write(right, {
              scope,
              observations: rows,
              removed: new Set(),
              unread: new Set(),
              coverage: { kind: "delta" },
              ...(dataType === "transactions" ? yield* readings(upload, account, one) : {}),
              idTrust: "stable",
              changeModel: "appendOnly",
              byIdOnly
            })
            shown.push({ ...place, recordIds: [...new Set(written.recordIds)] })
            read += rows.length
            changed += written.changed
          }
          const said = readingOf(
            statement,
            reading,
            accounts.map(({ id }) => id)
          )
          yield* finish(right, bank, upload, together(shown), said, target === undefined)
          const own =
            dataType === "transactions"
              ? new Map(accounts.map((account) => [account.id, account]))
              : new Map<string, Account>()
          const gaps = yield* Effect.forEach(own.values(), (account) => balances.check(account, upload.id))
          return { accounts, read, changed, quarantined, gaps: gaps.flat() }
        }
      )

      return StatementSource.of({ take })
    })
  ).pipe(Layer.provide([AccountSeal.layer, EarlierFiles.layer, StatedBalances.layer, Withdrawal.layer]))
}
