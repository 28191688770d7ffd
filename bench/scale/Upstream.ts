/**
 * A provider whose connections are as large as their names say. Each row is worked out when its page is asked for, so
 * that the memory of the server is the server's own.
 */
import { CalendarDate, Currency, Decimal } from "@millrace/core"
import { InvalidConnectPayload, type ObservedRecord, type ProviderDriver } from "@millrace/core/provider"
import { plainCapabilities } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import { decimalText } from "../generate.ts"

export const instanceId = "demo:scale"

/** What a connection has, by its name: `name/rows/accounts`. */
export const connectionOf = (name: string, rows: number, accounts: number): string => `${name}/${rows}/${accounts}`

const shapeOf = (ref: string) => {
  const [, rows, accounts] = ref.split("/")
  return { rows: Number(rows), accounts: Number(accounts) }
}

/** Every how many-th row is another one after a correction: one percent. */
const correctedEvery = 100
/** Rows of a page. */
const pageRows = 1_000

const chf = Currency.make("CHF")
const firstDay = CalendarDate.toEpochDay(CalendarDate.make("2022-01-01"))
const dates = Array.from({ length: 1_500 }, (_, n) => CalendarDate.fromEpochDay(firstDay + n))
const payees = [
  "MIGROS M-#### ZURICH",
  "COOP-#### BERN",
  "SQ *BLUE BOTTLE #### OAKLAND CA",
  "SHELL OIL #### & SHOP",
  "AMZN Mktp DE*##A##B##",
  "NETFLIX.COM ####",
  "Stadtwerke München GmbH ####",
  "ATM WITHDRAWAL ####",
  "Transfer to savings ####",
  "PAYPAL *CAFÉ LÜTZOW ####"
] as const

/** 32 bits of a number that look like chance. */
const mixed = (n: number): number => {
  let t = Math.imul(n ^ (n >>> 15), 0x2c1b3c6d)
  t = Math.imul(t ^ (t >>> 12), 0x297a2d39)
  return (t ^ (t >>> 15)) >>> 0
}

/** How many of the corrections concern a row: each another one in a hundred, and what it wrote stays. */
const correctedTimes = (at: number, corrections: number): number => {
  const turn = at % correctedEvery
  return Math.floor((corrections + correctedEvery - turn) / correctedEvery) - (turn === 0 ? 1 : 0)
}

const rowOf = (account: number, at: number, count: number, corrections: number): ObservedRecord => {
  const chance = mixed(account * 1_000_003 + at)
  let digits = chance
  const description = payees[chance % payees.length]!.replaceAll("#", () => {
    digits = mixed(digits)
    return String(digits % 10)
  })
  const corrected = correctedTimes(at, corrections)
  return {
    providerAccountId: String(account),
    providerId: `${account}-${at}`,
    pending: false,
    fields: {
      date: dates[Math.floor((at / count) * dates.length)]!,
      description: corrected > 0 ? `${description} corrected ${corrected}` : description,
      originalDescription: description,
      amount: Decimal.make(decimalText(-(100 + (mixed(chance) % 24_000)))),
      currency: chf,
      type: "CARD",
      reference: ""
    }
  }
}

export interface Upstream {
  readonly driver: ProviderDriver
  /** From now on one row in a hundred of all connections is another than before. */
  readonly correct: () => void
}

export const upstream = (): Upstream => {
  let corrections = 0
  const driver: ProviderDriver = {
    kind: "demo",
    instanceId,
    name: "Banks of any size",
    countryCodes: [],
    capabilities: {
      ...plainCapabilities,
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
    completeConnect: ({ payload }) =>
      payload.kind === "provider_connection_id"
        ? Effect.succeed({
            connection: { ref: payload.connectionId, secrets: {} },
            institution: { id: "scale", name: "Bank of any size", countryCodes: [], status: "ok" },
            bankType: "bank"
          })
        : new InvalidConnectPayload({ message: "connectionId says how large it is" }),
    open: ({ connection: { ref } }) =>
      Effect.succeed({
        inspect: Effect.succeed({ status: "connected" }),
        listAccounts: Effect.sync(() =>
          Array.from({ length: shapeOf(ref).accounts }, (_, account) => ({
            providerAccountId: String(account),
            stableKeys: [`${ref}#${account}`],
            number: String(account).padStart(8, "0"),
            name: `Account ${account}`,
            type: "checking",
            currency: chf,
            balance: Decimal.zero,
            supports: ["transactions"]
          }))
        ),
        pull: ({ position = "0 0" }) =>
          Effect.sync(() => {
            const { accounts, rows } = shapeOf(ref)
            const [account, from] = position.split(" ").map(Number) as [number, number]
            const count = Math.floor(rows / accounts)
            const to = Math.min(from + pageRows, count)
            const next = to < count ? `${account} ${to}` : account + 1 < accounts ? `${account + 1} 0` : undefined
            return {
              upserted: Array.from({ length: to - from }, (_, n) => rowOf(account, from + n, count, corrections)),
              removed: [],
              quarantined: [],
              coverage: { kind: "full", complete: next === undefined },
              end: next === undefined ? { kind: "done" } : { kind: "more", position: next }
            }
          }),
        revoke: Effect.succeed("done")
      })
  }
  return { driver, correct: () => void corrections++ }
}
