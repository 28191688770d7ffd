import * as Command from "effect/cli/Command"
import * as Option from "effect/Option"
import { stringify } from "../output/ExactJson.ts"
import type { Request } from "../request/Api.ts"
import { showList, showRecord } from "../request/Requests.ts"
import { deleteTransaction, matches, restoreTransaction, suggestions } from "./Corrections.ts"
import { join, joins, part } from "./Joins.ts"
import { choice, cursor, either, idFlag, limit, queryOf, text } from "./Flags.ts"

export const recordStates = ["live", "removed", "deleted"] as const

const bank = idFlag("bank")
const account = idFlag("account")
const cached = either("cached", "Answer from what is stored, without asking the bank")
const from = text("from", "<date>", "First day, YYYY-MM-DD")
const to = text("to", "<date>", "Last day, YYYY-MM-DD")
const paging = { limit, cursor }

const ofAccount = { bank, account, cached }

const requestOf = (
  input: { readonly bank: string; readonly account: string },
  rest: string,
  query: Parameters<typeof queryOf>[0] = {}
): Request => ({
  method: "GET",
  path: `/v1/banks/${input.bank}/accounts/${input.account}${rest}`,
  query: queryOf(query)
})

const list = Command.make("list", { bank }, (input) =>
  showList({ method: "GET", path: `/v1/banks/${input.bank}/accounts` }, "accounts", [
    "id",
    "accountName",
    "accountNumber",
    "accountType",
    "balance",
    "currency",
    "state"
  ])
).pipe(Command.withDescription("List the accounts of a bank"))

const get = Command.make("get", { bank, account }, (input) => showRecord(requestOf(input, ""))).pipe(
  Command.withDescription("Show an account")
)

const update = Command.make(
  "update",
  {
    bank,
    account,
    name: text("name", "<name>", "What you call it; empty: what the bank calls it"),
    invert: either("invert", "Turn amounts round, where the connection shows money that comes in as negative")
  },
  ({ invert, name, ...input }) =>
    showRecord({
      method: "PUT",
      path: requestOf(input, "").path,
      body: stringify({
        ...(Option.isSome(name) ? { accountName: name.value === "" ? null : name.value } : {}),
        ...(Option.isSome(invert) ? { signOverride: invert.value } : {})
      })
    })
).pipe(
  Command.withDescription("Change the name of an account, or turn its amounts round"),
  Command.withExamples([
    { command: "millrace accounts update --bank bank_01 --account acct_01 --name Household" },
    {
      command: "millrace accounts update --bank bank_01 --account acct_01 --invert",
      description: "Of a card whose purchases come as positive amounts; --no-invert takes it back"
    }
  ])
)

const balance = Command.make("balance", ofAccount, (input) =>
  showRecord(requestOf(input, "/balances", { cached: input.cached }))
).pipe(Command.withDescription("Show the latest balance"))

const transactions = Command.make(
  "transactions",
  {
    ...ofAccount,
    from,
    to,
    ...paging,
    pending: either("pending", "Only pending transactions, or only booked ones"),
    type: text("type", "<type>", "Only this type"),
    category: text("category", "<category>", "Only this category"),
    search: text("search", "<text>", "Text in the description or the merchant's name"),
    minAmount: text("min-amount", "<amount>", "Lowest amount"),
    maxAmount: text("max-amount", "<amount>", "Highest amount"),
    state: choice("state", recordStates, "removed: no longer at the bank; deleted: by a person (default live)")
  },
  ({ account: accountId, bank: bankId, search, ...query }) =>
    showList(
      requestOf({ account: accountId, bank: bankId }, "/transactions", { ...query, q: search }),
      "transactions",
      ["date", "description", "amount", "currency", "category", "pending"]
    )
).pipe(
  Command.withDescription("List transactions, newest first"),
  Command.withExamples([
    {
      command: "millrace accounts transactions --bank bank_01 --account acct_01 --from 2026-01-01 --all -o csv",
      description: "Everything since January as CSV"
    }
  ])
)

const trades = Command.make(
  "trades",
  { ...ofAccount, from, to, ...paging },
  ({ account: accountId, bank: bankId, ...query }) =>
    showList(requestOf({ account: accountId, bank: bankId }, "/trades", query), "trades", [
      "date",
      "type",
      "ticker",
      "securityName",
      "quantity",
      "price",
      "amount",
      "currency"
    ])
).pipe(Command.withDescription("List trades"))

const holdings = Command.make("holdings", ofAccount, ({ account: accountId, bank: bankId, ...query }) =>
  showList(requestOf({ account: accountId, bank: bankId }, "/holdings", query), "holdings", [
    "ticker",
    "securityName",
    "quantity",
    "currentPrice",
    "currentValue",
    "costBasis",
    "currency",
    "asOf"
  ])
).pipe(Command.withDescription("List investment holdings"))

const orders = Command.make("orders", ofAccount, ({ account: accountId, bank: bankId, ...query }) =>
  showList(requestOf({ account: accountId, bank: bankId }, "/orders", query), "orders", [
    "date",
    "status",
    "action",
    "security",
    "orderType",
    "totalQuantity",
    "limitPrice",
    "currency"
  ])
).pipe(Command.withDescription("List open orders"))

const loan = Command.make("loan", ofAccount, ({ account: accountId, bank: bankId, ...query }) =>
  showRecord(requestOf({ account: accountId, bank: bankId }, "/loan", query))
).pipe(Command.withDescription("Show loan details"))

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Accounts and their data"),
  Command.withSubcommands([
    list,
    get,
    update,
    balance,
    transactions,
    deleteTransaction,
    restoreTransaction,
    matches,
    suggestions,
    joins,
    join,
    part,
    trades,
    holdings,
    orders,
    loan
  ])
)
