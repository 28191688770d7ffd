/** Why something is said of a payment of a series, and how the same follows again (enrichments A7, C10). */
import * as Schema from "effect/Schema"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { derivedId, type Sha256 } from "../../../shared/DerivedId.ts"
import type { FieldValue } from "../../../record/FieldValue.ts"
import type { Explained, Explanation } from "../SetKind.ts"
import { CadenceName } from "./Cadence.ts"
import { nearestSlot, readRhythm, slotAfter, slotDay } from "./Rhythm.ts"
import { SlotCalendar } from "./SlotCalendar.ts"

const Day = CalendarDate.CalendarDate
const Amount = Decimal.DecimalText

/** What the id of a series is made of. */
const SeriesKey = Schema.Struct({
  of: Schema.Literal("series"),
  enrichmentId: Schema.String,
  cluster: Schema.String,
  direction: Schema.Literals(["out", "in"]),
  currency: Schema.String,
  cadence: CadenceName,
  ordinal: Schema.Int
})
/** The slot that a payment meets: where the rhythm says that it falls, after shifts. */
const Slot = Schema.Struct({ of: Schema.Literal("slot"), rhythm: Schema.String, slot: Day, date: Day })
const StateBasis = Schema.Struct({
  of: Schema.Literal("state"),
  /** Hits as far as they count, and how many make it sure. */
  hits: Schema.Int,
  mature: Schema.Int,
  confirmed: Schema.Boolean,
  /** Since when, where it is. */
  late: Schema.NullOr(Day),
  ended: Schema.NullOr(Day)
})
const Prices = Schema.Struct({
  of: Schema.Literal("levels"),
  /** Prices one after the other; none where they vary. */
  levels: Schema.Array(Amount),
  /** Whether the standard deviation is at most 0.6 of the mean. */
  varies: Schema.Boolean
})
const Change = Schema.Struct({ of: Schema.Literal("change"), before: Amount, after: Amount })
const Arrival = Schema.Struct({ of: Schema.Literal("arrival"), pending: Schema.Boolean, alone: Schema.Boolean })
/** Everything that was measured, with what the next day follows from. */
const Measured = Schema.Struct({
  of: Schema.Literal("fit"),
  rhythm: Schema.String,
  /** Slot and day of each payment that was measured by. */
  hits: Schema.Array(Schema.Tuple([Day, Day])),
  slots: Schema.Int,
  observations: Schema.Int,
  span: Schema.Int,
  meanResidual: Schema.Finite,
  residual90: Schema.Int,
  bits: Schema.Finite,
  score: Schema.Finite,
  levels: Schema.Array(Amount),
  /** The last slot before it was shifted, and the day of its payment. */
  lastSlot: Day,
  lastDate: Day,
  /** Days without business on the way to the next one. */
  closed: Schema.Array(Day)
})
const AmountBasis = Schema.Struct({
  of: Schema.Literal("amount"),
  /** Price of the last level; `null` where amounts vary. */
  level: Schema.NullOr(Amount),
  /** The last payments. */
  recent: Schema.Array(Amount),
  /** What the season makes of it. */
  season: Schema.Finite,
  digits: Schema.Int
})

export const RecurringEvidence = Schema.Union([
  SeriesKey,
  Slot,
  StateBasis,
  Prices,
  Change,
  Arrival,
  Measured,
  AmountBasis
])
export type RecurringEvidence = typeof RecurringEvidence.Type

export const seriesId = (sha256: Sha256, key: Omit<typeof SeriesKey.Type, "of">): string =>
  `ser_${derivedId(sha256, key.enrichmentId, key.cluster, key.direction, key.currency, key.cadence, String(key.ordinal))}`

const dayOf = CalendarDate.toEpochDay

/** The day that comes next by what was measured. */
const nextDay = ({ closed, lastDate, lastSlot, rhythm: text }: typeof Measured.Type): FieldValue => {
  const rhythm = readRhythm(text)
  if (rhythm === undefined) return null
  const slots = new SlotCalendar({ weekend: [], holidays: closed })
  const last = nearestSlot({ ...rhythm, shift: "none" }, dayOf(lastSlot), slots)
  const next = slotAfter(rhythm, last + 1, dayOf(lastDate), slots)
  return CalendarDate.fromEpochDay(slotDay(rhythm, next, slots))
}

