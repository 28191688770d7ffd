/** `MILLRACE_LONG=1` plays two thousand worlds. */
import { it } from "@effect/vitest"
import { Seeded, type SetWorld } from "@millrace/testing/model"
import { casesOf, countCases, seedsOf } from "@millrace/verification/cases/Cases"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"
import type { EnrichmentFact } from "../../../../src/enrichment/kinds/EnrichmentFact.ts"
import type { SetAccount, SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import { account, leg } from "./Legs.ts"
import { fact, readLinks, worldOf } from "./TransferWorld.ts"

const rounds = seedsOf(casesOf({ short: 8, long: 2_000 }))

const accounts = [
  account(1, "Everyday", "checking"),
  account(2, "Saver", "savings"),
  account(3, "Platinum Card", "credit_card"),
  account(4, "Depot", "brokerage")
]
const first = CalendarDate.make("2025-06-01")
const days = 300
const today = CalendarDate.make("2026-06-01")
const outTexts = ["TRANSFER TO SAVER", "TRANSFER", "CREDIT CARD PAYMENT", "9912", "CARD PURCHASE KIOSK", "TO DEPOT"]
const inTexts = ["TRANSFER FROM EVERYDAY", "PAYMENT THANK YOU", "DEPOSIT", "4471", "SALARY", "REFUND KIOSK"]
const amounts = ["100", "100", "250.5", "1240", "19.99", "103"]

const randomRecords = (random: Seeded): ReadonlyArray<SetRecord> => {
  const records: Array<SetRecord> = []
  const add = (of: SetAccount, day: number, amount: string, text: string) => {
    const date = CalendarDate.addDays(first, Math.min(days, Math.max(0, day)))
    records.push(leg(`r${String(records.length).padStart(3, "0")}`, of, date, amount, text))
  }
  for (let n = 20 + random.below(20); n > 0; n--) {
    const [from, to] = [random.pick(accounts), random.pick(accounts)]
    const amount = random.pick(amounts)
    // Many at the ends of months, where components reach over.
    const day = random.once(2) ? random.below(days) : 30 * random.below(10) + random.below(4)
    add(from, day, `-${amount}`, random.pick(outTexts))
    const arrived = random.once(5) ? "97" : amount
    if (!random.once(4)) add(to, day + random.below(8) - 1, arrived, random.pick(inTexts))
  }
  return records
}

const randomFacts = (random: Seeded, records: ReadonlyArray<SetRecord>): ReadonlyArray<EnrichmentFact> => {
  const of = (sign: boolean) => records.filter(({ fields }) => String(fields["amount"]).startsWith("-") === sign)
  const [outs, ins] = [of(true), of(false)]
  return Array.from({ length: random.below(6) }, () =>
    fact(random.once(2) ? "confirm" : "forbid", random.pick(outs).recordId, random.pick(ins).recordId)
  )
}

const shuffled = <A>(random: Seeded, items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items
    .map((item) => [random.below(1e9), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item)

const linkTexts = (world: SetWorld): ReadonlyArray<string> =>
  readLinks(world).links.map(({ members, state }) => `${state} ${members.join(" ")}`)

class WorldFailed extends Data.TaggedError("WorldFailed")<{ readonly seed: number; readonly cause: unknown }> {}

/** One world a round, by its seed. */
const forWorlds = (test: (random: Seeded, records: ReadonlyArray<SetRecord>) => Effect.Effect<void, unknown>) =>
  Effect.forEach(
    rounds,
    (seed) =>
      Effect.suspend(() => {
        const random = new Seeded(seed)
        const records = randomRecords(random)
        return Effect.tap(test(random, records), () => Effect.sync(() => countCases(records.length)))
      }).pipe(Effect.mapError((cause) => new WorldFailed({ seed, cause }))),
    { discard: true }
  )

describe("transfers", () => {
  it.effect("are the same to the byte however records and decisions arrive, come in between and go", () =>
    forWorlds(
      Effect.fnUntraced(function* (random, records) {
        const facts = randomFacts(random, records)
        const whole = worldOf({ accounts, today, facts })
        whole.put(...records)
        yield* whole.plan()
        const world = worldOf({ accounts, today })
        let rest = shuffled(random, records)
        while (rest.length > 0) {
          const size = 1 + random.below(12)
          const some = rest.slice(0, size)
          rest = rest.slice(size)
          // Some come with another amount, or go again, and are as they should be later.
          world.put(...some.map((one) => (random.once(4) ? { ...one, fields: { ...one.fields, amount: "-1" } } : one)))
          if (random.once(3)) world.remove(random.pick(some).recordId)
          yield* world.plan()
          world.put(...some)
          if (random.once(2)) yield* world.plan()
        }
        world.facts = random.once(2) ? facts.slice(0, 2) : []
        world.disturb()
        yield* world.plan()
        world.facts = facts
        world.disturb()
        yield* world.plan()
        for (const [n, one] of JSON.parse(world.text).entries()) expect(one).toEqual(JSON.parse(whole.text)[n])
        expect(world.text).toBe(whole.text)
      })
    )
  )

  it.effect("have each record once, opposite signs, two accounts, and nothing that a person took apart", () =>
    forWorlds(
      Effect.fnUntraced(function* (random, records) {
        const facts = randomFacts(random, records)
        const world = worldOf({ accounts, today, facts })
        world.put(...records)
        yield* world.plan()
        const byId = new Map(records.map((record) => [record.recordId, record]))
        const { links } = readLinks(world)
        const members = links.flatMap((link) => link.members)
        expect(new Set(members).size).toBe(members.length)
        const latest = new Map(facts.map(({ kind, otherId, recordId }) => [`${recordId} ${otherId}`, kind]))
        for (const { members: ids, state } of links) {
          if (state === "confirmed") {
            // Two that a person tied to one and the same make a link of three.
            const tied = [...latest].flatMap(([pair, kind]) => (kind === "confirm" ? [pair.split(" ")] : []))
            const inside = tied.filter((pair) => pair.every((id) => ids.includes(id)))
            expect([...new Set(inside.flat())].toSorted()).toEqual(ids.toSorted())
            continue
          }
          const [out, ...ins] = ids.map((id) => byId.get(id)!)
          if (ids.length > 2) expect(state).toBe("suggested")
          expect(String(out!.fields["amount"])).toMatch(/^-/)
          expect(String(ins.at(-1)!.fields["amount"])).not.toMatch(/^-/)
          expect(ins.at(-1)!.accountId).not.toBe(out!.accountId)
          for (const one of ins) expect(latest.get(`${out!.recordId} ${one.recordId}`)).not.toBe("forbid")
        }
      })
    )
  )

  it.effect("of months before are left alone by what comes later, and those of people by everything", () =>
    forWorlds(
      Effect.fnUntraced(function* (random, records) {
        const confirmed = randomFacts(random, records).filter(({ kind }) => kind === "confirm")
        const world = worldOf({ accounts, today, facts: confirmed })
        world.put(...records)
        yield* world.plan()
        const before = linkTexts(world)
        const later = randomRecords(random).map((record) => ({
          ...record,
          recordId: `z${record.recordId}`,
          fields: { ...record.fields, date: CalendarDate.addDays(CalendarDate.make("2026-04-20"), random.below(30)) }
        }))
        world.put(...later)
        yield* world.plan()
        // Everything before ended on 28 March, which lies outside of all windows.
        expect(linkTexts(world).filter((text) => !text.includes(" z"))).toEqual(before)
        world.put(...randomRecords(random).map((record) => ({ ...record, recordId: `y${record.recordId}` })))
        yield* world.plan()
        const after = new Set(linkTexts(world))
        expect(before.filter((text) => text.startsWith("confirmed") && !after.has(text))).toEqual([])
      })
    )
  )

  it.effect("come back as they were when what a person said is lifted", () =>
    forWorlds(
      Effect.fnUntraced(function* (random, records) {
        const world = worldOf({ accounts, today })
        world.put(...records)
        yield* world.plan()
        const { text } = world
        world.facts = randomFacts(random, records)
        world.disturb()
        yield* world.plan()
        world.facts = []
        world.disturb()
        yield* world.plan()
        expect(world.text).toBe(text)
      })
    )
  )
})
