/** What is unusual about the records of an account (enrichments D4). */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { AnomalyConfig, Detector } from "./AnomalyConfig.ts"
import { Cell } from "./Cell.ts"
import type { Entry } from "./Entry.ts"
import { refundsIn } from "./Entry.ts"
import type { Feedback } from "./Feedback.ts"
import {
  type Baseline,
  baselineOf,
  type Level,
  rounded,
  type Severity,
  severityOf,
  tailOf,
  thresholdOf,
  zOf
} from "./Score.ts"
import { type Side, Sides } from "./Side.ts"

/** One thing that is unusual; the numbers are all that it follows from. */
export interface Detected {
  readonly kind: Detector
  readonly severity: Severity
  /** Of amounts how many usual distances they are off; of others what is said of them. */
  readonly score: number
  readonly numbers: Readonly<Record<string, number>>
}

export interface Flag {
  readonly entry: Entry
  readonly detected: ReadonlyArray<Detected>
  readonly baseline: Baseline | undefined
  readonly threshold: number | undefined
}

/** The least excess that counts, as a number in a currency. */
export type Excess = (currency: string, day: number) => number

const fewest = { merchant: 5, series: 5, category: 20, account: 50 } as const
const secondFactor = 1.25
const twinDays = 2
const defaultRepeat = 0.05
const sureRepeats = 50
const usualRepeat = 0.08
const newMerchantZ = 3.5
const day90 = 90

/** What was frozen on the first day of a month, so that later records change nothing about it. */
interface Frozen {
  readonly cell:
    | { readonly n: number; readonly center: number; readonly mad: number; readonly second: number }
    | undefined
  readonly p90: number
  readonly p95: number
  /** Of categories: the middle of the spreads of their merchants. */
  readonly prior: number
}

const noPrior = 0.3

/** Looks at records in the order of time, each against those of earlier days. */
export class Detection {
  private readonly config: AnomalyConfig
  private readonly excess: Excess
  private readonly feedback: Feedback
  private readonly wanted: ReadonlySet<Detector>
  private readonly merchants = new Map<string, Cell>()
  private readonly series = new Map<string, Cell>()
  private readonly categories = new Map<string, Cell>()
  private readonly accounts = new Map<string, Cell>()
  private readonly frozen = new Map<string, Frozen>()
  /** Merchants by category, for the usual spread. */
  private readonly merchantsOf = new Map<string, Set<string>>()
  private month = ""
  private readonly lastSeen = new Map<string, number>()
  private readonly currencies = new Map<string, number>()
  private hasAny = false
  /** Days by merchant, currency and amount. */
  private readonly days = new Map<string, Map<string, Array<number>>>()
  private readonly sides = new Sides()
  private readonly twins = new Map<string, Array<{ readonly day: number; readonly isTwin: boolean }>>()
  private readonly repeatRates = new Map<string, number>()
  private readonly perDay = new Map<number, number>()
  private readonly seriesSizes = new Map<string, number>()

  constructor(config: AnomalyConfig, excess: Excess, feedback: Feedback) {
    this.config = config
    this.excess = excess
    this.feedback = feedback
    this.wanted = new Set(config.detectors)
  }

  /** All that is unusual, in the order of time. */
  run(entries: ReadonlyArray<Entry>): ReadonlyArray<Flag> {
    const flags: Array<Flag> = []
    const { refunded, refunds } = refundsIn(entries)
    const looked = entries.filter((one) => (this.config.direction === "both" || one.isOut) && !refunds.has(one))
    for (const { fields } of looked) {
      const id = fields["recurring.seriesId"]
      if (typeof id === "string") this.seriesSizes.set(id, (this.seriesSizes.get(id) ?? 0) + 1)
    }
    for (let from = 0; from < looked.length;) {
      const { day } = looked[from]!
      let to = from
      while (to < looked.length && looked[to]!.day === day) to++
      const today = looked.slice(from, to)
      this.freeze(day)
      for (const [at, entry] of today.entries()) {
        const flag = this.look(entry, today.slice(0, at), refunded)
        if (flag !== undefined) flags.push(flag)
      }
      const rush = this.rush(today)
      if (rush !== undefined) flags.push(rush)
      for (const entry of today) this.learn(entry, refunded)
      from = to
    }
    return flags
  }

  private cellOf(cells: Map<string, Cell>, key: string, day: number): Cell {
    let cell = cells.get(key)
    if (cell === undefined) cells.set(key, (cell = new Cell()))
    return cell.since(day - this.config.lookbackDays)
  }

