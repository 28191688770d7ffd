/** A provider whose upstream is a set of statement files: each pull reads them anew, one account a page. */
import { readStatement } from "@millrace/adapters/statement/StatementReader"
import type { ObservedAccount, ProviderDriver, SyncPage } from "@millrace/core/provider/Provider"
import { ProtocolViolation } from "@millrace/core/provider/ProviderError"
import * as Currency from "@millrace/core/shared/Currency"
import * as Decimal from "@millrace/core/shared/Decimal"
import type { StatementRow } from "@millrace/core/upload/Statement"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type GeneratedAccount, toOfx } from "../generate.ts"

const usd = Currency.make("USD")

const accountOf = ({ currency, number }: GeneratedAccount): ObservedAccount => ({
  providerAccountId: number,
  stableKeys: [number],
  number,
  name: `Account ${number}`,
  type: "checking",
  currency: Currency.make(currency),
  balance: Decimal.zero,
  supports: ["transactions"]
})

const recordOf = (providerAccountId: string, row: StatementRow) => ({
  providerAccountId,
  providerId: row.providerId,
  pending: row.pending,
  fields: {
    date: row.date,
    description: row.description,
    originalDescription: row.originalDescription,
    amount: row.amount,
    currency: row.currency,
    type: row.type,
    reference: row.reference
  }
})

export const make = (accounts: ReadonlyArray<GeneratedAccount>): ProviderDriver => {
  const files = accounts.map((account) => ({
    number: account.number,
    bytes: new TextEncoder().encode(toOfx([account]))
  }))

  const page = Effect.fnUntraced(function* (at: number) {
    const file = files[at]!
    const read = readStatement(file.bytes, { fileName: `${file.number}.ofx`, baseCurrency: usd })
    if (Result.isFailure(read)) {
      return yield* new ProtocolViolation({ message: read.failure.message, path: file.number })
    }
    const more = at + 1 < files.length
    return {
      upserted: read.success.accounts.flatMap(({ rows }) => rows.map((row) => recordOf(file.number, row))),
      removed: [],
      quarantined: [],
      coverage: { kind: "full", complete: !more },
      end: more ? { kind: "more", position: String(at + 1) } : { kind: "done" }
    } satisfies SyncPage
  })

  return {
    kind: "demo",
    instanceId: "demo:statements",
    name: "Statement files",
    countryCodes: [],
    capabilities: {
      connectFlow: "file",
      dataTypes: {
        transactions: {
          changeModel: "snapshotFull",
          scope: "connection",
          idTrust: "stable",
          historyDays: 3_650,
          overlapDays: 0
        }
      },
      removal: "local",
      freshnessSeconds: 300,
      webhooks: false
    },
    listInstitutions: () => Effect.succeed([]),
    beginConnect: () => Effect.die("not connected by a person"),
    completeConnect: () =>
      Effect.succeed({
        connection: { ref: "statements", secrets: {} },
        institution: { id: "statements", name: "Statements", countryCodes: [], status: "ok" },
        bankType: "bank"
      }),
    inspect: () => Effect.succeed({ status: "connected" }),
    listAccounts: () => Effect.succeed(accounts.map(accountOf)),
    pull: (_, { position }) => page(Number(position ?? "0")),
    revoke: () => Effect.succeed("done")
  }
}
