/** A provider whose upstream is generated, one account a page: a set of statement files that each pull reads again. */
import { readStatement } from "@millrace/adapters/statement"
import { type ObservedAccount, ProtocolViolation, type ProviderDriver, type SyncPage } from "@millrace/core/provider"
import { Currency, Decimal } from "@millrace/core"
import type { StatementRow } from "@millrace/core/upload"
import { plainCapabilities } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { StatementFile } from "./StatementFile.ts"

export const instanceId = "demo:statements"

const usd = Currency.make("USD")

const accountOf = ({ currency, number }: StatementFile): ObservedAccount => ({
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
  /** From now on it has these files, of the same accounts. */
  readonly show: (files: ReadonlyArray<StatementFile>) => void
}

type Upserted = SyncPage["upserted"]

const readFile = ({ bytes, number }: StatementFile) =>
  Effect.suspend((): Effect.Effect<Upserted, ProtocolViolation> => {
    const read = readStatement(bytes, { fileName: `${number}.ofx`, baseCurrency: usd })
    return Result.isFailure(read)
      ? Effect.fail(new ProtocolViolation({ message: read.failure.message, path: number }))
      : Effect.succeed(read.success.accounts.flatMap(({ rows }) => rows.map((row) => recordOf(number, row))))
  })

const name = "Statement files"

/** Each pull reads the statement files. */
export const ofFiles = (files: ReadonlyArray<StatementFile>): Upstream => {
  const listed = files.map(accountOf)
  let reads = files.map(readFile)

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
        listAccounts: Effect.succeed(listed),
        pull: ({ position }) => page(Number(position ?? "0")),
        revoke: Effect.succeed("done")
      })
  }
  return {
    driver,
    show: (now) => {
      reads = now.map(readFile)
    }
  }
}
