/**
 * What every kind of enrichment that looks at one record has to keep: `suite(name, options)` registers the tests.
 *
 * The options hold configurations as they are sent, and records to run them over.
 */
import { describe, expect, it } from "@effect/vitest"
import {
  authorities,
  kindsOf,
  type Outcome,
  Pipeline,
  type RecordKind,
  RunWork,
  suppression
} from "@millrace/core/enrichment"
import { catalogOf, type DataType, dataTypes, type Fields } from "@millrace/core/record"
import { CalendarDate, Decimal, isIdentifier, StrictDecoding } from "@millrace/core"
import * as Result from "effect/Result"
import { type ConfigCases, configTrials } from "./ConfigTrials.ts"
import { hardDays, hostile, notesFrom, poison, storedEnrichment } from "./KindTrials.ts"

export interface RecordKindSuiteOptions extends ConfigCases {
  readonly kind: RecordKind
  /** What the records are. */
  readonly dataType: DataType
  readonly records: ReadonlyArray<Fields>
}

const context = { today: CalendarDate.make("2026-05-31"), work: new RunWork() }

const says = ({ claims, verdict }: Outcome): boolean =>
  claims.length > 0 || (verdict !== undefined && verdict.value !== "deliver")

/** Registers the conformance tests of a kind. */
export const suite = (
  name: string,
  { dataType, good, kind, limits = [], records, refused }: RecordKindSuiteOptions
): void => {
  const catalog = catalogOf(dataType)
  const configOf = (sent: unknown) => Result.getOrThrow(StrictDecoding.decode(kind.Config, sent))
  const views = records.map((fields, n) => ({ recordId: `record_${n}`, fields: Object.freeze({ ...fields }) }))
  const outcomesOf = (sent: unknown, on = context) => {
    const prepared = kind.prepare(configOf(sent), catalog)
    return views.map((view) => kind.plan(prepared, view, on))
  }

  const saved = (sent: unknown) => storedEnrichment(kind, sent, dataType)
  const pipelines = new Map<unknown, Pipeline.CompiledPipeline>()
  const ran = (sent: unknown, view: (typeof views)[number], notes?: ReturnType<typeof notesFrom>) => {
    const pipeline = pipelines.get(sent) ?? Pipeline.compile([saved(sent)], dataType, kindsOf([kind]))
    pipelines.set(sent, pipeline)
    return Pipeline.run(pipeline, view, context, { notes })
  }

  describe(name, () => {
    it("describes itself without contradictions", () => {
      const { dataTypes: supported, perWorkspace, writes } = kind.capabilities
      expect(isIdentifier(kind.type)).toBe(true)
      expect(kind.label.trim()).not.toBe("")
      expect(authorities).toHaveProperty(kind.capabilities.authority)
      expect(supported).toContain(dataType)
      expect(supported.filter((one) => !dataTypes.includes(one))).toEqual([])
      expect(new Set(writes).size).toBe(writes.length)
      expect(Number.isInteger(perWorkspace) && perWorkspace > 0).toBe(true)
      expect(good.map((sent) => Number.isFinite(kind.stage(configOf(sent))))).not.toContain(false)
    })

    configTrials(kind, dataType, { good, refused, limits })

    it("says the same of a record whenever it runs, whatever ran before, and leaves the record as it was", () => {
      for (const sent of good) {
        const first = outcomesOf(sent)
        expect(first.some(says), "no record was concerned: nothing was tested").toBe(true)
        expect(outcomesOf(sent)).toEqual(first)
        const prepared = kind.prepare(configOf(sent), catalog)
        const backwards = views.toReversed().map((view) => kind.plan(prepared, view, context))
        expect(backwards.toReversed()).toEqual(first)
      }
    })

    it("says the same on another day, unless it tells that it may not", () => {
      for (const sent of good) {
        if (kind.movesWithTheDay?.(configOf(sent), catalog) === true) continue
        for (const today of [...hardDays, ...hardDays.toReversed()]) {
          expect(outcomesOf(sent, { ...context, today })).toEqual(outcomesOf(sent))
        }
      }
    })

    it("writes only fields that it may write and that are known, and explains each", () => {
      const { writes } = kind.capabilities
      for (const sent of good) {
        const config = configOf(sent)
        const known = new Set([...catalog.keys(), ...kind.declares(config, catalog).keys()])
        for (const claim of outcomesOf(sent).flatMap(({ claims }) => claims)) {
          expect(known).toContain(claim.field)
          if (!writes.includes("*")) expect(writes).toContain(claim.field)
          const type = catalog.get(claim.field) ?? kind.declares(config, catalog).get(claim.field)
          if (type === "num" && claim.value !== null) {
            expect(Decimal.is(claim.value), `${claim.field} is a number and got ${JSON.stringify(claim.value)}`).toBe(
              true
            )
          }
          expect(kind.explain(config, claim).trim()).not.toBe("")
        }
      }
    })

    it("decides on delivery only where it is a filter, and says why", () => {
      for (const { verdict } of good.flatMap((sent) => outcomesOf(sent))) {
        if (kind.onFault === undefined) expect(verdict).toBeUndefined()
        else expect(verdict?.value === "deliver" || verdict?.reason.trim() !== "").toBe(true)
      }
    })

    it("lets a record fall into lines that have its amount as their sum, and each its sign or nothing", () => {
      for (const sent of good) {
        for (const [at, { lines }] of outcomesOf(sent).entries()) {
          if (lines === undefined) continue
          expect(kind.makesLines).toBe(true)
          const booked = views[at]!.fields
          const field = catalog.has("amount") ? "amount" : "totalAmount"
          const amounts = lines.of.map(({ claims }) => {
            const claim = claims.find((one) => one.field === field)
            return Decimal.make(String(claim === undefined ? booked[field] : claim.value))
          })
          const sum = Decimal.make(String(booked[field]))
          expect(Decimal.sum(amounts)).toBe(sum)
          for (const amount of amounts) {
            expect(amount === Decimal.zero || Decimal.isNegative(amount) === Decimal.isNegative(sum)).toBe(true)
          }
          expect(new Set(lines.of.map(({ id }) => id)).size).toBe(lines.of.length)
        }
      }
    })

    it("leaves alone what a person decided, and tells what it would have written", () => {
      for (const sent of good) {
        for (const [at, { claims }] of outcomesOf(sent).entries()) {
          const { recordId } = views[at]!
          for (const { field } of claims) {
            const value = "a person says so"
            const notes = notesFrom(dataType, recordId, [{ kind: "set", recordId, field, value }])
            const { fields, shadows } = ran(sent, views[at]!, notes)
            expect(fields[field]).toBe(value)
            // What they said may be what it looks at: then it may have nothing to say.
            expect(shadows.filter((one) => one.field !== field)).toEqual([])
          }
        }
      }
    })

    it("is as if it had not spoken where it is silenced, and speaks again when that is lifted", () => {
      for (const sent of good) {
        for (const view of views) {
          const silent = suppression({ enrichmentId: saved(sent).id, recordId: view.recordId })
          const silenced = ran(sent, view, notesFrom(dataType, view.recordId, silent))
          expect([silenced.fields, silenced.changes]).toEqual([view.fields, []])
          expect(ran(sent, view).fields).toEqual(ran(sent, view, notesFrom(dataType, view.recordId, [])).fields)
        }
      }
    })

    it("fails on a record that cannot be read, and on no other", () => {
      for (const sent of good) {
        const first = outcomesOf(sent)
        const prepared = kind.prepare(configOf(sent), catalog)
        const again = views.map((view) => {
          const { faults, verdict } = ran(sent, { recordId: "poison", fields: poison })
          expect([faults.length, verdict.value]).toEqual([1, kind.onFault?.(configOf(sent)) ?? "deliver"])
          expect(() => kind.plan(prepared, { recordId: "poison", fields: poison }, context)).toThrow()
          return kind.plan(prepared, view, context)
        })
        expect(again).toEqual(first)
      }
    })

    it("takes whatever stands in a record", () => {
      for (const sent of good) {
        const first = outcomesOf(sent)
        const prepared = kind.prepare(configOf(sent), catalog)
        for (const value of hostile) {
          const fields = Object.fromEntries(Array.from(catalog.keys(), (field) => [field, value]))
          expect(ran(sent, { recordId: "hostile", fields }).faults).toEqual([])
          kind.plan(prepared, { recordId: "hostile", fields }, context)
        }
        expect(views.map((view) => kind.plan(prepared, view, context))).toEqual(first)
      }
    })

    it("works for two workspaces at the same time as for each alone", () => {
      const all = good.map((sent) => ({ prepared: kind.prepare(configOf(sent), catalog), alone: outcomesOf(sent) }))
      for (const [n, view] of views.entries()) {
        for (const { alone, prepared } of all) expect(kind.plan(prepared, view, context)).toEqual(alone[n])
      }
    })

    it("takes a record about which nothing is known", () => {
      const nothing = Object.fromEntries(Array.from(catalog.keys(), (field) => [field, null]))
      for (const sent of good) {
        const prepared = kind.prepare(configOf(sent), catalog)
        for (const fields of [{}, nothing]) {
          expect(() => kind.plan(prepared, { recordId: "unknown", fields }, context)).not.toThrow()
        }
      }
    })
  })
}
