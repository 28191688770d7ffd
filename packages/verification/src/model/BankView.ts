/** What a provider shows of an `AccountHistory`, day by day, in the manner of its kind. */
import type { Coverage, IdTrust } from "@millrace/core/provider"
import { type CalendarDate, Decimal } from "@millrace/core"
import type { Observation } from "../../../core/src/record/Observation.ts"
import { dateOf, formOn, lingeringOn, type BankEvent, type AccountHistory, type EventForm } from "./AccountHistory.ts"
import { Seeded } from "@millrace/testing/model"

/** An observation with the truth about it, which identity must not look at. */
export interface TrueObservation extends Observation {
  readonly event: number
}

/** What a statement file says besides its rows. */
export interface FileSays {
  readonly from?: CalendarDate.CalendarDate
  readonly to?: CalendarDate.CalendarDate
  readonly openingBalance?: Decimal.Decimal
  readonly closingBalance?: Decimal.Decimal
}

export interface BankRead {
  readonly idTrust: IdTrust
  readonly coverage: Coverage
  readonly observations: ReadonlyArray<TrueObservation>
  readonly removed: ReadonlySet<string>
  readonly file?: FileSays
}

export const behaviours = [
  /** One id for the whole history. */
  "stable",
  /** A change feed: a new id when booked, nearly always with the pending one beside it. */
  "linked",
  /** A change feed: a new id when booked, and the old one listed as gone, mostly in the same read. */
  "unlinked",
  /** A window: a new id when booked, and no word about it. */
  "reidentified",
  /** A window whose ids are places in the list. */
  "renumbered",
  /** A window without ids. */
  "idless",
  /** The pending list is empty on some days, and pending rows come back under new ids. */
  "flickering",
  /** Pages are missing on some days: mostly it says so, sometimes it claims to be complete. */
  "gaps",
  /** All ids change at every reconnect, and sometimes all texts. */
  "reissuing",
  /** Statement files over a connected account, some of them from before it was connected. */
  "overlap",
  /** Ids that are given to another event weeks later. */
  "recycling"
] as const
export type Behaviour = (typeof behaviours)[number]

const nothing: ReadonlySet<string> = new Set()

export const amountOf = (cents: number): Decimal.Decimal => Decimal.fromUnits(BigInt(cents), 2)

interface Shown {
  readonly event: BankEvent
  readonly form: EventForm
}

export class BankView {
  readonly behaviour: Behaviour
  readonly #history: AccountHistory
  readonly #random: Seeded
  readonly #windowDays: number
  /** Some providers name the merchant of a card payment themselves. */
  readonly #namesMerchants: boolean
  readonly #namesOne: boolean
  readonly #connectedOn: number
  readonly #outage: number
  /** Changes at every reconnect. */
  #session = 0
  #style = 0
  #reconnected = true
  /** Times a pending row has come back. */
  readonly #returns = new Map<number, number>()
  #shownBefore = new Set<number>()
  /** Of a change feed: id -> content as it was last told. */
  #told = new Map<string, string>()
  #late: Array<string> = []
  #read = false

  /** With `plain` it names no merchant beside what the bank writes. */
  constructor(behaviour: Behaviour, history: AccountHistory, seed: number, plain = false) {
    this.behaviour = behaviour
    this.#history = history
    this.#random = new Seeded(seed)
    this.#windowDays = 14 + this.#random.below(4) * 7
    this.#namesMerchants = this.#random.once(3) && !plain
    this.#namesOne = this.#random.once(4)
    this.#connectedOn = behaviour === "overlap" && this.#random.once(2) ? 40 : 0
    this.#outage = 20 + this.#random.below(60)
  }

  /** The reads of a day, in their order. */
  reads(day: number): ReadonlyArray<BankRead> {
    const reads: Array<BankRead> = []
    const away = day >= this.#outage && day < this.#outage + 7
    const skipped = day < this.#history.quietFrom && this.#random.once(12)
    if (day >= this.#connectedOn && !away && !skipped) reads.push(this.#connection(day))
    if (this.behaviour === "overlap" && day % 30 === 29) reads.push(this.#file(day))
    return reads
  }

  /** Whether an event cannot be shown twice. */
  get #hasOneId(): boolean {
    return ["stable", "overlap", "recycling", "reissuing"].includes(this.behaviour)
  }

  #visible(day: number): ReadonlyArray<Shown> {
    const empty = this.behaviour === "flickering" && day < this.#history.quietFrom && this.#random.once(7)
    const shown = this.#history.events.flatMap((event): ReadonlyArray<Shown> => {
      const forms = [formOn(event, day), this.#hasOneId ? undefined : lingeringOn(event, day)]
      return forms.flatMap((form) => {
        if (form === undefined || (form.pending && (empty || event.hiddenOn.has(day)))) return []
        const date = form.pending && this.#history.redatesPending ? day : form.date
        return [{ event, form: { ...form, date } }]
      })
    })
    const pending = new Set(shown.filter(({ form }) => form.pending).map(({ event }) => event.id))
    for (const id of pending) {
      if (!this.#shownBefore.has(id)) this.#returns.set(id, (this.#returns.get(id) ?? 0) + 1)
    }
    this.#shownBefore = pending
    // Newest first, and of one day in an order that has nothing to do with when it happened.
    return shown.toSorted((a, b) => b.form.date - a.form.date || ((a.event.id * 7) % 13) - ((b.event.id * 7) % 13))
  }

