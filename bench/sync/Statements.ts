/**
 * Providers whose upstream is generated, one account a page: a set of statement files that each pull reads anew,
 * or records that were read before, for what is measured without the reading.
 */
import { readStatement } from "@millrace/adapters/statement"
import { type ObservedAccount, ProtocolViolation, type ProviderDriver, type SyncPage } from "@millrace/core/provider"
import { Currency, Decimal } from "@millrace/core"
import type { StatementRow } from "@millrace/core/upload"
import { plainCapabilities } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type GeneratedAccount, toOfx } from "../generate.ts"

export const instanceId = "demo:statements"

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

export interface Upstream {
  readonly driver: ProviderDriver
  /** From now on it holds these rows, of the same accounts. */
  readonly show: (accounts: ReadonlyArray<GeneratedAccount>) => void
}

type Upserted = SyncPage["upserted"]

const upstream = (
  accounts: ReadonlyArray<GeneratedAccount>,
  name: string,
  read: (account: GeneratedAccount) => Effect.Effect<Upserted, ProtocolViolation>
): Upstream => {
  let reads = accounts.map(read)

  const page = Effect.fnUntraced(function* (at: number) {
    const more = at + 1 < reads.length
    return {
      upserted: yield* reads[at]!,
      removed: [],
      quarantined: [],
      coverage: { kind: "full", complete: !more },
      end: more ? { kind: "more", position: String(at + 1) } : { kind: "done" }
    } satisfies SyncPage
  })

  const driver: ProviderDriver = {
    kind: "demo",
    instanceId,
    name,
    countryCodes: [],
    capabilities: {
      ...plainCapabilities,
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
      freshnessSeconds: 300
    },
    listInstitutions: () => Effect.succeed([]),
    beginConnect: () => Effect.die("not connected by a person"),
    completeConnect: () =>
      Effect.succeed({
        connection: { ref: "statements", secrets: {} },
        institution: { id: "statements", name, countryCodes: [], status: "ok" },
        bankType: "bank"
      }),
    open: () =>
      Effect.succeed({
        inspect: Effect.succeed({ status: "connected" }),
        listAccounts: Effect.succeed(accounts.map(accountOf)),
        pull: ({ position }) => page(Number(position ?? "0")),
        revoke: Effect.succeed("done")
      })
  }
  return {
    driver,
    show: (now) => {
      reads = now.map(read)
    }
  }
}

const readFile = (account: GeneratedAccount) => {
  const { number } = account
  const bytes = new TextEncoder().encode(toOfx([account]))
  return Effect.suspend((): Effect.Effect<Upserted, ProtocolViolation> => {
    const read = readStatement(bytes, { fileName: `${number}.ofx`, baseCurrency: usd })
    return Result.isFailure(read)
      ? Effect.fail(new ProtocolViolation({ message: read.failure.message, path: number }))
      : Effect.succeed(read.success.accounts.flatMap(({ rows }) => rows.map((row) => recordOf(number, row))))
  })
}

/** Each pull reads the statement files. */
export const ofFiles = (accounts: ReadonlyArray<GeneratedAccount>): Upstream =>
  upstream(accounts, "Statement files", readFile)

/** The same records, read once and held. */
export const ofRecords = (accounts: ReadonlyArray<GeneratedAccount>): Upstream =>
  upstream(accounts, "Statements that were read", (account) => {
    const records = Effect.runSync(readFile(account))
    return Effect.succeed(records)
  })
