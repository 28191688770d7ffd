/**
 * Reading the transactions of an account: pending ones whole, since most have no day and would fall out of any range;
 * then booked ones of a range of days. What is booked meanwhile is then seen twice for a moment, and never missed.
 */
import { CalendarDate } from "@millrace/core"
import {
  MutationDuringPagination,
  type ObservedAccount,
  type ObservedRecord,
  type PartCoverage,
  type ProviderError,
  type PullRequest,
  type SyncPage,
  Unsupported,
  readRows
} from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { position } from "../upstream/Position.ts"
import { FiskilTransaction } from "./FiskilAnswers.ts"
import type { FiskilClient } from "./FiskilClient.ts"
import { upstream } from "./FiskilErrors.ts"
import { dateOf, transaction } from "./FiskilRows.ts"

const statuses = ["PENDING", "POSTED"] as const

const Place = position(
  Schema.Struct({
    /** The account that is being read, by its place in the request. */
    account: Schema.Int,
    status: Schema.Literals(statuses),
    after: Schema.String,
    /** The last row of the page before: one that comes again was moved by others. */
    last: Schema.String
  })
)

interface Place {
  readonly account: number
  readonly status: (typeof statuses)[number]
  readonly after: string
  readonly last: string
}

/** Instants around the days asked for: an institution writes days of its own zone. */
const around = ({ from, to }: PullRequest) => ({
  from: `${CalendarDate.addDays(from, -1)}T00:00:00Z`,
  to: `${CalendarDate.addDays(to, 1)}T23:59:59Z`
})

const accountsAsked = Effect.fnUntraced(function* (
  accounts: ReadonlyArray<ObservedAccount>,
  { dataType, providerAccountIds }: PullRequest
): Effect.fn.Return<ReadonlyArray<ObservedAccount>, Unsupported> {
  const found: Array<ObservedAccount> = []
  for (const id of providerAccountIds) {
    const account = accounts.find(({ providerAccountId }) => providerAccountId === id)
    if (account === undefined || !account.supports.includes(dataType)) {
      const message =
        account === undefined ? "The connection has no such account" : `The consent does not cover ${dataType}`
      return yield* new Unsupported({ message, dataType })
    }
    found.push(account)
  }
  return found
})

const nextOf = (place: Place, after: string | undefined, last: string, accounts: number): Place | undefined => {
  if (after !== undefined) return { ...place, after, last }
  if (place.status === "PENDING") return { account: place.account, status: "POSTED", after: "", last: "" }
  return place.account + 1 < accounts
    ? { account: place.account + 1, status: "PENDING", after: "", last: "" }
    : undefined
}

/** One page of a data type; Fiskil has transactions alone. */
export const pullPage = Effect.fn("Fiskil.pull")(function* (
  client: FiskilClient,
  connection: { readonly ref: string; readonly endUserId: string },
  accounts: ReadonlyArray<ObservedAccount>,
  request: PullRequest
): Effect.fn.Return<SyncPage, ProviderError> {
  const { dataType, from, to } = request
  if (dataType !== "transactions") {
    return yield* new Unsupported({ message: `${upstream} has no ${dataType}`, dataType })
  }
  const about = [connection.ref, dataType, from, to, ...request.providerAccountIds]
  const asked = yield* accountsAsked(accounts, request)
  const place: Place =
    request.position === undefined
      ? { account: 0, status: "PENDING", after: "", last: "" }
      : yield* Place.read(about, request.position)
  const account = asked[place.account]
  if (account === undefined) {
    if (request.position !== undefined || asked.length > 0) {
      return yield* new MutationDuringPagination({ message: "The position is not one of this run" })
    }
    return { upserted: [], removed: [], quarantined: [], coverage: { kind: "delta" }, end: { kind: "done" } }
  }
  const isPending = place.status === "PENDING"
  const page = yield* client.askPage(
    {
      path: "/v1/banking/transactions",
      query: {
        end_user_id: connection.endUserId,
        account_id: account.providerAccountId,
        status: place.status,
        ...(isPending ? {} : around(request))
      },
      connection: connection.ref,
      endpoint: "transactions"
    },
    "transactions",
    place.after === "" ? undefined : place.after
  )
  const { quarantined: unread, rows } = readRows(page.rows, FiskilTransaction, "fiskil_id")
  if (place.last !== "" && rows.some(({ fiskil_id }) => fiskil_id === place.last)) {
    return yield* new MutationDuringPagination({ message: "Rows came or went while they were read" })
  }
  const now = yield* Clock.currentTimeMillis
  const upserted: Array<ObservedRecord> = []
  const quarantined = [...unread]
  for (const row of rows) {
    // Filters that are not heeded must not let other rows in.
    if (row.account_id !== account.providerAccountId || row.status !== place.status) continue
    const date = dateOf(row)
    if (!isPending && date !== undefined && (date < from || date > to)) continue
    const record = transaction(row, account.currency, now)
    if (record === undefined) quarantined.push({ providerId: row.fiskil_id, reason: "posting_date_time: is missing" })
    else upserted.push(record)
  }
  const next = nextOf(place, page.after, rows.at(-1)?.fiskil_id ?? "", asked.length)
  const complete = next === undefined
  const coverage: ReadonlyArray<PartCoverage> = [
    { kind: "full", status: "pending", complete },
    { kind: "window", status: "posted", from, to, complete }
  ]
  return {
    upserted,
    removed: [],
    quarantined,
    coverage,
    end: next === undefined ? { kind: "done" } : { kind: "more", position: Place.write(about, next) }
  }
})
