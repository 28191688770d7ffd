/** Which records could be one transfer, and what speaks for each pair, as the specification states it (see `PlainTransfers`). */
import type { SetAccount, SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import type { TransferConfig } from "../../../../src/enrichment/kinds/transfer/TransferConfig.ts"

/** What a text says. */
export interface PlainSigns {
  readonly transfer?: boolean
  readonly purchase?: boolean
  readonly refund?: boolean
  /** Interest, wages, a dividend. */
  readonly earning?: boolean
  /** Own accounts that it names. */
  readonly names?: ReadonlyArray<string>
  /** Somebody that it names, who is no account. */
  readonly party?: string
}

export interface PlainLedger {
  readonly accounts: ReadonlyArray<SetAccount>
  readonly records: ReadonlyArray<SetRecord>
  readonly config: TransferConfig
  readonly baseCurrency: string
  readonly signsOf: (text: string) => PlainSigns
  /** What one unit of the first currency is worth in the second, on a day. */
  readonly rate: (from: string, to: string, date: string) => number | undefined
  /** Pairs that people took apart, as `${id} ${id}` in either order. */
  readonly apart?: ReadonlySet<string>
  /** Records that people linked. */
  readonly aside?: ReadonlySet<string>
}

interface Leg {
  readonly id: string
  readonly account: SetAccount
  readonly currency: string
  readonly date: string
  /** Days since 1970. */
  readonly day: number
  /** Ten-thousandths. */
  readonly units: number
  readonly out: boolean
  readonly mirror: boolean
  readonly pending: boolean
  readonly signs: PlainSigns
  /** Of the provider. */
  readonly hint: number
  readonly codes: ReadonlyArray<string>
  /** Points of the text by itself. */
  readonly weight: number
  /** An outflow of the same amount could have arrived as this. */
  opposed: boolean
}

export interface PlainPair {
  readonly out: string
  readonly in: string
  readonly parts: {
    readonly prior: number
    readonly amount: number
    readonly lag: number
    readonly text: number
    readonly reference: number
    readonly provider: number
  }
  readonly score: number
  readonly mirror: boolean
  /** Equal for pairs that are the same but for ids and days: who it goes between, and how much. */
  readonly outTwin: string
  readonly inTwin: string
}

const perOne = 10_000
const cents = (bits: number): number => Math.round(bits * 100)
const clamp = (value: number): number => Math.max(-600, Math.min(500, value))
const debts: ReadonlySet<string> = new Set(["credit_card", "line_of_credit", "loan", "mortgage"])

/** Points of a side; `other`: the side beside it, where there is one already. */
const textPoints = (leg: Pick<Leg, "account" | "out" | "signs">, other?: Pick<Leg, "account" | "signs">): number => {
  const { account, out, signs } = leg
  const { names = [], party = "" } = signs
  const holder = other !== undefined && party !== "" && party === other.signs.party
  const another = names.some((id) => id !== account.accountId)
  const named =
    other === undefined
      ? another
        ? 300
        : 0
      : holder || names.includes(other.account.accountId)
        ? 300
        : another
          ? -300
          : 0
  let points = named
  if (party !== "" && !holder) points -= 200
  else if (signs.transfer === true) points += 300
  if (signs.purchase === true) points -= 500
  if (signs.earning === true || signs.refund === true) points -= 400
  if (!out && debts.has(account.accountType) && signs.purchase !== true && signs.refund !== true) points += 250
  return clamp(points)
}

const codesIn = (fields: SetRecord["fields"]): ReadonlyArray<string> =>
  [fields["reference"], fields["description"]].flatMap((text) =>
    typeof text === "string" && /\d/.test(text)
      ? text
          .toUpperCase()
          .split(/[^A-Z0-9]+/)
          .filter((word) => word.length >= 6 && word.replaceAll(/\D/g, "").length >= 3)
      : []
  )

const hintOf = (category: unknown): number =>
  category === "TRANSFER_IN" || category === "TRANSFER_OUT" || category === "LOAN_PAYMENTS"
    ? 1
    : category === "TRAVEL"
      ? -1
      : 0

const legsOf = ({ accounts, aside, config, records, signsOf }: PlainLedger): ReadonlyArray<Leg> => {
  const byId = new Map<string, SetAccount>(accounts.map((account) => [account.accountId, account]))
  const excluded = new Set<string>(config.excludeAccountIds)
  const mirrors = new Set<string>(config.mirrorAccountIds)
  const known = new Map<string, PlainSigns>()
  const days = new Map<string, number>()
  const legs: Array<Leg> = []
  for (const { accountId, fields, recordId } of records) {
    const account = byId.get(accountId)
    const amount = Number(fields["amount"])
    const pending = fields["pending"] === true
    if (account === undefined || excluded.has(accountId) || aside?.has(recordId) === true || amount === 0) continue
    if (pending && !config.includePending) continue
    const date = String(fields["date"])
    let day = days.get(date)
    if (day === undefined) days.set(date, (day = Date.parse(date) / 86_400_000))
    const text = String(fields["description"] ?? "")
    let signs = known.get(text)
    if (signs === undefined) known.set(text, (signs = signsOf(text)))
    const mirror = mirrors.has(accountId)
    const out = amount < 0 !== mirror
    legs.push({
      id: recordId,
      account,
      currency: String(fields["currency"] ?? account.currency),
      date,
      day,
      units: Math.round(Math.abs(amount) * perOne),
      out,
      mirror,
      pending,
      signs,
      hint: hintOf(fields["category"]),
      codes: codesIn(fields),
      weight: textPoints({ account, out, signs }),
      opposed: false
    })
  }
  return legs
}

export const listIn = <A>(map: Map<string, Array<A>>, key: string): Array<A> => {
  let list = map.get(key)
  if (list === undefined) map.set(key, (list = []))
  return list
}

/** How many of some numbers in order are from `least` to `most`. */
const countIn = (sorted: ReadonlyArray<number> | undefined, least: number, most: number): number => {
  if (sorted === undefined) return 0
  const below = (limit: number): number => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sorted[middle]! < limit) low = middle + 1
      else high = middle
    }
    return low
  }
  return Math.max(0, below(most + 1) - below(least))
}

