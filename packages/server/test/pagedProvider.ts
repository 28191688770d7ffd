/**
 * A provider of as many slow pages as the connection says, which writes down every page that it is asked for,
 * so that a test sees which process fetched what.
 */
import { appendFileSync, readFileSync } from "node:fs"
import { InvalidConnectPayload, type ProviderDriver, RateLimited } from "@millrace/core/provider"
import { CalendarDate, Currency, Decimal } from "@millrace/core"
import { plainCapabilities } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"

export interface Fetched {
  readonly pid: number
  readonly name: string
  readonly page: number
}

export interface Bank {
  readonly name: string
  readonly pages: number
  /** Milliseconds that a page takes. */
  readonly millis: number
  /** Seconds for which its first page asks to wait, once. */
  readonly refuses?: number
}

export const refOf = (bank: Bank): string => JSON.stringify(bank)

const rowsOfPage = 5
const day = CalendarDate.make("2026-11-20")

export const readLog = (path: string): ReadonlyArray<Fetched> =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Fetched)

export const makePagedProvider = (log: string): ProviderDriver => ({
  kind: "demo",
  instanceId: "demo:paged",
  name: "Paged",
  countryCodes: [],
  capabilities: {
    ...plainCapabilities,
    dataTypes: {
      transactions: { changeModel: "delta", scope: "connection", idTrust: "stable", historyDays: 90, overlapDays: 0 }
    }
  },
  listInstitutions: () => Effect.succeed([]),
  beginConnect: () => new InvalidConnectPayload({ message: "not here" }),
  completeConnect: ({ payload }) =>
    payload.kind === "provider_connection_id"
      ? Effect.succeed({
          connection: { ref: payload.connectionId, secrets: {} },
          // Banks of one institution with equal accounts are one bank.
          institution: { id: payload.connectionId, name: "Paged", countryCodes: [], status: "ok" },
          bankType: "bank"
        })
      : new InvalidConnectPayload({ message: "not this" }),
  open: ({ connection }) =>
    Effect.succeed({
      inspect: Effect.succeed({ status: "connected" }),
      listAccounts: Effect.succeed([
        {
          providerAccountId: "a",
          stableKeys: ["a"],
          number: "0001",
          name: "Lamp",
          type: "checking",
          currency: Currency.make("EUR"),
          balance: Decimal.make("1"),
          supports: ["transactions"]
        }
      ]),
      pull: (request) =>
        Effect.gen(function* () {
          const bank = JSON.parse(connection.ref) as Bank
          const page = request.position === undefined ? 0 : Number(request.position)
          if (request.checkpoint !== undefined) {
            return {
              upserted: [],
              removed: [],
              quarantined: [],
              coverage: { kind: "delta" },
              end: { kind: "done", checkpoint: request.checkpoint }
            } as const
          }
          const first = !readLog(log).some((fetched) => fetched.name === bank.name)
          const fetched: Fetched = { pid: process.pid, name: bank.name, page }
          appendFileSync(log, `${JSON.stringify(fetched)}\n`)
          if (bank.refuses !== undefined && first) {
            return yield* new RateLimited({ message: "Slower", scope: "client", retryAfter: bank.refuses })
          }
          yield* Effect.sleep(bank.millis)
          return {
            upserted: Array.from({ length: rowsOfPage }, (_, n) => ({
              providerAccountId: "a",
              providerId: `${page}-${n}`,
              pending: false,
              fields: {
                date: day,
                amount: "-1.5",
                currency: "EUR",
                description: `Page ${page}, row ${n}`,
                originalDescription: "paged"
              }
            })),
            removed: [],
            quarantined: [],
            coverage: { kind: "delta" },
            end:
              page + 1 < bank.pages
                ? { kind: "more", position: String(page + 1) }
                : { kind: "done", checkpoint: `end of ${bank.name}` }
          } as const
        }),
      revoke: Effect.succeed("done")
    })
})
