/**
 * The history of an account at a bank, with the truth known: what was authorised, when and how it was booked, what was
 * dropped, corrected and reversed. Seeded: the same seed, the same history.
 *
 * The bank knows events; what a reader sees of them on a day is `BankView`.
 */
import { CalendarDate } from "@millrace/core"
import { Seeded } from "@millrace/testing/model"

/** Cents with their sign. */
export type Cents = number

/** One form of an event, from a day on. */
export interface EventForm {
  /** First day on which the bank shows it like this; days count from 0. */
  readonly from: number
  readonly pending: boolean
  /** The date it is booked under. */
  readonly date: number
  readonly cents: Cents
  readonly text: string
}

/** What happened once: one authorisation and its booking, or a booking without one. */
export interface BankEvent {
  readonly id: number
  readonly merchant: number
  /** In the order of their days. */
  readonly forms: ReadonlyArray<EventForm>
  /** The day from which the bank shows it no more; `undefined` for one that stays. */
  readonly endsOn: number | undefined
  /** Days on which the bank leaves out the pending form although it goes on. */
  readonly hiddenOn: ReadonlySet<number>
  /** Days for which the pending form is still shown beside the booked one, where the two have ids of their own. */
  readonly lingers: number
}

export interface AccountHistory {
  /** The bank dates what is pending today, every day. */
  readonly redatesPending: boolean
  /** Names by number. */
  readonly merchants: ReadonlyArray<string>
  readonly events: ReadonlyArray<BankEvent>
  /** The day after the last on which anything new happens; whatever is open by then still runs its course. */
  readonly days: number
  /** Days after which nothing changes any more. */
  readonly quietFrom: number
}

const firstDay = CalendarDate.toEpochDay(CalendarDate.make("2025-03-01"))

export const dateOf = (day: number): CalendarDate.CalendarDate => CalendarDate.fromEpochDay(firstDay + day)

export const formOn = (event: BankEvent, day: number): EventForm | undefined =>
  event.endsOn !== undefined && day >= event.endsOn ? undefined : event.forms.findLast(({ from }) => from <= day)

/** The pending form that is still shown although the event is booked. */
export const lingeringOn = ({ forms, lingers }: BankEvent, day: number): EventForm | undefined => {
  const booked = forms.find(({ pending }) => !pending)
  return lingers > 0 && booked !== undefined && day >= booked.from && day < booked.from + lingers
    ? forms.findLast(({ pending }) => pending)
    : undefined
}

/** The booked form in which an event stays, or `undefined` for one that was dropped or taken back. */
export const outcomeOf = (event: BankEvent): EventForm | undefined =>
  event.endsOn === undefined ? event.forms.at(-1) : undefined

type Habit =
  | "coffee"
  | "fare"
  | "groceries"
  | "restaurant"
  | "petrol"
  | "shop"
  | "abroad"
  | "hotel"
  | "cash"
  | "subscription"
  | "salary"

interface Merchant {
  readonly number: number
  readonly habit: Habit
  readonly name: string
  /** Whose name the booking carries instead, for a few. */
  readonly legalName: string | undefined
  readonly town: string
  /** Prices of what is always the same. */
  readonly prices: ReadonlyArray<Cents>
}

const firstWords = ["NORTH", "AMBER", "CEDAR", "HARBOUR", "COPPER", "WILLOW", "STONE", "RIVER", "MAPLE", "IRON"]
const secondWords = [
  "KETTLE",
  "LANTERN",
  "ANCHOR",
  "TROLLEY",
  "BASKET",
  "SPINDLE",
  "ORCHARD",
  "PEBBLE",
  "BELLOWS",
  "QUILL"
]
const thirdWords: Readonly<Record<Habit, ReadonlyArray<string>>> = {
  coffee: ["COFFEE", "ESPRESSO", "BAKERY"],
  fare: ["TRANSIT", "METRO", "PARKING"],
  groceries: ["MARKET", "FOODS", "GROCER"],
  restaurant: ["BISTRO", "KITCHEN", "GRILL"],
  petrol: ["FUEL", "PETROL", "ENERGY"],
  shop: ["ONLINE", "STORE", "OUTLET"],
  abroad: ["TRADING", "BAZAAR", "EXPORT"],
  hotel: ["HOTEL", "INN", "LODGE"],
  cash: ["ATM", "CASHPOINT", "BANK"],
  subscription: ["STREAMING", "INSURANCE", "TELECOM"],
  salary: ["PAYROLL", "EMPLOYER", "PENSIONS"]
}
const towns = ["BERLIN", "LYON", "PORTO", "LEEDS", "GHENT", "TURIN", "MALMO"]
const codes = ["DE", "FR", "PT", "GB", "BE", "IT", "SE"]

