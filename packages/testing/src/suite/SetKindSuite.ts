/**
 * What every kind of enrichment that looks at sets of records has to keep (enrichments B4): `setSuite(name, options)`
 * registers the tests.
 *
 * The options hold configurations as they are sent, and records that the kind has something to say about.
 */
import { describe, expect, it } from "@effect/vitest"
import {
  authorities,
  kindsOf,
  Pipeline,
  RunWork,
  type SetAccount,
  type SetKind,
  type SetRecord
} from "@millrace/core/enrichment"
import { catalogOf, type DataType, dataTypes } from "@millrace/core/record"
import { CalendarDate, isIdentifier, type RateTable, StrictDecoding } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { SetWorld } from "../model/SetWorld.ts"
import { type ConfigCases, configTrials } from "./ConfigTrials.ts"
import { hardDays, hostile, keptFacts, notesFrom, storedEnrichment } from "./KindTrials.ts"

export interface SetKindSuiteOptions extends ConfigCases {
  readonly kind: SetKind
  readonly dataType: DataType
  readonly records: ReadonlyArray<SetRecord>
  readonly accounts: ReadonlyArray<SetAccount>
  readonly baseCurrency: SetAccount["currency"]
  readonly today?: CalendarDate.CalendarDate
  readonly rates?: RateTable.RateTable
  /**
   * It keeps what it has told, such as that an alert went out, so that what it keeps depends on when something was noticed
   * (enrichments A10): the same in the same order says the same, and another order need not.
   */
  readonly tells?: true
}

const defaultDay = CalendarDate.make("2026-05-31")

