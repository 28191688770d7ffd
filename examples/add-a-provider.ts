/**
 * A provider of your own, over HTTP: one file.
 *
 * Its default export is an extension, so the bundled server runs it by its configuration file alone:
 *
 *     { "modules": ["./add-a-provider.ts"],
 *       "providers": [{ "id": "listbank:main", "config": { "url": "https://...", "token": { "env": "LISTBANK_TOKEN" } } }] }
 *
 * A program that embeds the kernel gives the driver to `Adapters.layer`, as `run-a-provider.ts` does. What a driver must promise is
 * in `@millrace/core/provider`; `upstreamSuite` of `@millrace/testing/suite/provider` checks it, with a stand-in for the upstream
 * (`test/ListUpstream.ts`), and `test/add-a-provider.test.ts` runs it. Run the example with
 * `node --conditions=@millrace/source examples/add-a-provider.ts`.
 */
import { CalendarDate, Currency, Decimal } from "@millrace/core"
import { extension } from "@millrace/core/extension"
import {
  type JsonClient,
  makeJsonClient,
  type Connection,
  ConnectionGone,
  InvalidConnectPayload,
  MutationDuringPagination,
  type ObservedRecord,
  type ProviderDriver,
  type ProviderFactory,
  readAccounts,
  readRecords,
  remembered,
  Secret,
  Unsupported
} from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/** What an instance is configured with. A secret is never written into the file: it names an environment variable. */
const Config = Schema.Struct({ url: Schema.String, token: Secret })

/** The form of the upstream's answer. Amounts keep all the digits that were sent. */
const Row = Schema.Struct({
  id: Schema.String,
  date: CalendarDate.CalendarDate,
  // A row needs an amount and a day: without its text, or with one of another form, it is a row all the same.
  text: Schema.optionalKey(Schema.Unknown),
  amount: Decimal.DecimalNumber
})
const BankAccount = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  currency: Currency.Currency,
  balance: Decimal.DecimalNumber,
  historyFrom: CalendarDate.CalendarDate,
  // Decoded one by one: a row that cannot be read keeps no other from being read.
  rows: Schema.Array(Schema.Unknown)
})
// Accounts as well: one that cannot be read keeps no other from being read.
const Answer = Schema.Struct({ accounts: Schema.Array(Schema.Unknown) })

/** What a person is given to connect with: the name of their list. It becomes a part of an address. */
const listName = /^[\w-]{1,64}$/

const toRecord = (account: typeof BankAccount.Type, row: typeof Row.Type): ObservedRecord => {
  const spent = Decimal.isNegative(row.amount)
  const text = typeof row.text === "string" ? row.text : ""
  return {
    providerAccountId: account.id,
    providerId: row.id,
    pending: false,
    fields: {
      date: row.date,
      description: text,
      originalDescription: text,
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

const makeDriver = (instanceId: string, { token, url }: typeof Config.Type, client: JsonClient): ProviderDriver => {
  /** An answer of another form is an error, never an empty list. */
  const accountsOf = ({ ref }: Pick<Connection, "ref">) =>
    client
      .ask(Answer, {
        url: `${url}/lists/${ref}`,
        headers: { authorization: Redacted.make(`Bearer ${Redacted.value(token)}`) },
        counts: { connection: ref }
      })
      .pipe(
        Effect.map(({ accounts }) => readAccounts(accounts, BankAccount, { id: ["id"], name: ["name"] })),
        // What a status means that is the upstream's own.
        Effect.catchIf(
          (error) => error.providerCode === "404",
          () => new ConnectionGone({ message: "There is no such list" })
        )
      )

  return {
    kind: "listbank",
    instanceId,
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
          overlapDays: 10,
          // Nothing tells of corrections of older rows: once a week all of them are read again.
          wholeEveryDays: 7
        }
      },
      history: { defaultDays: 3_650, maxDays: 3_650 },
      pendingModel: "absent",
      reconnectKeepsIds: true,
      removal: "local",
      freshnessSeconds: 300,
      webhooks: false,
      // Each request waits for its place under every limit that counts it, by what it says in `counts`.
      limits: [
        { name: "client", requests: 600, seconds: 60, per: "instance" },
        { name: "connection", requests: 120, seconds: 60, per: "connection" }
      ]
    },
    listInstitutions: () => Effect.succeed([]),
    beginConnect: () => new Unsupported({ message: "The list is connected by its token", dataType: "connect" }),
    completeConnect: Effect.fnUntraced(function* ({ payload }) {
      const ref = payload.kind === "provider_connection_id" ? payload.connectionId : ""
      const unknown = new InvalidConnectPayload({ message: "connectionId is the name of no list" })
      if (!listName.test(ref)) return yield* unknown
      // What a person types is believed when the upstream knows it.
      yield* Effect.catchTag(accountsOf({ ref }), "ConnectionGone", () => unknown)
      return {
        connection: { ref, secrets: {} },
        institution: { id: "list", name: "Bank of the List", countryCodes: ["DE"], status: "ok" },
        bankType: "bank"
      }
    }),
    open: ({ connection }) => {
      // One answer serves all that a run asks for.
      const asked = remembered(accountsOf(connection))
      return Effect.succeed({
        inspect: Effect.as(asked, { status: "connected" }),
        listAccounts: Effect.map(asked, ({ accounts }) =>
          accounts.map(({ balance, currency, id, name }) => ({
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
        ),
        // They are doubtful: their rows stay, and people learn which field is odd.
        unreadAccounts: Effect.map(asked, ({ unread }) => unread),
        pull: Effect.fnUntraced(function* ({ dataType, from, position, providerAccountIds, to }) {
          const accounts = (yield* asked).accounts.filter(({ id }) => providerAccountIds.includes(id))
          if (dataType !== "transactions") {
            return yield* new Unsupported({ message: `The list has no ${dataType}`, dataType })
          }
          // All rows are on the first page, so there is no place to go on from.
          if (position !== undefined) return yield* new MutationDuringPagination({ message: "There is only one page" })
          const read = accounts.map((account) =>
            readRecords(account.rows, Row, "id", (row) =>
              row.date >= from && row.date <= to ? toRecord(account, row) : undefined
            )
          )
          return {
            upserted: read.flatMap(({ upserted }) => upserted),
            removed: [],
            // Each with its id and the reason: people learn it, and a row that is known stays.
            quarantined: read.flatMap(({ quarantined }) => quarantined),
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
        revoke: Effect.succeed("done")
      })
    }
  }
}

/** The kind: how an instance is configured, and how its driver is made. */
export const listbank: ProviderFactory<typeof Config.Type> = {
  kind: "listbank",
  label: "List bank",
  Config,
  make: ({ config, instanceId }) =>
    Effect.map(makeJsonClient("The list"), (client) => makeDriver(instanceId, config, client))
}

export default extension({ providers: [listbank] })