/** Habits of an account, as often as their merchants. */
const habits: ReadonlyArray<Habit> = [
  ...(["coffee", "coffee", "coffee", "fare", "fare", "groceries", "groceries", "groceries", "groceries"] as const),
  ...(["restaurant", "restaurant", "restaurant", "petrol", "petrol", "shop", "shop", "shop", "abroad"] as const),
  ...(["hotel", "cash", "subscription", "subscription", "subscription", "salary"] as const)
]

/** How often a merchant of a habit is visited: on one day in so many. */
const everyDays: Readonly<Record<Habit, number>> = {
  coffee: 4,
  fare: 3,
  groceries: 8,
  restaurant: 12,
  petrol: 14,
  shop: 14,
  abroad: 12,
  hotel: 60,
  cash: 12,
  subscription: 30,
  salary: 30
}

/** How a bank writes what it authorises and what it books. `#` is a digit, `~` the merchant, `@` the town, `%` its country. */
const pendingForms = ["~", "POS ~ @", "~ ####", "SQ *~ @", "~ @", "CARD 4#### ~"]
const bookedForms = ["~", "~ @ %", "CARD PURCHASE ~ @", "POS ######## ~ @ %", "~ REF ########", "~ @ % CARD ####"]

const nothing: ReadonlySet<number> = new Set()

class Account {
  readonly random: Seeded
  readonly merchants: ReadonlyArray<Merchant>
  readonly events: Array<BankEvent> = []
  readonly pendingForm: string
  readonly bookedForm: string
  /** Some banks cut what is pending. */
  readonly cut: number
  readonly redatesPending: boolean
  /** Some tell what was paid in the other currency. */
  readonly tellsAbroad: boolean

  constructor(random: Seeded) {
    this.random = random
    this.pendingForm = random.pick(pendingForms)
    this.bookedForm = random.pick(bookedForms)
    this.cut = random.once(3) ? 14 : 60
    this.redatesPending = random.once(12)
    this.tellsAbroad = random.once(2)
    this.merchants = habits.map((habit, number) => {
      const place = random.below(towns.length)
      const first = random.pick(firstWords)
      return {
        number,
        habit,
        name: `${first} ${random.pick(secondWords)} ${random.pick(thirdWords[habit])}`,
        legalName: random.once(18) ? `${random.pick(secondWords)} HOLDINGS` : undefined,
        town: `${towns[place]!} ${codes[place]!}`,
        prices: random.list(1, 3, () => 180 + random.below(60) * 10)
      }
    })
  }

  /** One of the chances in a thousand. */
  chance(perThousand: number): boolean {
    return this.random.below(1_000) < perThousand
  }

  between(low: number, high: number): number {
    return low + this.random.below(high - low + 1)
  }

  private write(form: string, merchant: string, { town }: Merchant): string {
    const [place, code] = town.split(" ") as [string, string]
    return form
      .replace("~", merchant)
      .replace("@", place)
      .replace("%", code)
      .replaceAll("#", () => String(this.random.below(10)))
  }

  pendingText(merchant: Merchant): string {
    // A few authorisations say nothing about whom they are for.
    if (this.chance(15)) return this.write("POS AUTHORISATION ######", "", merchant)
    return this.write(this.pendingForm, merchant.name, merchant).slice(0, this.cut).trim()
  }

  bookedText(merchant: Merchant): string {
    const text = this.write(this.bookedForm, merchant.legalName ?? merchant.name, merchant)
    return merchant.habit === "abroad" && this.tellsAbroad ? `${text} ${this.between(9, 99)}.50 USD` : text
  }

