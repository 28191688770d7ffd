/** Small worlds of purchases, written by hand: events of a `AccountHistory`, and how a matcher keeps their ledger. */
import {
  liveAccount,
  type BankEvent,
  type AccountHistory,
  type Cents,
  type EventForm
} from "../../model/AccountHistory.ts"
import { BankView, type BankRead, type Behaviour } from "../../model/BankView.ts"
import { addQuality, noQuality, play, type Play, type Quality } from "../../model/IdentityQuality.ts"
import { byIdentity } from "../../model/LedgerReplay.ts"
import { Seeded } from "@millrace/testing/model"
import { sizeOf, type Effort, type Size } from "./Scene.ts"

/** A purchase that is authorised on a day, and booked some days later or never. */
export interface Purchase {
  readonly merchant: number
  readonly day: number
  readonly cents: Cents
  readonly pendingText: string
  readonly bookedText: string
  /** Days until it is booked; 0 for one that is never pending. */
  readonly lag: number
  /** Parts in which it is booked; the whole unless set otherwise. */
  readonly parts?: ReadonlyArray<{ readonly cents: Cents; readonly later: number }>
  readonly dropped?: boolean
  readonly lingers?: number
}

const eventsOf = (purchase: Purchase): ReadonlyArray<Omit<BankEvent, "id">> => {
  const { bookedText, cents, day, dropped = false, lag, lingers = 0, merchant, pendingText } = purchase
  const { parts = [{ cents, later: 0 }] } = purchase
  const waiting: EventForm = { from: day, pending: true, date: day, cents, text: pendingText }
  const common = { merchant, hiddenOn: new Set<number>(), lingers: 0, endsOn: undefined }
  if (dropped) return [{ ...common, forms: [waiting], endsOn: day + lag }]
  const booked = parts.map((part): EventForm => {
    const from = day + lag + part.later
    return { from, pending: false, date: from, cents: part.cents, text: bookedText }
  })
  // What people put on a purchase belongs to its largest part.
  const main = booked.toSorted((a, b) => Math.abs(b.cents) - Math.abs(a.cents))[0]!
  return booked.map((form) =>
    form === main && lag > 0 ? { ...common, forms: [waiting, form], lingers } : { ...common, forms: [form] }
  )
}

/** The history of an account with these purchases, for any merchants. */
export const worldOf = (
  days: number,
  merchants: ReadonlyArray<string>,
  purchases: ReadonlyArray<Purchase>
): AccountHistory => ({
  redatesPending: false,
  merchants,
  events: purchases.flatMap(eventsOf).map((event, id) => ({ ...event, id })),
  days,
  quietFrom: days + 30
})

const beginnings = ["BRA", "CLO", "DRE", "FLI", "GRU", "KLA", "MEN", "PLO", "SKE", "TRU"]
const ends = ["BANK", "DORF", "FIELD", "GATE", "HAVEN", "LUND", "MONT", "SEN"]

/** The name of a merchant that has no word in common with any other of the first 80. */
export const merchantName = (number: number): string => {
  const beginning = beginnings[number % beginnings.length]!
  const end = ends[Math.floor(number / beginnings.length) % ends.length]!
  return `${beginning}${end} ${end}${beginning}`
}

/** Histories of a kind through providers of some kinds, added up. */
export const playWorlds = (
  effort: Effort,
  histories: Readonly<Record<Size, number>>,
  behaviours: ReadonlyArray<Behaviour>,
  historyOf: (random: Seeded) => AccountHistory,
  options: Pick<Play, "counts" | "editsOfTen" | "anyDay"> & {
    /** No provider names merchants beside what the bank writes. */
    readonly plain?: boolean
    /** What happens to the reads of a provider on their way. */
    readonly through?: (random: Seeded) => (read: BankRead, day: number) => BankRead
  } = {}
): Quality => {
  let quality = noQuality()
  const { plain = false, through = () => (read: BankRead) => read, ...rest } = options
  for (let n = 0; n < sizeOf(effort, histories); n++) {
    const seed = effort.seed + n
    const history = historyOf(new Seeded(seed))
    for (const behaviour of behaviours) {
      const view = new BankView(behaviour, history, seed + 1_000_003, plain)
      const change = through(new Seeded(seed + 3_000_003))
      const reads = (day: number) => view.reads(day).map((read) => change(read, day))
      const person = new Seeded(seed + 2_000_003)
      quality = addQuality(quality, play({ history, reads, match: byIdentity, person, ...rest }))
    }
  }
  return quality
}

/** An account as `AccountHistory` makes it. */
export const anAccount =
  (days: number) =>
  (random: Seeded): AccountHistory =>
    liveAccount(random.below(1_000_000), days)

export const percent = (part: number, whole: number): number => (whole === 0 ? 100 : (100 * part) / whole)
