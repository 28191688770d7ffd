/** Transactions by windows of days, and holdings. One answer has all accounts and serves all that a run asks for. */
import { CalendarDate, type CalendarDateText, Decimal, Timestamp } from "@millrace/core"
import {
  MutationDuringPagination,
  type ObservedRecord,
  type PartCoverage,
  type ProviderError,
  type PullRequest,
  type SyncPage,
  readRecords
} from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import { readToken, writeToken } from "../upstream/OpaqueToken.ts"
import { shownText } from "../upstream/UpstreamForm.ts"
import { currencyOf, doubtful } from "./SimpleFinAccounts.ts"
import { type Days, windowDays } from "./SimpleFinClient.ts"
import { type AccountsShown, type SimpleFinAccount, SimpleFinHolding, SimpleFinTransaction } from "./SimpleFinForm.ts"

/** The days that a run asks for first: the last ones, and two more for banks that are ahead of us. */
export const recentDays = (now: number): Days => {
  const today = CalendarDate.make(Timestamp.fromMillis(now).slice(0, 10))
  return { from: CalendarDate.addDays(today, 2 - windowDays), before: CalendarDate.addDays(today, 2) }
}

const dayOf = (seconds: number): CalendarDateText =>
  CalendarDate.make(Timestamp.fromMillis(seconds * 1000).slice(0, 10))

/** Booked on no day is not booked yet. */
const isPending = ({ pending, posted }: SimpleFinTransaction): boolean => posted === 0 || pending === true

const transactionRecord = (row: SimpleFinTransaction, account: SimpleFinAccount): ObservedRecord | string => {
  const pending = isPending(row)
  const moved = row.transacted_at ?? 0
  const shown = row.posted > 0 ? row.posted : moved > 0 ? moved : (account["balance-date"] ?? 0)
  if (shown === 0) return "posted: is missing, and nothing else tells the day"
  const payee = shownText(row.payee)
  const original = shownText(row.description, 2_000) ?? payee ?? shownText(row.memo, 2_000) ?? ""
  const isOut = Decimal.isNegative(row.amount)
  return {
    providerAccountId: account.id,
    providerId: row.id,
    pending,
    fields: {
      date: dayOf(shown),
      ...(moved > 0 ? { authorizedDate: dayOf(moved) } : {}),
      description: payee ?? original,
      originalDescription: original,
      ...(payee === undefined ? {} : { merchantName: payee }),
      amount: row.amount,
      creditAmount: isOut ? Decimal.zero : row.amount,
      debitAmount: isOut ? Decimal.negate(row.amount) : Decimal.zero,
      currency: currencyOf(account.currency),
      category: "UNCATEGORIZED",
      type: "OTHER",
      reference: "",
      pending
    }
  }
}

/** Accounts by their places in the request, one bit each: what a position can carry of any number of them. */
type Marks = bigint

const isMarked = (marks: Marks, at: number): boolean => ((marks >> BigInt(at)) & 1n) === 1n

/** With the accounts that this answer does not list, or whose bank could not be read for it. */
const inDoubtAfter = (before: Marks, answer: AccountsShown, { providerAccountIds }: PullRequest): Marks => {
  const inDoubt = doubtful(answer)
  const listed = new Set(answer.accounts.map(({ id }) => id))
  return providerAccountIds.reduce(
    (marks, id, at) => (listed.has(id) && !inDoubt.has(id) ? marks : marks | (1n << BigInt(at))),
    before
  )
}

/** What the windows up to this one prove: nothing of accounts that were in doubt in one of them. */
const coverageOf = (inDoubt: Marks, request: PullRequest, complete: boolean): SyncPage["coverage"] => {
  const { from, providerAccountIds, to } = request
  const sure = providerAccountIds.filter((_, at) => !isMarked(inDoubt, at))
  const window = { kind: "window", from, to, complete } as const
  if (sure.length === providerAccountIds.length) return window
  return sure.length === 0
    ? { ...window, complete: false }
    : ([{ ...window, providerAccountIds: sure }] satisfies ReadonlyArray<PartCoverage>)
}

