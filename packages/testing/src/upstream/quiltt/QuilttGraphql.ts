/** The GraphQL side of the fake Quiltt: one answer for each operation that it is asked by name. */
import type { TrueAccount } from "../TrueRecord.ts"
import type { Connected, QuilttState } from "./QuilttState.ts"
import {
  accountOf,
  forecastOf,
  holdingOf,
  mortgageOf,
  plaidAccountOf,
  tradeOf,
  transactionOf,
  type WireRow
} from "./QuilttWire.ts"
import { providerOf } from "./QuilttWorld.ts"

type Variables = Readonly<Record<string, unknown>>

const failed = (code: string, message: string) => ({ data: null, errors: [{ message, extensions: { code } }] })

/** Places are offsets in the list as it is when they are used: anyone who pages while it changes misses or repeats rows. */
const cursorOf = (offset: number): string => Buffer.from(String(offset)).toString("base64")
const offsetOf = (cursor: unknown): number =>
  typeof cursor === "string" ? Number(Buffer.from(cursor, "base64").toString()) : 0

const pageOf = <A>(state: QuilttState, all: ReadonlyArray<A>, { after, first }: Variables) => {
  const begin = offsetOf(after)
  const size = Math.min(typeof first === "number" ? first : 100, state.pageRows)
  const nodes = all.slice(begin, begin + size)
  const end = begin + nodes.length
  return {
    count: all.length,
    nodes,
    pageInfo: { hasNextPage: end < all.length, endCursor: nodes.length === 0 ? null : cursorOf(end) }
  }
}

/** Oldest first, pending ones last. */
const inOrder = (a: WireRow, b: WireRow): number => {
  const [late, later] = [a.status === "PENDING" ? 1 : 0, b.status === "PENDING" ? 1 : 0]
  return late - later || (a.date < b.date ? -1 : a.date > b.date ? 1 : a.id < b.id ? -1 : 1)
}

const rowsOf = ({ ledger }: Connected, account: TrueAccount): ReadonlyArray<WireRow> => {
  const isPlaid = providerOf(ledger.institution) === "PLAID"
  return [
    ...ledger.shown(account.key).map((row) => transactionOf(row, account, isPlaid)),
    ...ledger.tradesOf(account.key).map((trade) => tradeOf(trade, account)),
    ...(account.key === "checking" ? [forecastOf(account, ledger.today)] : [])
  ]
}

const transactions = (state: QuilttState, profileId: string, variables: Variables) => {
  const { accountIds, from, to } = variables
  const ids = Array.isArray(accountIds) ? accountIds.map(String) : []
  const rows = ids.flatMap((id) => {
    const found = state.ofAccount(id)
    return found === undefined || found.one.profileId !== profileId ? [] : rowsOf(found.one, found.account)
  })
  const inRange = rows.filter(({ date }) => date >= String(from) && date <= String(to)).toSorted(inOrder)
  return { data: { transactions: pageOf(state, inRange, variables) } }
}

const holdings = (state: QuilttState, profileId: string, variables: Variables) => {
  const found = state.ofAccount(String(variables["id"]))
  if (found === undefined || found.one.profileId !== profileId) return { data: { account: null } }
  const { account, one } = found
  const all = (one.ledger.holdings.get(account.key) ?? []).map(holdingOf)
  return { data: { account: { id: account.id, holdings: pageOf(state, all, variables) } } }
}

const connection = (state: QuilttState, one: Connected) => ({
  id: one.ref,
  status: one.status,
  remoteData:
    providerOf(one.ledger.institution) === "PLAID"
      ? { plaid: { connection: { response: { consentExpirationTime: "2027-06-30T12:00:00Z" } } } }
      : { plaid: null },
  institution: { id: `inst_${one.ledger.institution.name.length}`, name: one.ledger.institution.name },
  accounts: one.isCollecting ? [] : one.ledger.listed.map((account) => accountOf(account, one.ledger, state.now()))
})

const loans = ({ ledger, ref }: Connected) => ({
  id: ref,
  accounts: ledger.listed.map(plaidAccountOf),
  remoteData:
    providerOf(ledger.institution) === "PLAID"
      ? {
          plaid: {
            liabilities: {
              response: {
                mortgage: ledger.listed.flatMap((account) => {
                  const loan = ledger.loans.get(account.key)
                  return loan === undefined ? [] : [mortgageOf(loan, account)]
                }),
                student: null
              }
            }
          }
        }
      : { plaid: null }
})

export const graphqlAnswer = (
  state: QuilttState,
  profileId: string,
  { operationName, query, variables = {} }: Readonly<Record<string, unknown>>
): unknown => {
  if (typeof query !== "string" || !query.includes(`${String(operationName)}(`)) {
    return failed("GRAPHQL_PARSE_FAILED", "There is no such operation in the document")
  }
  const given = variables as Variables
  const one = state.connection(profileId, String(given["id"]))
  switch (operationName) {
    case "MillraceTransactions":
      return transactions(state, profileId, given)
    case "MillraceHoldings":
      return holdings(state, profileId, given)
    case "MillraceConnection":
      return { data: { connection: one === undefined ? null : connection(state, one) } }
    case "MillraceLoans":
      return { data: { connection: one === undefined ? null : loans(one) } }
    case "MillraceDisconnect": {
      if (one === undefined) return failed("NOT_FOUND", "Couldn't find Connection")
      one.revokedAt ??= state.now()
      return {
        data: { connectionDisconnect: { success: true, errors: null, record: { id: one.ref, status: one.status } } }
      }
    }
    default:
      return failed("GRAPHQL_VALIDATION_FAILED", "There is no such operation")
  }
}