/** Numbers of legs in order: of all accounts, and of each. */
class Sorted {
  private readonly all = new Map<string, Array<number>>()
  constructor(legs: ReadonlyArray<Leg>, value: (leg: Leg) => number) {
    for (const leg of legs) {
      listIn(this.all, leg.currency).push(value(leg))
      listIn(this.all, `${leg.currency} ${leg.account.accountId}`).push(value(leg))
    }
    for (const list of this.all.values()) list.sort((a, b) => a - b)
  }
  /** Those of other accounts than one. */
  count(currency: string, notOf: string, least: number, most: number): number {
    return countIn(this.all.get(currency), least, most) - countIn(this.all.get(`${currency} ${notOf}`), least, most)
  }
}

const isOpen = (day: number): boolean => ![2, 3].includes(((day % 7) + 7) % 7)

/** Business days between two days, of which one that is none counts as the next that is one. */
const lagOf = (from: number, to: number): number => {
  const [a, b] = [from, to].map((day) => {
    let open = day
    while (!isOpen(open)) open++
    return open
  }) as [number, number]
  let count = 0
  for (let day = Math.min(a, b) + 1; day <= Math.max(a, b); day++) if (isOpen(day)) count++
  return a <= b ? count : -count
}

const lagPoints: Readonly<Record<string, number>> = {
  "0": 219,
  "1": 181,
  "2": 86,
  "3": 23,
  "4": -62,
  "5": -94,
  "6": -236,
  "7": -294,
  "-1": -136,
  "-2": -394
}

const fxPenalty = (missing: number): number =>
  missing < 0
    ? Math.min(300, Math.round(-missing * 20_000))
    : missing <= 0.01
      ? 30
      : missing <= 0.02
        ? 100
        : missing <= 0.03
          ? 200
          : 300