/** Registers the conformance tests of a kind. */
export const setSuite = (name: string, options: SetKindSuiteOptions): void => {
  const {
    accounts,
    baseCurrency,
    dataType,
    good,
    kind,
    limits = [],
    rates,
    records,
    refused,
    tells = false,
    today = defaultDay
  } = options
  const catalog = catalogOf(dataType)
  const configOf = (sent: unknown) => Result.getOrThrow(StrictDecoding.decode(kind.Config, sent))
  const worldOf = (sent: unknown) =>
    new SetWorld({
      kind,
      config: configOf(sent),
      dataType,
      accounts,
      baseCurrency,
      today,
      ...(rates === undefined ? {} : { rates })
    })
  const saved = (sent: unknown) => storedEnrichment(kind, sent, dataType)
  const whole = Effect.fnUntraced(function* (sent: unknown) {
    const world = worldOf(sent)
    world.put(...records)
    return yield* world.plan()
  })
  const oneByOne = Effect.fnUntraced(function* (sent: unknown, some: ReadonlyArray<SetRecord>) {
    const world = worldOf(sent)
    for (const record of some) {
      world.put(record)
      yield* world.plan()
    }
    return world
  })
  const forEachGood = (title: string, test: (sent: object) => Effect.Effect<void, unknown>) =>
    it.effect(title, () => Effect.forEach(good, test, { discard: true }))

  describe(name, () => {
    it("describes itself without contradictions", () => {
      const { authority, dataTypes: supported, perWorkspace, writes } = kind.capabilities
      expect(isIdentifier(kind.type)).toBe(true)
      expect(kind.label.trim()).not.toBe("")
      expect(authorities).toHaveProperty(authority)
      expect(supported).toContain(dataType)
      expect(supported.filter((one) => !dataTypes.includes(one))).toEqual([])
      expect(new Set(writes).size).toBe(writes.length)
      expect(Number.isInteger(perWorkspace) && perWorkspace > 0).toBe(true)
      expect(Number.isInteger(kind.State.version) && kind.State.version > 0).toBe(true)
      expect(good.map((sent) => Number.isFinite(kind.stage(configOf(sent))))).not.toContain(false)
    })

    configTrials(kind, dataType, { good, refused, limits })

    it("leaves amounts and days as they were booked", () => {
      const booked = new Set(["id", "date", "amount", "totalAmount", "creditAmount", "debitAmount", "currency", "*"])
      expect(kind.capabilities.writes.filter((field) => booked.has(field))).toEqual([])
    })

    forEachGood("leaves alone what a person decided, and tells what it would have written", (sent) =>
      Effect.gen(function* () {
        const pipeline = Pipeline.compile([saved(sent)], dataType, kindsOf([kind]))
        const [step] = pipeline.steps
        for (const [path, { claims }] of (yield* whole(sent)).said) {
          for (const { field, recordId, value } of claims) {
            const word = "a person says so"
            const notes = notesFrom(dataType, recordId, [{ kind: "set", recordId, field, value: word }])!
            const said = new Map([[step!.enrichment.id, [{ field, value, path }]]])
            const { fields, shadows } = Pipeline.run(
              pipeline,
              { recordId, fields: {} },
              { today, work: new RunWork() },
              {
                notes: { ...notes, claims: said }
              }
            )
            expect([fields[field], shadows]).toEqual([word, [{ field, value, enrichmentId: step!.enrichment.id }]])
          }
        }
      })
    )

    forEachGood("takes whatever stands in a record, and is as before when that is gone", (sent) =>
      Effect.gen(function* () {
        const world = yield* whole(sent)
        const { text } = world
        const fields = kind.reads(kind.prepare(configOf(sent), catalog), catalog)
        const careless = hostile.flatMap((value, n) => [
          { recordId: `hostile_${n}`, fields: Object.fromEntries(fields.map((field) => [field, value])) },
          // Only one field is not what it should be.
          ...fields.map((field, at) => ({
            recordId: `hostile_${n}_${at}`,
            fields: { ...records[n % records.length]!.fields, [field]: value }
          }))
        ])
        for (const one of careless) world.put({ ...one, accountId: accounts[0]!.accountId })
        yield* world.plan()
        world.remove(...careless.map(({ recordId }) => recordId))
        yield* world.plan()
        if (!tells) expect(world.text).toBe(text)
      })
    )

    forEachGood("works for two workspaces at the same time as for each alone", (sent) =>
      Effect.gen(function* () {
        const [one, other] = [worldOf(sent), worldOf(sent)]
        const half = records.filter((_, n) => n % 2 === 0)
        const alone = yield* oneByOne(sent, half.toReversed())
        for (const [n, record] of records.entries()) {
          one.put(record)
          yield* one.plan()
          const mate = half[half.length - 1 - n]
          if (mate !== undefined) other.put(mate)
          yield* other.plan()
        }
        expect(one.text).toBe((yield* oneByOne(sent, records)).text)
        expect(other.text).toBe(alone.text)
      })
    )

    forEachGood("says on each day what planning everything again on it would say, and when it is due next", (sent) =>
      Effect.gen(function* () {
        const world = yield* whole(sent)
        for (const day of hardDays.filter((one) => one > today).toSorted()) {
          world.comes(day)
          yield* world.plan()
          const { text } = world
          world.disturb()
          yield* world.plan()
          expect([day, world.text]).toEqual([day, text])
          for (const [, { due }] of world.said) if (due !== undefined) expect(due > day).toBe(true)
          // A clock that goes back is not believed.
          world.comes(today)
          yield* world.plan()
          expect(world.text).toBe(text)
        }
      })
    )

    forEachGood("says the same whenever it plans, and nothing new when nothing changed", (sent) =>
      Effect.gen(function* () {
        const world = yield* whole(sent)
        const says = world.said.map(
          ([, { claims, findings = [], links }]) => claims.length + links.length + findings.length
        )
        // What is reported may have to wait for its day.
        if (!tells) expect(Math.max(0, ...says)).toBeGreaterThan(0)
        expect((yield* whole(sent)).text).toBe(world.text)
        const [before, told] = [world.text, world.told.length]
        world.disturb()
        yield* world.plan()
        expect([world.text, world.told.length]).toEqual([before, told])
      })
    )

    if (tells) {
      forEachGood("tells the same where the same happens again, in the same order", (sent) =>
        Effect.gen(function* () {
          const history = Effect.gen(function* () {
            const world = yield* oneByOne(sent, records)
            world.pulse()
            yield* world.plan()
            for (const [n, record] of records.entries()) {
              world.remove(record.recordId)
              yield* world.plan()
              if (n % 2 === 0) world.put(record)
              world.comes(CalendarDate.addDays(world.today, 5))
              world.pulse()
              yield* world.plan()
            }
            return world
          })
          const [one, other] = [yield* history, yield* history]
          expect([other.text, other.told]).toEqual([one.text, one.told])
          expect(one.told.length).toBeGreaterThan(0)
          // Nothing is reported twice.
          expect(new Set(one.told).size).toBe(one.told.length)
        })
      )
    } else {
      forEachGood("says the same of records that come one by one, and in another order", (sent) =>
        Effect.gen(function* () {
          const { text } = yield* whole(sent)
          for (const ordered of [records, records.toReversed()]) {
            expect((yield* oneByOne(sent, ordered)).text).toBe(text)
          }
        })
      )

      forEachGood("takes back what it said of a record that is gone, and says it again when it comes back", (sent) =>
        Effect.gen(function* () {
          const world = yield* whole(sent)
          const { text } = world
          for (const record of records) {
            world.remove(record.recordId)
            yield* world.plan()
            const named = world.said.flatMap(([, { claims, links }]) => [
              ...claims.map(({ recordId }) => recordId),
              ...links.flatMap(({ members }) => members.map(({ recordId }) => recordId))
            ])
            expect(named).not.toContain(record.recordId)
            world.put(record)
            yield* world.plan()
            expect(world.text).toBe(text)
          }
          world.remove(...records.map(({ recordId }) => recordId))
          yield* world.plan()
          expect(world.said.flatMap(([, { claims, links }]) => [...claims, ...links])).toEqual([])
        })
      )
    }

    forEachGood("writes only fields that it may write and that are known, and tells only events of its own", (sent) =>
      Effect.gen(function* () {
        const config = configOf(sent)
        const { emits = [], writes } = kind.capabilities
        const known = new Set([...catalog.keys(), ...kind.declares(config, catalog).keys()])
        for (const [, plan] of (yield* whole(sent)).said) {
          for (const { field } of plan.claims) {
            expect(known).toContain(field)
            if (!writes.includes("*")) expect(writes).toContain(field)
          }
          expect(plan.events.map(({ type }) => type).filter((type) => !emits.some((one) => one.type === type))).toEqual(
            []
          )
          if (plan.due !== undefined) expect(plan.due > today).toBe(true)
        }
      })
    )

    forEachGood("explains each claim by its evidence alone", (sent) =>
      Effect.gen(function* () {
        const config = configOf(sent)
        for (const [, { claims }] of (yield* whole(sent)).said) {
          for (const { evidence, field, value } of claims) {
            const stored = JSON.parse(JSON.stringify(Schema.encodeSync(kind.Evidence)(evidence)))
            const read = Schema.decodeUnknownSync(kind.Evidence)(stored)
            const { holds, recomputed, sentence } = kind.explain(config, { field, value, evidence: read })
            expect([field, recomputed, holds]).toEqual([field, value, true])
            expect(sentence.trim()).not.toBe("")
            // Another value does not follow from it.
            expect(kind.explain(config, { field, value: "something else", evidence: read }).holds).toBe(false)
          }
        }
      })
    )

    forEachGood("keeps states that read back as they were", (sent) =>
      Effect.gen(function* () {
        for (const [, { state }] of (yield* whole(sent)).said) {
          const stored = JSON.parse(JSON.stringify(Schema.encodeSync(kind.State.codec)(state)))
          expect(Schema.decodeUnknownSync(kind.State.codec)(stored)).toEqual(state)
        }
      })
    )

    forEachGood("takes back a link that a person does not want, until that is lifted", (sent) =>
      Effect.gen(function* () {
        const world = yield* whole(sent)
        const { text } = world
        const link = world.said.flatMap(([, { links }]) => links)[0]
        if (link === undefined) return
        const members = link.members.map(({ recordId }) => recordId)
        const undone = kind.undo({ enrichmentId: world.enrichmentId, recordId: members[0]!, members })
        expect(undone.length).toBeGreaterThan(0)
        world.facts = keptFacts(dataType, undone)
        world.disturb()
        yield* world.plan()
        const silenced = undone.some((fact) => fact.kind === "suppress")
        const left = world.said.flatMap(([, { links }]) =>
          links.map((one) =>
            one.members
              .map(({ recordId }) => recordId)
              .toSorted()
              .join(" ")
          )
        )
        if (!silenced) expect(left).not.toContain(members.toSorted().join(" "))
        world.facts = []
        world.disturb()
        yield* world.plan()
        expect(world.text).toBe(text)
      })
    )

    forEachGood("takes a record about which nothing is known", (sent) =>
      Effect.gen(function* () {
        const world = worldOf(sent)
        world.put({ recordId: "unknown", accountId: accounts[0]!.accountId, fields: {} })
        yield* world.plan()
      })
    )
  })
}
