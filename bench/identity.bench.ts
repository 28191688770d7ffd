/**
 * Keeping the ledger of an account that is read day by day: errors and edits that were kept, against truth, and how
 * fast rows are matched.
 */
import { identify } from "../packages/core/src/identity/match/Identify.ts"
import { defaultMatchConfig, type HeldDetail, type MatchInput } from "../packages/core/src/identity/match/Matching.ts"
import type { IndexEntry } from "@millrace/core/record"
import { CalendarDate, Decimal, Timestamp } from "@millrace/core"
import type { Observation } from "../packages/core/src/record/Observation.ts"
import { behaviours, type Behaviour } from "@millrace/verification/model/BankView"
import {
  addQuality,
  errorsPerThousand,
  noQuality,
  playHistories,
  type Quality
} from "@millrace/verification/model/IdentityQuality"
import { byIdentity, type Matcher } from "@millrace/verification/model/LedgerReplay"
import { upsertById } from "@millrace/verification/model/UpsertById"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { contender, type Bench } from "./harness/Bench.ts"
import { decimalText, randomOf } from "./generate.ts"
import { customary, merchant } from "./merchants.ts"

const now = Timestamp.make("2026-03-20T12:00:00.000Z")
const today = CalendarDate.make("2026-03-20")

interface World {
  readonly input: MatchInput
  readonly details: ReadonlyMap<string, HeldDetail>
}

const fieldsOf = (date: CalendarDate.CalendarDate, amount: string, text: string) => ({
  date,
  amount,
  currency: "EUR",
  description: text,
  originalDescription: text
})

/** A year of an account without ids, read again whole: as it was, or with every text and many days changed. */
const reread = (rows: number, change: "nothing" | "texts and days"): World => {
  const random = randomOf(5)
  const details = new Map<string, HeldDetail>()
  const held: Array<IndexEntry> = []
  const observations: Array<Observation> = []
  for (let n = 0; n < rows; n++) {
    const date = CalendarDate.addDays(today, -Math.floor((n * 365) / rows))
    const name = merchant(random(customary))
    const amount = Decimal.make(decimalText(-100 - random(20_000)))
    const before = fieldsOf(date, amount, `POS ${name} ${1_000 + n}`)
    const id = `txn_${String(n).padStart(6, "0")}`
    held.push({ id, providerId: "", date, pending: false, state: "live", hash: `${n}`, missed: 0 })
    details.set(id, {
      fields: before,
      missedSince: null,
      missedAt: null,
      updatedAt: now,
      createdAt: now,
      version: 1,
      edited: false,
      alone: false
    })
    const day = change === "nothing" || n % 3 > 0 ? date : CalendarDate.addDays(date, 1)
    const after = change === "nothing" ? before : fieldsOf(day, amount, `${name} REF ${n}00000`)
    const hash = change === "nothing" ? `${n}` : `${n} again`
    observations.push({ providerId: "", pendingProviderId: "", date: day, pending: false, hash, fields: after })
  }
  const input: MatchInput = {
    dataType: "transactions",
    observations,
    held,
    aliases: new Map(),
    idTrust: "none",
    coverage: { kind: "full", complete: true },
    removed: new Set(),
    unread: new Set(),
    atOnce: false,
    byIdOnly: false,
    config: defaultMatchConfig,
    now
  }
  return { input, details }
}

/** Observations that found a record. */
const found = ({ details, input }: World): number => {
  const { changed } = identify(input).finish({ records: details, isForbidden: () => false })
  return input.observations.length - changed.filter(({ entry }) => entry === undefined).length
}

const qualities = (match: Matcher, histories: number): ReadonlyMap<Behaviour, Quality> =>
  new Map(
    behaviours.map((behaviour) => [behaviour, playHistories(behaviour, { seed: 1, histories, days: 120 }, match)])
  )

const total = (all: ReadonlyMap<Behaviour, Quality>): Quality => [...all.values()].reduce(addQuality, noQuality())

const percent = (part: number, whole: number): number => (100 * part) / whole

const figure = (name: string, value: Effect.Effect<number>) => ({ name, value })

export const bench: Bench = {
  name: "identity",
  title: "Keeping a ledger: errors for 1,000 booked events, edits that survive, and speed of matching",
  make: ({ quick }) =>
    Effect.gen(function* () {
      const histories = quick ? 2 : 40
      const ours = yield* Effect.cached(Effect.sync(() => qualities(byIdentity, histories)))
      const plain = yield* Effect.cached(Effect.sync(() => qualities(upsertById, histories)))
      const rows = 5_000
      const same = reread(rows, "nothing")
      const other = reread(rows, "texts and days")
      const part = reread(rows / 10, "texts and days")
      const ofTotal = (all: typeof ours, read: (quality: Quality) => number) =>
        Effect.map(all, (one) => read(total(one)))
      return {
        comparisons: [
          {
            name: "rows without ids that are read again as they were",
            amount: rows,
            unit: "rows",
            contenders: [
              contender("identity", () => found(same), String),
              contender(
                "upsert by id",
                () => rows - upsertById(same.input).changed.filter(({ entry }) => entry === undefined).length,
                String
              )
            ],
            ratios: [{ name: "unchanged rows: identity against upsert by id", of: "identity", by: "upsert by id" }]
          },
          {
            name: "rows without ids under other texts and days, assigned at least cost",
            amount: rows,
            unit: "rows",
            contenders: [
              contender("5,000 rows", () => found(other), String),
              contender("500 rows", () => found(part), String, { amount: rows / 10, expected: String(rows / 10) })
            ],
            ratios: [{ name: "rows assigned at least cost: 5,000 against 500", of: "5,000 rows", by: "500 rows" }]
          }
        ],
        figures: [
          figure("ledger errors for 1,000 booked", ofTotal(ours, errorsPerThousand)),
          ...behaviours.map((behaviour) =>
            figure(
              `ledger errors for 1,000 booked: ${behaviour}`,
              Effect.map(ours, (all) => errorsPerThousand(all.get(behaviour)!))
            )
          ),
          figure(
            "edits kept, %",
            ofTotal(ours, ({ edited, kept }) => percent(kept, edited))
          ),
          figure(
            "edits kept where distinguished, %",
            ofTotal(ours, ({ editedClear, keptClear }) => percent(keptClear, editedClear))
          ),
          ...behaviours.map((behaviour) =>
            figure(
              `edits kept where distinguished, %: ${behaviour}`,
              Effect.map(ours, (all) => percent(all.get(behaviour)!.keptClear, all.get(behaviour)!.editedClear))
            )
          ),
          figure("upsert by id: ledger errors for 1,000 booked", ofTotal(plain, errorsPerThousand)),
          figure(
            "upsert by id: edits kept, %",
            ofTotal(plain, ({ edited, kept }) => percent(kept, edited))
          ),
          figure(
            "seconds for 5,000 rows assigned at least cost",
            Effect.gen(function* () {
              const from = yield* Clock.currentTimeNanos
              yield* Effect.sync(() => found(other))
              return Number((yield* Clock.currentTimeNanos) - from) / 1e9
            })
          )
        ]
      }
    })
}