  /** At the first record of a month everything that reaches beyond a merchant is measured again. */
  private freeze(day: number): void {
    const month = CalendarDate.fromEpochDay(day).slice(0, 7)
    if (month === this.month) return
    this.month = month
    this.frozen.clear()
    this.repeatRates.clear()
    const start = CalendarDate.toEpochDay(CalendarDate.make(`${month}-01`))
    for (const cells of [this.categories, this.accounts]) {
      for (const [key, cell] of cells) {
        const usual = cell.since(start - this.config.lookbackDays).usual()
        const spreads: Array<number> = []
        for (const merchant of this.merchantsOf.get(key) ?? []) {
          const own = this.merchants
            .get(merchant)
            ?.since(start - this.config.lookbackDays)
            .usual()
          if (own !== undefined && own.n >= 3) spreads.push(own.mad)
        }
        spreads.sort((a, b) => a - b)
        const prior = spreads.length < 5 ? noPrior : spreads[(spreads.length - 1) >> 1]!
        this.frozen.set(key, { cell: usual, p90: cell.quantile(0.9), p95: cell.quantile(0.95), prior })
      }
    }
    for (const [category, all] of this.twins) {
      const year = all.filter((one) => one.day >= start - 365)
      const rate = year.length < sureRepeats ? defaultRepeat : year.filter(({ isTwin }) => isTwin).length / year.length
      this.repeatRates.set(category, rate)
    }
  }

  private look(entry: Entry, before: ReadonlyArray<Entry>, refunded: ReadonlySet<Entry>): Flag | undefined {
    const detected: Array<Detected> = []
    const side = this.sides.of(entry)
    const category = this.frozen.get(side.of(entry.category))
    const account = this.frozen.get(side.name)
    const measured = this.measure(entry, side, category, account)
    const add = (one: Detected | undefined): void => {
      if (one === undefined || !this.wanted.has(one.kind) || this.feedback.isNormal(entry.recordId, one.kind)) return
      detected.push(one)
    }
    if (measured !== undefined) add(this.amount(entry, measured, account))
    add(this.newMerchant(entry, side, category, account))
    if (!refunded.has(entry)) add(this.duplicate(entry, side, before))
    for (const one of this.ofSeries(entry)) add(one)
    add(this.foreign(entry))
    if (detected.length === 0) return undefined
    return { entry, detected, baseline: measured?.baseline, threshold: measured && rounded(measured.threshold) }
  }

  /** What the amount is held against: the series, the merchant, the category or the account. */
  private measure(entry: Entry, side: Side, category: Frozen | undefined, account: Frozen | undefined) {
    const { day, fields, merchant } = entry
    const factor = this.feedback.factor(merchant, "amount", day)
    const held = (
      level: Level,
      usual: { n: number; center: number; mad: number; second: number; least?: number; most?: number }
    ) => {
      const full = { least: usual.center, most: usual.center, ...usual }
      const baseline = baselineOf(level, full, category?.prior ?? noPrior)
      return {
        baseline,
        factor,
        second: usual.second,
        threshold: thresholdOf(this.config.sensitivity, baseline, factor)
      }
    }
    const seriesId = fields["recurring.seriesId"]
    if (typeof seriesId === "string") {
      // What a price is now is judged by the series, and not twice.
      const kind = fields["recurring.amountKind"]
      if (kind === "fixed" || kind === "stepped") return undefined
      const usual = this.cellOf(this.series, seriesId, day).usual()
      return usual === undefined || usual.n < fewest.series ? undefined : held("series", usual)
    }
    const own = merchant === "" ? undefined : this.cellOf(this.merchants, side.of(merchant), day).usual()
    if (own !== undefined && own.n >= fewest.merchant) return held("merchant", own)
    if (category?.cell !== undefined && category.cell.n >= fewest.category) return held("category", category.cell)
    if (account?.cell !== undefined && account.cell.n >= fewest.account) return held("account", account.cell)
    return undefined
  }

  private amount(
    entry: Entry,
    { baseline, factor, second, threshold }: NonNullable<ReturnType<Detection["measure"]>>,
    account: Frozen | undefined
  ): Detected | undefined {
    const { currency, day, value } = entry
    const z = zOf(value, baseline)
    if (rounded(z) < rounded(threshold)) return undefined
    if (Math.exp(value) - Math.exp(baseline.center) < this.excess(currency, day)) return undefined
    if (value < second + Math.log(secondFactor) - 1e-9) return undefined
    if (baseline.n < 12 && account !== undefined && value < account.p90) return undefined
    return { kind: "amount", severity: severityOf(z, threshold), score: rounded(z), numbers: { factor } }
  }

  private newMerchant(
    entry: Entry,
    side: Side,
    category: Frozen | undefined,
    account: Frozen | undefined
  ): Detected | undefined {
    const { currency, day, merchant, value } = entry
    const seen = this.lastSeen.get(side.of(merchant))
    if (merchant === "" || (seen !== undefined && day - seen <= this.config.lookbackDays)) return undefined
    const usual = category?.cell
    if (usual === undefined || usual.n < fewest.category || account === undefined) return undefined
    const baseline = baselineOf("category", { ...usual, least: usual.center, most: usual.center }, noPrior)
    const z = zOf(value, baseline)
    const least = newMerchantZ * this.feedback.factor(merchant, "newMerchant", day)
    if (z < least || value < account.p95) return undefined
    if (Math.exp(value) - Math.exp(usual.center) < this.excess(currency, day)) return undefined
    const { center, spread } = baseline
    return { kind: "newMerchant", severity: "low", score: rounded(z), numbers: { center, spread, least } }
  }

