/** Whether the balances that a bank tells follow from the records between them, and why they do not (enrichments C13). */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { SetRecord } from "../SetKind.ts"
import { dayOf, textOf } from "./MonitorRows.ts"
import type { Cause, Seen } from "./MonitorState.ts"

type Posted = ReadonlyArray<readonly [CalendarDate.CalendarDate, Decimal.Decimal]>

/** A bank may book a day before or after the one that it says. */
export const everyShift: ReadonlyArray<number> = [0, -1, 1]

const sumBetween = (posted: Posted, after: CalendarDate.CalendarDate, upTo: CalendarDate.CalendarDate) =>
  Decimal.sum(posted.flatMap(([date, sum]) => (date > after && date <= upTo ? [sum] : [])))

interface Residual {
  readonly early: number
  readonly late: number
  readonly value: Decimal.Decimal
}

/**
 * What may lie between two balances and be in no record: what the balance moved less what was posted after the day of the one,
 * up to the day of the other, each moved by a day at most. Those whose days are moved alike come first.
 */
const residualsOf = (from: Seen, to: Seen, shifts: ReadonlyArray<number>, posted: Posted): ReadonlyArray<Residual> => {
  const moved = Decimal.subtract(to.balance, from.balance)
  return shifts
    .flatMap((early) =>
      everyShift.flatMap((late): ReadonlyArray<Residual> => {
        const after = CalendarDate.addDays(from.date, early)
        const upTo = CalendarDate.addDays(to.date, late)
        return upTo < after ? [] : [{ early, late, value: Decimal.subtract(moved, sumBetween(posted, after, upTo)) }]
      })
    )
    .toSorted((a, b) => Math.abs(a.early - a.late) - Math.abs(b.early - b.late))
}

export interface TieOut {
  /** Balances that are looked at from now on: the last that agrees, and those after it. */
  readonly seen: ReadonlyArray<Seen>
  /** The days by which the first of them may be off: what was posted up to then is in it. */
  readonly shifts: ReadonlyArray<number>
  /** What is missing in the records: it stayed the same over the last two balances. */
  readonly residual: Decimal.Decimal | undefined
}

/**
 * `seen`: the oldest first. The first one is the anchor; a later one that agrees with it takes its place, and keeps in which
 * ways it does. Of all that may be missing, what explains most of the balances since is believed.
 */
export const tieOut = (
  seen: ReadonlyArray<Seen>,
  shifts: ReadonlyArray<number>,
  posted: Posted,
  tolerance: Decimal.Decimal
): TieOut => {
  let anchor = 0
  let ways = shifts
  let since: Array<ReadonlyArray<Residual>> = []
  const agrees = (value: Decimal.Decimal) => Decimal.compare(Decimal.abs(value), tolerance) <= 0
  for (let at = 1; at < seen.length; at++) {
    const all = residualsOf(seen[anchor]!, seen[at]!, ways, posted)
    const zero = all.filter(({ value }) => agrees(value))
    if (zero.length > 0) {
      anchor = at
      ways = [...new Set(zero.map(({ late }) => late))].toSorted((a, b) => a - b)
      since = []
    } else since.push(all)
  }
  const near = (a: Decimal.Decimal, b: Decimal.Decimal) => agrees(Decimal.subtract(a, b))
  const [last, before] = [since.at(-1), since.at(-2)]
  const explains = ({ early, value }: Residual, all: ReadonlyArray<Residual>) =>
    all.some((one) => one.early === early && near(one.value, value))
  const stay = last?.filter((one) => before !== undefined && explains(one, before)) ?? []
  let best: { readonly value: Decimal.Decimal; readonly count: number } | undefined
  for (const one of stay) {
    const count = since.filter((all) => explains(one, all)).length
    if (best === undefined || count > best.count) best = { value: one.value, count }
  }
  return { seen: seen.slice(anchor), shifts: ways, residual: best?.value }
}

const mostPending = 12

/** Whether some of the amounts sum to the target: at most twelve of them are tried, which are 4,096 sums. */
const subsetOf = (pending: ReadonlyArray<SetRecord>, target: Decimal.Decimal): ReadonlyArray<SetRecord> | undefined => {
  const some = pending.slice(0, mostPending)
  for (let mask = 1; mask < 1 << some.length; mask++) {
    const chosen = some.filter((_, at) => (mask & (1 << at)) !== 0)
    if (Decimal.sum(chosen.map(amountOf)) === target) return chosen
  }
  return undefined
}

const amountOf = ({ fields }: SetRecord): Decimal.Decimal => Decimal.parse(textOf(fields["amount"])) ?? Decimal.zero

