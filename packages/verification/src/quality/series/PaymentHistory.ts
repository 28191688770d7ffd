/** Made up payments with known series: everything about them is drawn. */
import { BusinessCalendar, CalendarDate } from "@millrace/core"
import type { SetRecord } from "@millrace/core/enrichment"
import type { Seeded } from "@millrace/testing/model"

const syllables =
  "ba be bo da de do fa fi ga gi ka ke ko la le lo ma mi mo na ne no pa pe po ra re ro sa se so ta te to va vo za zu".split(
    " "
  )
const trades =
  "Energy Telecom Insurance Fitness Media Water Leasing Market Bakery Motors Pharma Books Travel Studio".split(" ")

export const today = CalendarDate.make("2026-05-31")
const days = 790
const firstDay = CalendarDate.addDays(today, -days)

/** A name that no other merchant is likely to have. */
export const merchantName = (random: Seeded): string => {
  const word = random.list(3, 4, () => random.pick(syllables)).join("")
  return `${word[0]!.toUpperCase()}${word.slice(1)} ${random.pick(trades)}`
}

const digits = (random: Seeded, count: number): string => Array.from({ length: count }, () => random.below(10)).join("")

/** The same merchant as banks write it on one day or another. */
export const written = (name: string, random: Seeded): string => {
  const form = random.below(8)
  if (form === 0) return `${name.toUpperCase()} ${digits(random, 6)}`
  if (form === 1) return `DIRECT DEBIT ${name} REF ${digits(random, 8)}`
  if (form === 2) return `${name} Ltd`
  if (form === 3) return `${name.toUpperCase()} ${1 + random.below(99)}`
  if (form === 4) return `POS ${name}`
  return name
}

const cadences = [
  ["weekly", 7, 6],
  ["biweekly", 14, 8],
  ["fourWeekly", 28, 4],
  ["semimonthly", 0, 6],
  ["monthly", 0, 50],
  ["bimonthly", 0, 4],
  ["quarterly", 0, 10],
  ["semiannual", 0, 4],
  ["annual", 0, 8]
] as const

const months: Readonly<Record<string, number>> = { monthly: 1, bimonthly: 2, quarterly: 3, semiannual: 6, annual: 12 }
const leastHits: Readonly<Record<string, number>> = {
  weekly: 4,
  fourWeekly: 4,
  semimonthly: 4,
  semiannual: 2,
  annual: 2
}

export interface TrueSeries {
  readonly name: string
  readonly cadence: string
  readonly records: ReadonlyArray<SetRecord>
  /** Whether there are enough payments for it to be known, and the last one is not missed yet. */
  readonly active: boolean
  /** Whether every payment costs the same until the price changes. */
  readonly priced: boolean
  /** Places of payments from which on another price holds. */
  readonly steps: ReadonlyArray<number>
}

const dayIn = (month: number, day: number): CalendarDate.CalendarDate => {
  const [year, index] = [Math.floor(month / 12), (month % 12) + 1]
  return CalendarDate.fromParts(year, index, Math.min(day, CalendarDate.daysInMonth(year, index)))!
}

const slotsOf = (cadence: string, random: Seeded): ReadonlyArray<CalendarDate.CalendarDate> => {
  const step = cadences.find(([name]) => name === cadence)![1]
  const shift = random.weighted([
    ["none", 3],
    ["following", 4],
    ["preceding", 1]
  ] as const)
  if (step > 0) {
    const start = random.below(step)
    return Array.from({ length: Math.floor((days - start) / step) + 1 }, (_, n) =>
      CalendarDate.addDays(firstDay, start + n * step)
    )
  }
  const first = Number(firstDay.slice(0, 4)) * 12 + Number(firstDay.slice(5, 7)) - 1
  const every = months[cadence] ?? 1
  const anchors =
    cadence === "semimonthly"
      ? random.pick([
          [1, 15],
          [1, 16],
          [15, 31],
          [5, 20]
        ])
      : [random.pick([1, 2, 3, 5, 10, 12, 15, 18, 20, 22, 25, 28, 30, 31])]
  const phase = random.below(every)
  return Array.from({ length: 28 }, (_, n) => n)
    .filter((n) => n % every === phase)
    .flatMap((n) => anchors.map((day) => dayIn(first + n, day)))
    .map((day) => BusinessCalendar.shift(BusinessCalendar.standardWeek, day, shift))
    .filter((day) => day >= firstDay && day <= today)
}

