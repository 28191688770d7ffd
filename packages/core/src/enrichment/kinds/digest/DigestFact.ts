/** Facts of a period: every number of a digest, with the records that it comes from (enrichments C16). */
import * as Schema from "effect/Schema"
import type { Fields } from "../../../record/FieldValue.ts"
import type * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { derivedId, type Sha256 } from "../../../shared/DerivedId.ts"
import { convert, type RateTable } from "../../../shared/RateTable.ts"
import type { DigestSection } from "./DigestConfig.ts"

export const DigestFact = Schema.Struct({
  /** Section and subject: the same in every period. */
  id: Schema.String,
  section: Schema.String,
  subject: Schema.String,
  /** An amount in the currency of the workspace, or a number of records. */
  value: Decimal.DecimalText,
  unit: Schema.Literals(["money", "count"]),
  /** Names the records that it comes from. */
  records: Schema.String
})
export type DigestFact = typeof DigestFact.Type

export interface Measuring {
  readonly currency: Currency.Currency
  readonly rates: RateTable
  readonly sha256: Sha256
  /** The last day of the period: what stands is converted by its rates. */
  readonly day: CalendarDate.CalendarDate
}

export interface Measured {
  readonly facts: ReadonlyMap<string, DigestFact>
  /** What is not in any sum, for want of a rate. */
  readonly unconverted: ReadonlyArray<{ readonly currency: string; readonly amount: Decimal.Decimal }>
  /** All amounts together, whatever their direction. */
  readonly turnover: Decimal.Decimal
  readonly records: number
}

export const textOf = (fields: Fields, name: string): string => {
  const value = fields[name]
  return typeof value === "string" ? value.trim() : ""
}

export const decimalOf = (fields: Fields, name: string): Decimal.Decimal | undefined =>
  Decimal.parse(textOf(fields, name))

interface Sum extends Omit<DigestFact, "id" | "records"> {
  readonly ids: ReadonlyArray<string>
}

const one = Decimal.make("1")

/** Adds up facts, in the currency of the workspace. */
export class Tally {
  private readonly sums = new Map<string, Sum>()
  private readonly unconverted = new Map<string, Decimal.Decimal>()
  private readonly digits: number
  private readonly measuring: Measuring
  private turnover = Decimal.zero

  constructor(measuring: Measuring) {
    this.measuring = measuring
    this.digits = Currency.minorDigits(measuring.currency)
  }

  private add(section: DigestSection, subject: string, unit: DigestFact["unit"], value: Decimal.Decimal, id: string) {
    const key = `${section}:${subject}`
    const known = this.sums.get(key) ?? { section, subject, unit, value: Decimal.zero, ids: [] }
    this.sums.set(key, { ...known, value: Decimal.add(known.value, value), ids: [...known.ids, id] })
  }

  money(section: DigestSection, subject: string, value: Decimal.Decimal, recordId: string): void {
    this.add(section, subject, "money", value, recordId)
  }

  count(section: DigestSection, subject: string, recordId: string): void {
    this.add(section, subject, "count", one, recordId)
  }

  /** An amount in the currency of the workspace; `undefined` where there is no rate, which is noted. */
  inBase(
    amount: Decimal.Decimal,
    from: Currency.Currency,
    recordId: string,
    day: CalendarDate.CalendarDate = this.measuring.day
  ): Decimal.Decimal | undefined {
    const { currency, rates } = this.measuring
    const inBase = from === currency ? amount : convert(rates, amount, from, currency, day)?.amount
    if (inBase === undefined) {
      this.unconverted.set(from, Decimal.add(this.unconverted.get(from) ?? Decimal.zero, amount))
      this.count("dataQuality", "unconverted", recordId)
      return undefined
    }
    const value = Decimal.roundHalfAway(inBase, this.digits)
    this.turnover = Decimal.add(this.turnover, Decimal.abs(value))
    return value
  }

  /** Facts that are nothing are left out. */
  measured(records: number): Measured {
    const { sha256 } = this.measuring
    const facts = [...this.sums]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([id, { ids, ...fact }]) =>
        fact.value === "0" ? [] : [[id, { id, ...fact, records: derivedId(sha256, ...ids) }] as const]
      )
    return {
      facts: new Map(facts),
      unconverted: [...this.unconverted]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([currency, amount]) => ({ currency, amount })),
      turnover: this.turnover,
      records
    }
  }
}