  private duplicate(entry: Entry, side: Side, before: ReadonlyArray<Entry>): Detected | undefined {
    const { amount, category, day, fields, merchant } = entry
    if (merchant === "" || typeof fields["recurring.seriesId"] === "string") return undefined
    if (this.config.repeatCategories.some((one) => one.toLowerCase() === category.toLowerCase())) return undefined
    const known = this.days.get(side.of(merchant))?.get(amount) ?? []
    const sameDay = before.some(
      (one) => one.merchant === merchant && one.amount === amount && this.sides.of(one) === side
    )
    const twin = sameDay ? day : known.findLast((one) => day - one <= twinDays)
    if (twin === undefined) return undefined
    const earlier = [...new Set(known.filter((one) => one < twin))]
    const repeats = earlier.filter(
      (one) =>
        known.filter((other) => other === one).length > 1 ||
        earlier.some((other) => other < one && one - other <= twinDays)
    ).length
    const rate = this.repeatRates.get(category) ?? defaultRepeat
    const n = earlier.length
    const factor = this.feedback.factor(merchant, "duplicateCharge", day)
    const likely = ((repeats + 2 * rate) / (n + 2)) * factor
    if (likely >= usualRepeat || (n < 5 && Decimal.compare(amount, Decimal.make("10")) < 0)) return undefined
    return {
      kind: "duplicateCharge",
      severity: "medium",
      score: rounded(1 - likely),
      numbers: { repeats, dates: n, rate, factor }
    }
  }

  /** Mirrors what is said of series that are sure. */
  private ofSeries({ day, fields, merchant }: Entry): ReadonlyArray<Detected> {
    const id = fields["recurring.seriesId"]
    if (typeof id !== "string") return []
    const found: Array<Detected> = []
    const payments = this.seriesSizes.get(id) ?? 0
    const delta = fields["recurring.amountDelta"]
    if (typeof delta === "string" && fields["recurring.provisional"] !== true && payments >= 4) {
      const factor = this.feedback.factor(merchant, "priceChange", day)
      if (factor < 2)
        found.push({ kind: "priceChange", severity: "low", score: 1, numbers: { delta: Number(delta), payments } })
    }
    if (fields["recurring.state"] === "late" && typeof fields["recurring.expectedDate"] === "string" && payments >= 4) {
      found.push({ kind: "missedRecurring", severity: "medium", score: 1, numbers: { payments } })
    }
    return found
  }

  private foreign({ currency, day }: Entry): Detected | undefined {
    const seen = this.currencies.get(currency)
    if (!this.hasAny || (seen !== undefined && day - seen <= this.config.lookbackDays)) return undefined
    return { kind: "foreignCurrency", severity: "info", score: 0, numbers: { since: seen ?? 0 } }
  }

  /** More payments on a day than chance has, told of the last one. */
  private rush(today: ReadonlyArray<Entry>): Flag | undefined {
    const [last] = today.slice(-1)
    if (last === undefined || !this.wanted.has("velocity") || today.length < 6) return undefined
    let count = 0
    for (let day = last.day - day90; day < last.day; day++) count += this.perDay.get(day) ?? 0
    const mean = count / day90
    if (tailOf(today.length, mean) >= 1e-5 || this.feedback.isNormal(last.recordId, "velocity")) return undefined
    const numbers = { count: today.length, mean }
    return {
      entry: last,
      detected: [{ kind: "velocity", severity: "medium", score: today.length, numbers }],
      baseline: undefined,
      threshold: undefined
    }
  }

  private learn(entry: Entry, refunded: ReadonlySet<Entry>): void {
    const { amount, category, currency, day, fields, merchant, recordId, value } = entry
    const side = this.sides.of(entry)
    this.hasAny = true
    this.currencies.set(currency, day)
    this.perDay.set(day, (this.perDay.get(day) ?? 0) + 1)
    if (merchant !== "") this.lastSeen.set(side.of(merchant), day)
    if (merchant !== "") this.feedback.learn(merchant, recordId, day, this.config.detectors)
    if (refunded.has(entry) || this.feedback.isFaulty(recordId)) return
    const seriesId = fields["recurring.seriesId"]
    if (typeof seriesId === "string") this.cellOf(this.series, seriesId, day).add(day, value)
    const categoryKey = side.of(category)
    this.cellOf(this.categories, categoryKey, day).add(day, value)
    this.cellOf(this.accounts, side.name, day).add(day, value)
    if (merchant === "") return
    const own = side.of(merchant)
    this.cellOf(this.merchants, own, day).add(day, value)
    const members = this.merchantsOf.get(categoryKey) ?? new Set()
    this.merchantsOf.set(categoryKey, members.add(own))
    const sums = this.days.get(own) ?? new Map<string, Array<number>>()
    this.days.set(own, sums)
    const known = sums.get(amount) ?? []
    sums.set(amount, known)
    const isTwin = known.length > 0 && day - known.at(-1)! <= twinDays
    known.push(day)
    const twins = this.twins.get(category) ?? []
    this.twins.set(category, twins)
    twins.push({ day, isTwin })
  }
}
