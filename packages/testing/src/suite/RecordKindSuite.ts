/**
 * What every kind of enrichment that looks at one record has to keep: `suite(name, options)` registers the tests.
 *
 * The options hold configurations as they are sent, and records to run them over.
 */
import { describe, expect, it } from "@effect/vitest"
import { authorities, type Outcome, type RecordKind } from "@millrace/core/enrichment"
import { catalogOf, type DataType, dataTypes, type Fields } from "@millrace/core/record"
import { CalendarDate, isIdentifier, StrictDecoding } from "@millrace/core"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export interface RecordKindSuiteOptions {
  readonly kind: RecordKind
  /** What the records are. */
  readonly dataType: DataType
  /** Configurations that can be saved. Each has something to say about one of the records. */
  readonly good: ReadonlyArray<object>
  /** Configurations that are refused, with the path of the one fault. */
  readonly refused: ReadonlyArray<readonly [config: unknown, path: string]>
  readonly records: ReadonlyArray<Fields>
}

const context = { today: CalendarDate.make("2026-05-31") }

const says = ({ claims, verdict }: Outcome): boolean =>
  claims.length > 0 || (verdict !== undefined && verdict.value !== "deliver")

/** Registers the conformance tests of a kind. */
export const suite = (name: string, { dataType, good, kind, records, refused }: RecordKindSuiteOptions): void => {
  const catalog = catalogOf(dataType)
  const configOf = (sent: unknown) => Result.getOrThrow(StrictDecoding.decode(kind.Config, sent))
  const views = records.map((fields, n) => ({ recordId: `record_${n}`, fields: Object.freeze({ ...fields }) }))
  const outcomesOf = (sent: unknown, on = context) => {
    const prepared = kind.prepare(configOf(sent), catalog)
    return views.map((view) => kind.plan(prepared, view, on))
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

    it("takes good configurations, and its own answers", () => {
      expect(good.length).toBeGreaterThan(0)
      for (const sent of good) {
        const config = configOf(sent)
        expect(kind.check(config, catalog).errors).toEqual([])
        const stored = JSON.parse(JSON.stringify(Schema.encodeUnknownSync(kind.Config)(config)))
        expect(configOf(stored)).toEqual(config)
      }
    })

    it("refuses wrong configurations, with the path of the fault and what is wrong", () => {
      expect(refused.length).toBeGreaterThan(0)
      const misspelt = good.map((sent) => [{ ...sent, misspelt: 1 }, "misspelt"] as const)
      for (const [sent, path] of [...refused, ...misspelt]) {
        const decoded = StrictDecoding.decode(kind.Config, sent)
        const faults = Result.isFailure(decoded) ? decoded.failure : kind.check(decoded.success, catalog).errors
        expect(faults.map(({ field }) => field)).toEqual([path])
        expect(faults.filter(({ message }) => message.trim() === "")).toEqual([])
      }
    })

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
        for (const day of ["2024-02-29", "2026-12-31", "2027-01-01"]) {
          expect(outcomesOf(sent, { today: CalendarDate.make(day) })).toEqual(outcomesOf(sent))
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

    it("takes a record of which nothing is known", () => {
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
