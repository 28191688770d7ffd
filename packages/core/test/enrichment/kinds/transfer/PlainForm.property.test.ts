/**
 * What transfer_match says beside a plain statement of the specification (`PlainTransfers`) that shares nothing with it but types:
 * every pair with each of its parts, the highest sum of every component, margins, confidences and states.
 * `MILLRACE_LONG=1` plays three hundred worlds.
 */
import { it } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect } from "vitest"
import type { SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import { TransferConfig } from "../../../../src/enrichment/kinds/transfer/TransferConfig.ts"
import type { TransferEvidence } from "../../../../src/enrichment/kinds/transfer/TransferEvidence.ts"
import type { TransferState } from "../../../../src/enrichment/kinds/transfer/TransferState.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import * as Currency from "../../../../src/shared/Currency.ts"
import * as Decimal from "../../../../src/shared/Decimal.ts"
import { rateTable } from "../../../../src/shared/RateTable.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import { account, leg } from "./Legs.ts"
import { type PlainLedger, type PlainPair, plainPairs, type PlainSigns } from "./PlainPairs.ts"
import { plainAssignment, plainComponents, plainLink, plainMargin } from "./PlainTransfers.ts"
import { fact, worldOf } from "./TransferWorld.ts"

const rounds = process.env["MILLRACE_LONG"] === "1" ? 300 : 20

const accounts = [
  account(1, "Everyday", "checking"),
  account(2, "Saver", "savings"),
  account(3, "Platinum Card", "credit_card"),
  account(4, "Travel", "checking", "USD"),
  account(5, "Mirror", "checking"),
  account(6, "Hidden", "savings")
]
const [everyday, saver] = accounts as [(typeof accounts)[0], (typeof accounts)[0]]
const today = CalendarDate.make("2026-02-10")
const first = CalendarDate.make("2025-06-20")
const days = 235
const [euro, dollar] = [Currency.make("EUR"), Currency.make("USD")]
/** Of the day that many days after the first: both can be divided without a rest. */
const dollarsOn = (day: number): number => (day % 3 === 0 ? 1.25 : 1.28)
const rates = rateTable(
  "1",
  euro,
  Array.from({ length: days + 20 }, (_, n) => ({
    date: CalendarDate.addDays(first, n - 10),
    quotes: new Map([[dollar, Decimal.make(String(dollarsOn(n - 10)))]])
  }))
)

/** Texts, and what a person reads in them. */
const texts: ReadonlyArray<readonly [text: string, signs: PlainSigns]> = [
  ["TRANSFER TO SAVER", { transfer: true, names: [saver.accountId] }],
  ["TRANSFER FROM EVERYDAY", { transfer: true, names: [everyday.accountId] }],
  ["TRANSFER TO JOHN MILLER", { transfer: true, party: "john miller" }],
  ["FROM JOHN MILLER", { party: "john miller" }],
  ["CARD PURCHASE KIOSK", { purchase: true }],
  ["DEPOSIT", {}],
  ["SALARY", { earning: true }],
  ["REFUND KIOSK", { refund: true }],
  ["ONLINE TRANSFER", { transfer: true }],
  ["MISC", {}],
  ["", {}]
]
const signsBy = new Map(texts)
const amounts = ["100", "60", "40", "250.5", "1240", "19.99", "103", "97", "112", "125", "160", "77.13"]

const randomRecord = (random: Seeded, n: number): SetRecord => {
  const day = random.once(2) ? random.below(days) : 30 * random.below(7) + random.below(5)
  return leg(
    `r${String(n).padStart(4, "0")}`,
    random.pick(accounts),
    CalendarDate.addDays(first, day),
    `${random.once(2) ? "-" : ""}${random.once(3) ? `${1 + random.below(400)}.${10 + random.below(80)}` : random.pick(amounts)}`,
    random.pick(texts)[0],
    {
      ...(random.once(8) ? { pending: true } : {}),
      ...(random.once(5) ? { reference: `REF${100_000 + random.below(12)}` } : {}),
      ...(random.once(6) ? { category: random.pick(["TRANSFER_OUT", "TRAVEL", "UNCATEGORIZED", "Mine"]) } : {})
    }
  )
}

/** Something of one is booked on another account as well, a few days later, whole or in part. */
const otherSide = (random: Seeded, { fields, recordId }: SetRecord): SetRecord => {
  const amount = Number(fields["amount"])
  const short = amount > 0 || random.once(2) ? 0 : random.pick([0.5, 1.25, 2])
  return leg(
    `${recordId}x`,
    random.pick(accounts),
    CalendarDate.addDays(fields["date"] as CalendarDate.CalendarDate, amount < 0 ? random.below(5) : -random.below(5)),
    String(Math.round(-100 * (amount + (Math.abs(amount) > 10 ? short : 0))) / 100),
    random.pick(texts)[0],
    fields["reference"] === undefined ? {} : { reference: fields["reference"] }
  )
}

const configs: ReadonlyArray<object> = [
  {},
  { mirrorAccountIds: [accounts[4]!.accountId], excludeAccountIds: [accounts[5]!.accountId] },
  { windowDays: { before: 5, after: 30 }, includePending: false },
  { suggestConfidence: 0.5, fee: { percent: 10, amount: "5" }, fx: { over: 10, under: 10 } },
  { autoConfidence: 0.8 }
]

/** Each with the next. */
const couples = (ids: ReadonlyArray<string>) =>
  ids.flatMap((id, n) => (n % 2 === 0 ? [[id, ids[n + 1]!] as const] : []))

const keyOf = (out: string, into: string): string => `${out} > ${into}`
const sumOf = (pairs: ReadonlyArray<{ readonly score: number }>): number =>
  pairs.reduce((sum, { score }) => sum + score, 0)
/** Up to so many pairs of a component all margins are found by assigning it again. */
const exactMargins = 60

describe("transfers beside a plain statement of what they are", () => {
  it.effect("are the same pairs, scores, sums, margins, confidences and states", () => {
    const seen = { pairs: 0, fees: 0, fx: 0, chosen: 0, contested: 0, margins: 0, auto: 0, references: 0 }
    return Effect.forEach(
      Array.from({ length: rounds }, (_, seed) => seed),
      Effect.fnUntraced(function* (seed) {
        const random = new Seeded(seed)
        const config = Result.getOrThrow(decode(TransferConfig, { ...configs[seed % configs.length]!, learn: false }))
        const one = Array.from({ length: 40 + random.below(100) }, (_, n) => randomRecord(random, n))
        const records = [...one, ...one.flatMap((record) => (random.once(3) ? [otherSide(random, record)] : []))]
        const shuffled = records.map(({ recordId }) => recordId).toSorted(() => random.below(3) - 1)
        const [linked, parted] = [shuffled.slice(0, 4), shuffled.slice(4, 16)]
        // Of a link with a record that is looked at by nobody, the other one is free.
        const isLookedAt = (id: string): boolean => {
          const { accountId, fields } = records.find(({ recordId }) => recordId === id)!
          return !config.excludeAccountIds.includes(accountId) && (config.includePending || fields["pending"] !== true)
        }
        const usable = couples(linked).filter((ids) => ids.every(isLookedAt))
        const world = worldOf({
          accounts,
          today,
          rates,
          config: { ...configs[seed % configs.length]!, learn: false },
          facts: [
            ...usable.map(([a, b]) => fact("confirm", a, b)),
            ...couples(parted).map(([a, b]) => fact("forbid", a, b))
          ]
        })
        world.put(...records)
        yield* world.plan()

        const ledger: PlainLedger = {
          accounts,
          records,
          config,
          baseCurrency: euro,
          signsOf: (text) => signsBy.get(text)!,
          rate: (from, to, date) => {
            const worth = dollarsOn(CalendarDate.daysBetween(first, date as CalendarDate.CalendarDate))
            return from === to ? 1 : from === euro && to === dollar ? worth : 1 / worth
          },
          apart: new Set(couples(parted).map(([a, b]) => `${a} ${b}`)),
          aside: new Set(usable.flat())
        }
        const plain = plainPairs(ledger)
        const byKey = new Map(plain.map((pair) => [keyOf(pair.out, pair.in), pair]))

        // Every pair, part by part.
        const books = world.said.flatMap(([, { state }]) => {
          const { book } = state as TransferState
          return book === undefined ? [] : [book]
        })
        const found = new Map(
          books
            .flatMap(({ pairs }) => pairs)
            .map(({ in: into, out, parts: { pair, ...parts }, score }) => {
              // Nothing was learnt.
              expect(pair).toBe(0)
              return [keyOf(out.recordId, into.recordId), { parts, score }]
            })
        )
        expect(found, `seed ${seed}`).toEqual(
          new Map([...byKey].map(([key, { parts, score }]) => [key, { parts, score }]))
        )
        seen.pairs += plain.length
        seen.references += plain.filter(({ parts }) => parts.reference > 0).length
        seen.fees += books.flatMap(({ pairs }) => pairs.filter(({ band }) => band === "fee")).length
        seen.fx += books.flatMap(({ pairs }) => pairs.filter(({ band }) => band === "fx")).length

        // One to one, and no choice has a higher sum.
        const chosen = new Map(
          books
            .flatMap((book) => book.chosen)
            .map((each) => [keyOf(each.pair.out.recordId, each.pair.in.recordId), each])
        )
        const taken = [...chosen.values()].flatMap(({ pair }) => [pair.out.recordId, pair.in.recordId])
        expect(new Set(taken).size, `seed ${seed}`).toBe(taken.length)
        const links = new Map<string, readonly [state: string, confidence: number]>()
        for (const component of plainComponents(plain)) {
          const total = sumOf(plainAssignment(component))
          const own = component.filter((pair: PlainPair) => chosen.has(keyOf(pair.out, pair.in)))
          expect(sumOf(own), `seed ${seed}`).toBe(total)
          seen.chosen += own.length
          if (component.length > 1) seen.contested++
          for (const pair of own) {
            const key = keyOf(pair.out, pair.in)
            const { margin } = chosen.get(key)!
            if (component.length <= exactMargins) {
              seen.margins++
              expect(margin, `seed ${seed}: ${key}`).toBe(plainMargin(component, total, pair))
            }
            const link = plainLink(pair, margin, config)
            if (link !== undefined) links.set(key, [link.state, link.confidence])
          }
        }
        expect(
          sumOf(
            plainComponents(plain)
              .flat()
              .filter((pair) => chosen.has(keyOf(pair.out, pair.in)))
          )
        ).toBe(sumOf([...chosen.values()].map(({ pair }) => pair)))

        // What is said of them.
        const claims = world.said.flatMap(([, plan]) => plan.claims)
        const said = new Map(
          world.said
            .flatMap(([, plan]) => plan.links)
            .filter(({ members, state }) => members.length === 2 && state !== "confirmed" && state !== "broken")
            .map(({ evidence, members, state }) => {
              const proof = (evidence as TransferEvidence).proof!
              const confidence = claims.find(
                ({ field, recordId }) => field === "transfer.confidence" && recordId === members[0]!.recordId
              )!
              return [
                keyOf(proof.pair.out.recordId, proof.pair.in.recordId),
                [state, Math.round(Number(confidence.value) * 10_000)] as const
              ]
            })
        )
        expect(said, `seed ${seed}`).toEqual(links)
        seen.auto += [...links.values()].filter(([state]) => state === "auto").length
      }),
      { discard: true }
    ).pipe(
      // Worlds without any of these would show nothing.
      Effect.tap(() => Effect.sync(() => expect(Object.entries(seen).filter(([, count]) => count < 3)).toEqual([])))
    )
  })
})