const record = (
  date: CalendarDate.CalendarDate,
  cents: number,
  description: string,
  n: number,
  accountId: SetRecord["accountId"]
): SetRecord => ({
  recordId: `rec_${String(n).padStart(10, "0")}`,
  accountId,
  fields: { date, amount: `-${(cents / 100).toString()}`, currency: "EUR", description, pending: false }
})

/** Payments of a merchant that recur. `next` counts records. */
export const drawSeries = (random: Seeded, next: () => number, accountId: SetRecord["accountId"]): TrueSeries => {
  const cadence = random.weighted(cadences.map(([name, , weight]) => [name, weight] as const))
  const all = slotsOf(cadence, random)
  const least = leastHits[cadence] ?? 3
  // It begins somewhere in the history, and one in five has stopped.
  const begin = random.below(Math.max(1, all.length - least - 1))
  const stopped = random.once(5)
  const end = stopped ? begin + Math.max(least, Math.floor((all.length - begin) * 0.6)) : all.length
  const late = random.pick([0, 0, 0, 1, 1, 2])
  const missed = random.pick([0, 0, 0, 50])
  const kind = random.weighted([
    ["fixed", 5],
    ["stepped", 3],
    ["variable", 3]
  ] as const)
  let cents = 300 + random.below(random.pick([2_000, 10_000, 150_000]))
  const spread = 5 + random.below(20)
  const name = merchantName(random)
  const records: Array<SetRecord> = []
  const steps: Array<number> = []
  let sinceStep = 0
  for (const [at, slot] of all.slice(begin, end).entries()) {
    if (missed > 0 && at > 0 && random.once(missed)) continue
    const day = CalendarDate.addDays(slot, late === 0 ? 0 : random.below(late + 1))
    if (day > today) continue
    sinceStep++
    if (kind === "stepped" && sinceStep > 4 && random.once(8)) {
      cents = Math.round(cents * (1 + ((random.once(4) ? -1 : 1) * (3 + random.below(22))) / 100))
      steps.push(records.length)
      sinceStep = 1
    }
    const paid =
      kind === "variable"
        ? Math.max(50, Math.round(cents * (1 + (random.below(2 * spread + 1) - spread) / 100)))
        : cents
    records.push(record(day, paid, written(name, random), next(), accountId))
  }
  const period =
    cadences.find(([one]) => one === cadence)![1] ||
    Math.round(30.44 * (cadence === "semimonthly" ? 0.5 : months[cadence]!))
  const last = records.at(-1)
  const active =
    !stopped &&
    records.length >= least &&
    last !== undefined &&
    CalendarDate.daysBetween(CalendarDate.make(String(last.fields["date"])), today) <= period + 3
  return { name, cadence, records, active, priced: kind !== "variable", steps }
}

/** Payments of a merchant that nothing recurs in: days and amounts are drawn one by one. */
export const drawRandom = (
  random: Seeded,
  next: () => number,
  accountId: SetRecord["accountId"]
): ReadonlyArray<SetRecord> => {
  const name = merchantName(random)
  const scale = 400 + random.below(8_000)
  const few = random.once(2) ? 2 + random.below(5) : 2 + random.below(40)
  return Array.from({ length: few }, () => {
    const factor = Math.exp(((random.below(1_000) + random.below(1_000) + random.below(1_000)) / 1_500 - 1) * 1.2)
    const cents = Math.max(50, Math.round(scale * factor))
    return record(
      CalendarDate.addDays(firstDay, random.below(days + 1)),
      cents,
      written(name, random),
      next(),
      accountId
    )
  })
}