  #idOf({ event, form }: Shown, place: number): string {
    switch (this.behaviour) {
      case "idless":
        return ""
      case "gaps":
      case "renumbered":
        return this.behaviour === "gaps" ? "" : String(place)
      case "linked":
      case "unlinked":
      case "reidentified":
        return `${event.id}${form.pending ? "p" : "b"}`
      case "flickering":
        return form.pending ? `${event.id}p${this.#returns.get(event.id) ?? 0}` : `${event.id}b`
      case "reissuing":
        return `${this.#session}:${event.id}`
      case "recycling":
        return `n${event.id % 151}`
      case "overlap":
      case "stable":
        return `${event.id}`
    }
  }

  /** In its own spelling, or one name for everybody. */
  #merchantName(merchant: number): string {
    const name = this.#history.merchants[merchant]!
    return this.#namesOne ? "Card merchant" : name.charAt(0) + name.slice(1).toLowerCase()
  }

  #observe(shown: Shown, providerId: string, text = shown.form.text, days = 0): TrueObservation {
    const { event, form } = shown
    const date = dateOf(form.date + days)
    const amount = amountOf(form.cents)
    const isFile = providerId.startsWith("file:")
    const original = this.#style % 2 === 1 && !isFile ? `TXN ${text.replaceAll("CARD PURCHASE ", "")}` : text
    const named = this.#namesMerchants && !isFile && form.cents < 0
    const merchantName = named ? this.#merchantName(event.merchant) : undefined
    const linked = this.behaviour === "linked" && !form.pending && event.forms[0]!.pending && event.id % 20 !== 0
    const fields = {
      date,
      description: original,
      originalDescription: original,
      ...(merchantName === undefined ? {} : { merchantName }),
      amount,
      currency: "EUR",
      pending: form.pending
    }
    return {
      providerId,
      pendingProviderId: linked ? `${event.id}p` : "",
      date,
      pending: form.pending,
      hash: `${date} ${amount} ${original} ${merchantName ?? ""} ${form.pending}`,
      fields,
      event: event.id
    }
  }

  #connection(day: number): BankRead {
    if (this.behaviour === "reissuing" && this.#read && this.#random.once(25)) {
      this.#session++
      this.#reconnected = true
      if (this.#random.once(3)) this.#style++
    }
    const visible = this.#visible(day)
    const whole = this.#reconnected || !this.#read
    this.#reconnected = false
    this.#read = true
    if (this.behaviour === "linked" || this.behaviour === "unlinked") return this.#changes(day, visible, whole)
    const from = whole ? 0 : day - this.#windowDays
    const all = visible.filter(({ form }) => form.date >= from)
    let observations = all.map((shown, at) => this.#observe(shown, this.#idOf(shown, all.length - at)))
    let complete = true
    if (this.behaviour === "gaps" && day < this.#history.quietFrom && this.#random.once(4)) {
      const start = this.#random.below(observations.length + 1)
      const page = 5 + this.#random.below(30)
      observations = observations.filter((_, at) => at < start || at >= start + page)
      complete = this.#random.once(8)
    }
    const trust: Readonly<Partial<Record<Behaviour, IdTrust>>> = {
      reidentified: "perStatus",
      flickering: "perStatus",
      renumbered: "positional",
      idless: "none",
      gaps: "none",
      reissuing: "session"
    }
    return {
      idTrust: trust[this.behaviour] ?? "stable",
      coverage: { kind: "window", from: dateOf(from), to: dateOf(day), complete },
      observations,
      removed: nothing
    }
  }

  #changes(day: number, visible: ReadonlyArray<Shown>, whole: boolean): BankRead {
    const now = new Map<string, TrueObservation>()
    for (const shown of visible) {
      const one = this.#observe(shown, this.#idOf(shown, 0))
      now.set(one.providerId, one)
    }
    const observations = [...now.values()].filter(({ hash, providerId }) => this.#told.get(providerId) !== hash)
    const gone = [...this.#told.keys()].filter((id) => !now.has(id))
    const late = gone.filter(() => this.behaviour === "unlinked" && this.#random.once(15))
    const removed = new Set([...this.#late, ...gone.filter((id) => !late.includes(id))].filter((id) => !now.has(id)))
    this.#late = late
    this.#told = new Map([...now].map(([id, { hash }]) => [id, hash]))
    return {
      idTrust: "perStatus",
      coverage: whole ? { kind: "window", from: dateOf(0), to: dateOf(day), complete: true } : { kind: "delta" },
      observations,
      removed
    }
  }

  /** A statement of the last five weeks, up to yesterday: what is booked, in the words of the bank. */
  #file(day: number): BankRead {
    const seen = new Map<string, number>()
    const observations = this.#history.events.flatMap((event): ReadonlyArray<TrueObservation> => {
      const form = formOn(event, day)
      if (form === undefined || form.pending || form.date < day - 35 || form.date > day - 2) return []
      const text = form.text.replace("CARD PURCHASE ", "VISA ").replace(/ REF \d+/, " BOOKED")
      const shifted = event.id % 25 === 0 ? 1 : 0
      const key = `${form.date} ${form.cents} ${text}`
      const nth = (seen.get(key) ?? 0) + 1
      seen.set(key, nth)
      return [this.#observe({ event, form }, `file:${key}:${nth}`, text, shifted)]
    })
    return { idTrust: "stable", coverage: { kind: "delta" }, observations, removed: nothing }
  }
}