  add(event: Omit<BankEvent, "id" | "lingers" | "hiddenOn"> & Partial<BankEvent>): void {
    this.events.push({ hiddenOn: nothing, lingers: 0, ...event, id: this.events.length })
  }
}

/** Cents that are authorised, and those that are booked. */
const amountsOf = (account: Account, { habit, prices }: Merchant): readonly [Cents, Cents] => {
  const { random } = account
  switch (habit) {
    case "coffee":
    case "fare": {
      const price = random.pick(prices)
      return [-price, -price]
    }
    case "groceries":
    case "shop": {
      const total = account.between(400, 12_000)
      if (habit === "shop" && account.chance(120)) return [-total, -Math.ceil((total * account.between(35, 98)) / 100)]
      return [-total, -total]
    }
    case "restaurant": {
      const bill = account.between(900, 9_000)
      const tip = account.chance(450) ? account.between(5, account.chance(40) ? 60 : 30) : 0
      return [-bill, -Math.round((bill * (100 + tip)) / 100)]
    }
    case "petrol": {
      const filled = account.between(2_000, 9_500)
      return [account.chance(600) ? -random.pick([100, 10_000, 12_500]) : -filled, -filled]
    }
    case "abroad": {
      const price = account.between(800, 15_000)
      return [-price, -Math.round((price * account.between(970, 1_030)) / 1_000)]
    }
    case "hotel": {
      const stay = account.between(7_000, 30_000)
      return [-account.between(4, 16) * 2_500, -stay]
    }
    case "cash": {
      const notes = -random.pick([2_000, 5_000, 10_000])
      return [notes, notes]
    }
    case "subscription":
      return [-prices[0]! * 5, -prices[0]! * 5]
    case "salary":
      return [prices[0]! * 300, prices[0]! * 300]
  }
}

const isDirect = (habit: Habit): boolean => habit === "subscription" || habit === "salary"

/** Days from the authorisation to the booking. */
const lagOf = (account: Account, habit: Habit): number =>
  habit === "hotel"
    ? account.between(2, 6)
    : account.chance(23)
      ? account.between(6, account.chance(100) ? 19 : 11)
      : account.random.pick([1, 1, 1, 2, 2, 2, 3, 3, 4, 5])

const hidden = (account: Account, from: number, to: number): ReadonlySet<number> => {
  const days = new Set<number>()
  if (to - from >= 2 && account.chance(25)) {
    // The pending list loses it for a while, or until it is booked.
    const start = account.between(from + 1, to - 1)
    const end = account.chance(500) ? to - 1 : Math.min(to - 1, start + account.between(0, 2))
    for (let day = start; day <= end; day++) days.add(day)
  }
  return days
}

/** What a bank changes after it has booked: an amount, a date, a text, or everything. */
const corrected = (account: Account, merchant: Merchant, booked: EventForm): ReadonlyArray<EventForm> => {
  if (!account.chance(12)) return [booked]
  const from = booked.from + account.between(1, 4)
  switch (account.random.below(3)) {
    case 0:
      return [
        booked,
        {
          ...booked,
          from,
          cents: booked.cents - account.between(1, Math.max(1, Math.abs(booked.cents) >> 3)) * Math.sign(booked.cents)
        }
      ]
    case 1:
      return [booked, { ...booked, from, date: booked.date + account.random.pick([-1, 1, 2]) }]
    default:
      return [booked, { ...booked, from, text: `${account.bookedText(merchant)} ADJ` }]
  }
}