interface Guess {
  readonly cause: string
  /** How likely it is where it is the only one of its sort. */
  readonly base: number
  readonly hits: ReadonlyArray<ReadonlyArray<SetRecord>>
}

/** Three percent, as a part of the hundred. */
const spread = Decimal.make("0.03")

const times = (a: Decimal.Decimal, b: Decimal.Decimal): Decimal.Decimal => {
  const digits = Decimal.scale(a) + Decimal.scale(b)
  return Decimal.fromUnits(Decimal.toUnits(a, Decimal.scale(a)) * Decimal.toUnits(b, Decimal.scale(b)), digits)
}

/** Equal in text, amount and day: one of them may be there twice. */
const twins = (records: ReadonlyArray<SetRecord>): ReadonlyArray<ReadonlyArray<SetRecord>> => {
  const groups = Map.groupBy(records, ({ fields }) =>
    JSON.stringify([dayOf(fields) ?? "", textOf(fields["description"])])
  )
  return [...groups.values()].filter((some) => some.length > 1)
}

/** Those that come to the amount exactly; where none does, those that come within the tolerance of it. */
const comingTo = (
  records: ReadonlyArray<SetRecord>,
  of: (record: SetRecord) => Decimal.Decimal,
  target: Decimal.Decimal,
  tolerance: Decimal.Decimal
): ReadonlyArray<SetRecord> => {
  const exact = records.filter((record) => of(record) === target)
  if (exact.length > 0 || tolerance === Decimal.zero) return exact
  return records.filter((record) => Decimal.compare(Decimal.abs(Decimal.subtract(of(record), target)), tolerance) <= 0)
}

/**
 * What may be behind a residual, the likeliest first, at most three: the base of a sort divided by how many records would
 * explain it equally well. `records`: those of the account around the interval, gone ones included; `currency`: its own;
 * `tolerance`: by which balances of the bank may be off, and so the residual.
 */
export const explainResidual = (
  residual: Decimal.Decimal,
  records: ReadonlyArray<SetRecord>,
  currency: string,
  tolerance: Decimal.Decimal = Decimal.zero
): ReadonlyArray<Cause> => {
  const opposite = Decimal.negate(residual)
  const live = records.filter(({ fields }) => fields["removed"] !== true)
  const booked = live.filter(({ fields }) => fields["pending"] !== true)
  const pending = live.filter(({ fields }) => fields["pending"] === true)
  const sums = subsetOf(pending, residual)
  const foreign = booked.filter(({ fields }) => {
    const other = textOf(fields["currency"])
    return other !== "" && other !== currency
  })
  const guesses: ReadonlyArray<Guess> = [
    {
      cause: "a record that is there twice",
      base: 0.95,
      // One too many of them: without it the residual is nothing.
      hits: twins(comingTo(booked, amountOf, opposite, tolerance)).map((some) => some.slice(-1))
    },
    {
      cause: "a record that was dropped or removed",
      base: 0.9,
      hits: comingTo(
        records.filter(({ fields }) => fields["removed"] === true),
        amountOf,
        residual,
        tolerance
      ).map((one) => [one])
    },
    {
      cause: "records that are pending and are in the balance already",
      base: 0.9,
      hits: sums === undefined ? [] : [sums]
    },
    {
      cause: "a record with the wrong sign",
      base: 0.85,
      hits: comingTo(booked, (record) => times(amountOf(record), Decimal.make("2")), opposite, tolerance).map((one) => [
        one
      ])
    },
    {
      cause: "a fee that the bank has charged before",
      base: 0.6,
      hits: comingTo(
        booked.filter(({ fields }) => fields["type"] === "FEE" || fields["category"] === "BANK_FEES"),
        amountOf,
        residual,
        tolerance
      )
        .slice(0, 1)
        .map((one) => [one])
    },
    {
      cause: "the exchange rate of records in other currencies",
      base: 0.5,
      hits: foreign
        .filter((record) => Decimal.compare(Decimal.abs(residual), times(Decimal.abs(amountOf(record)), spread)) <= 0)
        .map((one) => [one])
    }
  ]
  const found = guesses
    .flatMap(({ base, cause, hits }) =>
      hits.map((some) => ({
        cause,
        score: Math.round((base / hits.length) * 1_000) / 1_000,
        recordIds: some.map(({ recordId }) => recordId)
      }))
    )
    .toSorted((a, b) => b.score - a.score)
    .slice(0, 3)
  return found.length > 0 ? found : [{ cause: "unexplained", score: 0, recordIds: [] }]
}