/** All pairs that are worth a suggestion. */
export const plainPairs = (ledger: PlainLedger): ReadonlyArray<PlainPair> => {
  const { apart, baseCurrency, config, rate } = ledger
  const { after, before } = config.windowDays
  const legs = legsOf(ledger)
  const byDay = (a: Leg, b: Leg): number => a.day - b.day
  const outs = legs.filter(({ out }) => out).toSorted(byDay)
  const ins = legs.filter(({ out }) => !out).toSorted(byDay)
  const meets = (out: Leg, into: Leg): boolean =>
    out.account !== into.account && into.day - out.day >= -before && into.day - out.day <= after

  // Equal amounts.
  const byAmount = new Map<string, Array<Leg>>()
  for (const into of ins) listIn(byAmount, `${into.currency} ${into.units}`).push(into)
  const exact: Array<readonly [Leg, Leg]> = []
  for (const out of outs) {
    for (const into of byAmount.get(`${out.currency} ${out.units}`) ?? []) {
      if (into.day > out.day + after) break
      if (!meets(out, into)) continue
      into.opposed = true
      exact.push([out, into])
    }
  }

  // Amounts of which something was taken, or which are of two currencies: something has to speak for them.
  const others: Array<readonly [Leg, Leg]> = []
  const settled = (some: ReadonlyArray<Leg>): ReadonlyArray<Leg> => some.filter(({ pending }) => !pending)
  const [posted, arrived] = [settled(outs), settled(ins)]
  const currencies = new Set(legs.map(({ currency }) => currency))
  const speaking = posted.filter(({ weight }) => weight > 0)
  for (const [lefts, into] of [
    [speaking, arrived.filter(({ weight }) => weight > 0)],
    ...(currencies.size > 1 ? [[posted, arrived] as const] : [])
  ] as const) {
    const isFee = lefts === speaking
    let first = 0
    for (const one of into) {
      while (first < lefts.length && lefts[first]!.day < one.day - after) first++
      for (let at = first; at < lefts.length && lefts[at]!.day <= one.day + before; at++) {
        const out = lefts[at]!
        const same = out.currency === one.currency
        if (same !== isFee || !meets(out, one) || (same && out.units <= one.units)) continue
        if (!same && out.weight <= 0 && one.weight <= 0) continue
        others.push([out, one])
      }
    }
  }

  const rivals = new Sorted(
    ins.filter(({ weight }) => weight >= 0),
    ({ day }) => day
  )
  const strangers = ins.filter(({ opposed, weight }) => weight <= 0 && !opposed)
  const seen = new Map<string, Sorted>()
  /** Of the 180 days that end well before the month of an outflow. */
  const strangersBefore = (month: string): Sorted => {
    let found = seen.get(month)
    if (found === undefined) {
      const last = Date.parse(`${month}-01`) / 86_400_000 - (after + 1)
      const some = strangers.filter(({ day }) => day <= last && day > last - 180)
      seen.set(month, (found = new Sorted(some, ({ units }) => units)))
    }
    return found
  }
  const withCode = new Map<string, Array<Leg>>()
  for (const leg of legs) for (const code of new Set(leg.codes)) listIn(withCode, code).push(leg)
  const sharesCode = (out: Leg, into: Leg): boolean =>
    out.codes.some((code) => {
      const near = withCode.get(code)!.filter((leg) => {
        const days = leg.out ? out.day - leg.day : leg.day - out.day
        return days >= -before && days <= after
      })
      return into.codes.includes(code) && near.length <= 2
    })

  const mostMissing = (out: Leg): number => {
    const worth = out.currency === baseCurrency ? 1 : (rate(baseCurrency, out.currency, out.date) ?? 0)
    const fixed = Math.round(Number(config.fee.amount) * worth * 100) * 100
    return Math.min(out.units * 0.25, Math.max((config.fee.percent / 100) * out.units, fixed))
  }
  const floor = cents(Math.log2(config.suggestConfidence / (1 - config.suggestConfidence)))
  const pairs: Array<PlainPair> = []
  for (const [out, into] of [...exact, ...others]) {
    if (apart?.has(`${out.id} ${into.id}`) === true || apart?.has(`${into.id} ${out.id}`) === true) continue
    let [usual, chance, penalty, least, most] = [0.75, 400, 0, out.units, out.units]
    if (out.currency !== into.currency) {
      const worth = rate(out.currency, into.currency, out.date)
      if (worth === undefined) continue
      const middle = out.units * worth
      const ratio = into.units / middle
      const [low, high] = [1 - config.fx.under / 100, 1 + config.fx.over / 100]
      if (ratio < low || ratio > high) continue
      ;[usual, chance, penalty, least, most] = [0.9, 12, fxPenalty(1 - ratio), middle * low, Math.floor(middle * high)]
    } else if (out.units !== into.units) {
      const missing = out.units - into.units
      if (missing > mostMissing(out)) continue
      ;[usual, chance, penalty] = [0.3, 20, missing % (perOne / 2) === 0 ? 50 : 300]
      ;[least, most] = [out.units - mostMissing(out), out.units - 1]
    } else {
      for (const [of, one] of [
        [1, 120],
        [10, 60],
        [100, 40]
      ] as const) {
        if (out.units % (of * perOne) === 0) chance = one
      }
    }
    const owner = out.account.accountId
    const known = strangersBefore(out.date.slice(0, 7))
    const all = known.count(into.currency, owner, 0, Number.MAX_SAFE_INTEGER - 1)
    const agreeing = known.count(into.currency, owner, least, most)
    const k = Math.max(1, rivals.count(into.currency, owner, out.day - before, out.day + after))
    const parts = {
      prior: cents(-Math.log2(5 * k)),
      amount: cents(Math.log2(usual / ((agreeing + 10 / chance) / (all + 10)))) - penalty,
      lag: lagPoints[lagOf(out.day, into.day)] ?? -468,
      text: Math.min(900, textPoints(out, into) + textPoints(into, out)),
      reference: sharesCode(out, into) ? 600 : 0,
      provider: [out.hint, into.hint].reduce((sum, hint) => sum + (hint > 0 ? 200 : hint < 0 ? -300 : 0), 0)
    }
    const score = parts.prior + parts.amount + parts.lag + parts.text + parts.reference + parts.provider
    if (score < floor) continue
    const twin = ({ account, currency, units }: Leg): string => `${account.accountId} ${currency} ${units}`
    const mirror = out.mirror || into.mirror
    pairs.push({ out: out.id, in: into.id, parts, score, mirror, outTwin: twin(out), inTwin: twin(into) })
  }
  return pairs
}