const happen = (account: Account, merchant: Merchant, day: number): void => {
  const { random } = account
  const [authorised, booked] = amountsOf(account, merchant)
  const common = { merchant: merchant.number }
  const delay = account.chance(150) ? 1 : 0
  if (isDirect(merchant.habit) || account.chance(60)) {
    const form = {
      from: day + 1 + delay,
      pending: false,
      date: day + delay,
      cents: booked,
      text: account.bookedText(merchant)
    }
    account.add({ ...common, forms: corrected(account, merchant, form), endsOn: undefined })
    return
  }
  const waiting: EventForm = {
    from: day + delay,
    pending: true,
    date: day,
    cents: authorised,
    text: account.pendingText(merchant)
  }
  const lag = lagOf(account, merchant.habit) + delay
  if (account.chance(25)) {
    // Dropped: it never becomes a booking. Some try again at once.
    account.add({ ...common, forms: [waiting], endsOn: day + lag + account.between(0, 4) })
    if (account.chance(400)) happen(account, merchant, day + account.between(0, 1))
    return
  }
  const changing =
    account.chance(20) && lag > 2 ? [{ ...waiting, from: waiting.from + 1, text: account.pendingText(merchant) }] : []
  const date = day + (random.once(3) ? 0 : Math.max(0, lag - account.between(0, 1)))
  const posting: EventForm = {
    from: day + lag,
    pending: false,
    date,
    cents: booked,
    text: account.bookedText(merchant)
  }
  const endsOn = account.chance(4) ? posting.from + account.between(2, 5) : undefined
  account.add({
    ...common,
    forms: [waiting, ...changing, ...corrected(account, merchant, posting)],
    endsOn,
    hiddenOn: hidden(account, waiting.from, posting.from),
    lingers: account.chance(25) ? account.between(1, 2) : 0
  })
  if (merchant.habit === "shop" && booked !== authorised && account.chance(500)) {
    // The rest is sent, and booked, later.
    const rest = { ...posting, from: posting.from + account.between(1, 4), cents: authorised - booked }
    account.add({ ...common, forms: [{ ...rest, date: rest.from }], endsOn: undefined })
  }
  if (endsOn === undefined && account.chance(8)) {
    const from = posting.from + account.between(1, 6)
    const back = { ...posting, from, date: from, cents: -booked, text: `REVERSAL ${account.bookedText(merchant)}` }
    account.add({ ...common, forms: [back], endsOn: undefined })
  }
}

const channel: ReadonlySet<string> = new Set(["CARD", "PURCHASE", "AUTHORISATION", ...towns])

/** Words of a text that name somebody. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text.split(" ").filter((word) => /^[A-Z]{4,}$/.test(word) && !channel.has(word))

/**
 * Whether what is shown tells an event apart from all others while it settles: its texts have a word in common, or its
 * amount is unique, and no other event of the merchant has an amount near it at the time.
 */
export const isClear = ({ events }: AccountHistory, event: BankEvent): boolean => {
  const waiting = event.forms.findLast(({ pending }) => pending)
  const booked = event.forms.find(({ pending }) => !pending)
  if (waiting === undefined || booked === undefined) return false
  const known = new Set(wordsOf(waiting.text))
  const alike = wordsOf(booked.text).some((word) => known.has(word))
  const changed = waiting.cents !== booked.cents
  if (changed && !alike) return false
  return events.every((other) => {
    const first = other.forms[0]!
    const last = other.forms.find(({ pending }) => !pending)?.from ?? other.endsOn ?? first.from
    const reach = alike ? 3 : 30
    if (other === event || last < event.forms[0]!.from - reach || first.from > booked.from + reach) return true
    return other.forms.every(({ cents }) => {
      if (cents === waiting.cents || cents === booked.cents) return alike && other.merchant !== event.merchant
      const ratio = cents / waiting.cents
      return !changed || other.merchant !== event.merchant || ratio < 0.3 || ratio > 3
    })
  })
}

/** A history of some days; all of it is over 30 days later. */
export const liveAccount = (seed: number, days: number): AccountHistory => {
  const account = new Account(new Seeded(seed))
  for (let day = 0; day < days; day++) {
    for (const merchant of account.merchants) {
      if (!account.random.once(everyDays[merchant.habit])) continue
      happen(account, merchant, day)
      // A real twin: the same again, on the same day.
      if ((merchant.habit === "coffee" || merchant.habit === "fare") && account.chance(120))
        happen(account, merchant, day)
    }
  }
  const { events, merchants, redatesPending } = account
  return { merchants: merchants.map(({ name }) => name), events, redatesPending, days, quietFrom: days + 30 }
}