const expectedAmount = ({ digits, level, recent, season }: typeof AmountBasis.Type): FieldValue => {
  if (level !== null) return level
  const sorted = recent.toSorted((a, b) => Decimal.compare(Decimal.abs(a), Decimal.abs(b)))
  const middle = sorted[Math.max(0, Math.ceil(0.5 * sorted.length) - 1)]
  if (middle === undefined) return null
  const units = Math.round(Number(Decimal.toUnits(Decimal.abs(middle), digits)) * season)
  const amount = Decimal.fromUnits(BigInt(units), digits)
  return Decimal.isNegative(middle) ? Decimal.negate(amount) : amount
}

const said = (evidence: RecurringEvidence, field: string, sha256: Sha256): readonly [FieldValue, string] => {
  switch (evidence.of) {
    case "series": {
      const { cadence, cluster, direction } = evidence
      const flow = direction === "out" ? "to" : "from"
      return [seriesId(sha256, evidence), `One of the ${cadence} payments ${flow} "${cluster}".`]
    }
    case "slot": {
      const off = CalendarDate.daysBetween(evidence.slot, evidence.date)
      const cadence = evidence.rhythm.split("/")[0]!
      return [
        field === "recurring.deltaDays" ? String(off) : cadence,
        `Of ${evidence.date}, where the rhythm ${evidence.rhythm} has ${evidence.slot}: ${off} days after it.`
      ]
    }
    case "state": {
      const { confirmed, ended, hits, late, mature } = evidence
      if (ended !== null) return ["ended", `Nothing came for so long that it is over since ${ended}.`]
      if (late !== null) return ["late", `The next payment is late since ${late}.`]
      if (confirmed) return ["mature", "A person has confirmed the series."]
      return hits >= mature
        ? ["mature", `There are ${mature} payments or more.`]
        : ["early", `There are ${hits} payments; ${mature} make it sure.`]
    }
    case "levels": {
      const { levels, varies } = evidence
      if (levels.length === 1) return ["fixed", `Always about ${levels[0]}.`]
      if (levels.length > 1) return ["stepped", `Prices one after the other: ${levels.join(", ")}.`]
      return varies ? ["variable", "Amounts vary."] : ["irregular", "Amounts follow nothing."]
    }
    case "change":
      return [
        Decimal.subtract(evidence.after, evidence.before),
        `The price went from ${evidence.before} to ${evidence.after}.`
      ]
    case "arrival":
      return [
        evidence.pending || evidence.alone,
        evidence.pending ? "The payment is not booked yet." : "No second payment has this price yet."
      ]
    case "fit": {
      if (field === "recurring.schedule") {
        return [evidence.rhythm, `Best of all rhythms, with a score of ${evidence.score}.`]
      }
      const { bits, hits, slots } = evidence
      return [
        nextDay(evidence),
        `Follows ${evidence.rhythm} after ${evidence.lastDate}: ${hits.length} of ${slots} days met, ${bits} bits against chance.`
      ]
    }
    case "amount":
      return [
        expectedAmount(evidence),
        evidence.level === null
          ? `In the middle of the last ${evidence.recent.length} payments.`
          : "What the last payments cost."
      ]
  }
}

/** The fields that each kind of evidence supports. */
const speaksFor: Readonly<Record<RecurringEvidence["of"], ReadonlyArray<string>>> = {
  series: ["recurring.seriesId"],
  slot: ["recurring.cadence", "recurring.deltaDays"],
  state: ["recurring.state"],
  levels: ["recurring.amountKind"],
  change: ["recurring.amountDelta"],
  arrival: ["recurring.provisional"],
  fit: ["recurring.schedule", "recurring.expectedDate"],
  amount: ["recurring.expectedAmount"]
}

export const explainRecurring = (
  { evidence, field, value }: Explained<RecurringEvidence>,
  sha256: Sha256
): Explanation => {
  const [recomputed, sentence] = said(evidence, field, sha256)
  return { sentence, recomputed, holds: recomputed === value && speaksFor[evidence.of].includes(field) }
}
