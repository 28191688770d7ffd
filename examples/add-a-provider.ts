/**
 * A provider of your own: one driver, one line where the kernel is put together.
 *
 * The upstream of this one is a document; a real one is asked over the network, and its answers are translated
 * like this. What a driver must promise is in `@millrace/core/provider`; the suite in
 * `@millrace/testing/suite/provider` checks it, and `test/add-a-provider.test.ts` runs it against this
 * driver. Run the example with `node --conditions=@millrace/source examples/add-a-provider.ts`.
 */
import {
  type Connection,
  ConnectionGone,
  InvalidConnectPayload,
  MutationDuringPagination,
  type ObservedRecord,
  ProtocolViolation,
  type ProviderDriver,
  type ProviderError,
  Unsupported
} from "@millrace/core/provider"
import { CalendarDate, Currency, Decimal } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { sync } from "./syncOnce.ts"

/** Text from the first moment on, never a float: `"2100.00"` is read as the exact decimal `2100`. */
const Amount = Schema.String.pipe(Schema.decodeTo(Decimal.DecimalNumber))

/** The form of the upstream's answer. */
const Row = Schema.Struct({ id: Schema.String, date: CalendarDate.CalendarDate, text: Schema.String, amount: Amount })
const BankAccount = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  currency: Currency.Currency,
  balance: Amount,
  historyFrom: CalendarDate.CalendarDate,
  rows: Schema.Array(Row)
})
const Answer = Schema.Struct({ accounts: Schema.Array(BankAccount) })

/** The one connection that the upstream knows. */
const ref = "example"

const toRecord = (account: typeof BankAccount.Type, row: typeof Row.Type): ObservedRecord => {
  const spent = Decimal.isNegative(row.amount)
  return {
    providerAccountId: account.id,
    providerId: row.id,
    pending: false,
    fields: {
      date: row.date,
      description: row.text,
      originalDescription: row.text,
      amount: row.amount,
      creditAmount: spent ? Decimal.zero : row.amount,
      debitAmount: spent ? Decimal.negate(row.amount) : Decimal.zero,
      currency: account.currency,
      category: "UNCATEGORIZED",
      type: "OTHER",
      reference: "",
      pending: false
    }
  }
}

/** `ask` reads the document, or tells in a `ProviderError` why it could not. */
export const make = (ask: Effect.Effect<unknown, ProviderError>): ProviderDriver => {
  /** An answer of another form is an error, never an empty list. */
  const accountsOf = Effect.fnUntraced(function* (connection: Connection) {
    if (connection.ref !== ref) return yield* new ConnectionGone({ message: "There is no such connection" })
    const { accounts } = yield* Schema.decodeUnknownEffect(Answer)(yield* ask).pipe(
      Effect.catchTag(
        "SchemaError",
        () => new ProtocolViolation({ message: "The list does not have the agreed form", path: "accounts" })
      )
    )
    return accounts
  })

  return {
    kind: "demo",
    instanceId: "demo:list",
    name: "A list",
    countryCodes: ["DE"],
    capabilities: {
      connectFlow: "token",
      dataTypes: {
        // Every read shows all rows of the days that were asked for; what is not among them any more is gone.
        transactions: {
          changeModel: "snapshotWindow",
          scope: "connection",
          idTrust: "stable",
          historyDays: 3_650,
          overlapDays: 10
        }
      },
      removal: "local",
      freshnessSeconds: 300,
      webhooks: false
    },
    listInstitutions: () => Effect.succeed([]),
    beginConnect: () => new Unsupported({ message: "The list is connected by its token", dataType: "connect" }),
    completeConnect: ({ payload }) =>
      payload.kind === "provider_connection_id" && payload.connectionId === ref
        ? Effect.succeed({
            connection: { ref, secrets: {} },
            institution: { id: "list", name: "Bank of the List", countryCodes: ["DE"], status: "ok" },
            bankType: "bank"
          })
        : new InvalidConnectPayload({ message: `The only connectionId is "${ref}"` }),
    inspect: (connection) => Effect.as(accountsOf(connection), { status: "connected" }),
    listAccounts: Effect.fnUntraced(function* (connection) {
      return (yield* accountsOf(connection)).map(({ balance, currency, id, name }) => ({
        providerAccountId: id,
        stableKeys: [id],
        number: id,
        name,
        type: "checking",
        currency,
        balance,
        // The kernel asks for nothing else; balances come with the accounts.
        supports: ["balances", "transactions"]
      }))
    }),
    pull: Effect.fnUntraced(function* (connection, { dataType, from, position, providerAccountIds, to }) {
      const accounts = (yield* accountsOf(connection)).filter(({ id }) => providerAccountIds.includes(id))
      if (dataType !== "transactions")
        return yield* new Unsupported({ message: `The list has no ${dataType}`, dataType })
      // All rows are on the first page, so there is no place to go on from.
      if (position !== undefined) return yield* new MutationDuringPagination({ message: "There is only one page" })
      return {
        upserted: accounts.flatMap((account) =>
          account.rows.filter(({ date }) => date >= from && date <= to).map((row) => toRecord(account, row))
        ),
        removed: [],
        quarantined: [],
        coverage: {
          kind: "window",
          from,
          to,
          complete: true,
          // The upstream says itself how far back it goes; a driver whose upstream does not leaves this out.
          historyFrom: accounts.map(({ historyFrom, id }) => ({
            providerAccountId: id,
            from: CalendarDate.max(from, historyFrom)
          }))
        },
        end: { kind: "done" }
      }
    }),
    revoke: () => Effect.succeed("done")
  }
}

/** What the upstream of this example shows. */
const list = {
  accounts: [
    {
      id: "DE-0001",
      name: "Main account",
      currency: "EUR",
      balance: "1145.20",
      historyFrom: "2026-01-01",
      rows: [
        { id: "1", date: "2026-01-05", text: "Salary", amount: "2100.00" },
        { id: "2", date: "2026-01-06", text: "Bakery", amount: "-4.80" },
        { id: "3", date: "2026-01-09", text: "Rent", amount: "-950.00" }
      ]
    }
  ]
}

/** Syncs the list into a table and answers the rows. */
export const program = sync([make(Effect.succeed(list))], "demo:list")

if (import.meta.main) {
  const rows = await Effect.runPromise(program)
  for (const { values } of rows) {
    process.stdout.write(`${String(values["date"])} ${String(values["amount"])} ${String(values["description"])}\n`)
  }
}