/** The windows of a request, latest first; the last days are those that every run asks for anyway. */
const windowsOf = ({ from, to }: PullRequest, recent: Days): ReadonlyArray<Days> => {
  const windows: Array<Days> = []
  let before = CalendarDate.addDays(to, 1)
  if (before > recent.from && before <= recent.before) {
    windows.push(recent)
    before = recent.from
  }
  while (before > from) {
    const first = CalendarDate.max(from, CalendarDate.addDays(before, -windowDays))
    windows.push({ from: first, before })
    before = first
  }
  return windows
}

export const pullTransactions = Effect.fnUntraced(function* (
  ask: (days: Days) => Effect.Effect<AccountsShown, ProviderError>,
  connectionRef: string,
  request: PullRequest,
  recent: Days
): Effect.fn.Return<SyncPage, ProviderError> {
  const about = ["simplefin", connectionRef, request.from, request.to, ...request.providerAccountIds]
  const windows = windowsOf(request, recent)
  const reached = request.position === undefined ? "0/0" : readToken("p", about, request.position)
  const [, place, marks = "0"] = /^(\d{1,4})\/([\da-f]+)$/.exec(reached ?? "") ?? []
  const at = place === undefined ? Number.NaN : Number(place)
  const window = windows[at]
  if (window === undefined)
    return yield* new MutationDuringPagination({ message: "The position is not one of this run" })
  const answer = yield* ask(window)
  const last = at === windows.length - 1
  const inDoubt = inDoubtAfter(BigInt(`0x${marks}`), answer, request)
  const asked = new Set(request.providerAccountIds)
  const read = answer.accounts
    .filter(({ id }) => asked.has(id))
    .map((account) =>
      readRecords(account.transactions ?? [], SimpleFinTransaction, "id", (row) => {
        const record = transactionRecord(row, account)
        if (typeof record === "string") return record
        const date = String(record.fields["date"])
        // Pending rows have no window of their own: those of the first answer are all that there are.
        const isShown = record.pending ? at === 0 : date >= window.from && date < window.before
        return isShown && date >= request.from && date <= request.to ? record : undefined
      })
    )
  return {
    upserted: read.flatMap(({ upserted }) => upserted),
    removed: [],
    quarantined: read.flatMap(({ quarantined }) => quarantined),
    coverage: coverageOf(inDoubt, request, last),
    end: last
      ? { kind: "done" }
      : { kind: "more", position: writeToken("p", about, `${at + 1}/${inDoubt.toString(16)}`) }
  }
})

const holdingRecord = (holding: SimpleFinHolding, account: SimpleFinAccount): ObservedRecord => {
  const symbol = shownText(holding.symbol)
  const name = shownText(holding.description) ?? symbol
  const currency = shownText(holding.currency)
  return {
    providerAccountId: account.id,
    providerId: holding.id,
    pending: false,
    fields: {
      ...(name === undefined ? {} : { securityName: name }),
      ...(symbol === undefined ? {} : { securityId: symbol, ticker: symbol }),
      quantity: holding.shares,
      ...(typeof holding.cost_basis === "string" ? { costBasis: holding.cost_basis } : {}),
      ...(typeof holding.market_value === "string" ? { currentValue: holding.market_value } : {}),
      currency: currencyOf(currency ?? account.currency)
    }
  }
}

export const pullHoldings = (answer: AccountsShown, request: PullRequest): SyncPage => {
  const asked = new Set(request.providerAccountIds)
  const inDoubt = doubtful(answer)
  const accounts = answer.accounts.filter(({ holdings, id }) => asked.has(id) && Array.isArray(holdings))
  const read = accounts.map((account) =>
    readRecords(account.holdings ?? [], SimpleFinHolding, "id", (holding) => holdingRecord(holding, account))
  )
  const sure = accounts.map(({ id }) => id).filter((id) => !inDoubt.has(id))
  const none = accounts.filter(({ holdings, id }) => holdings?.length === 0 && !inDoubt.has(id)).map(({ id }) => id)
  return {
    upserted: read.flatMap(({ upserted }) => upserted),
    removed: [],
    quarantined: read.flatMap(({ quarantined }) => quarantined),
    coverage:
      sure.length === asked.size
        ? { kind: "full", complete: true, none }
        : sure.length === 0
          ? { kind: "full", complete: false }
          : [{ kind: "full", complete: true, none, providerAccountIds: sure }],
    end: { kind: "done" }
  }
}
