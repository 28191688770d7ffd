/** Plans the fees of accounts, month by month (enrichments C9, A10). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { Id } from "../../../shared/Ids.ts"
import { convert } from "../../../shared/RateTable.ts"
import type { StorageUnavailable } from "../../../storage/StorageUnavailable.ts"
import type { FieldValue } from "../../../record/FieldValue.ts"
import type {
  Partition,
  PartitionKey,
  PartitionPlan,
  Plan,
  PlanInput,
  PlannedEvent,
  SetClaim,
  SetRecord
} from "../SetKind.ts"
import { bookOf, emptyBook, FeeBook, isEmptyBook, lessonsOf } from "./FeeBook.ts"
import { causesOf } from "./FeeCauses.ts"
import { feeDetected, feeRefunded } from "./FeeEvents.ts"
import { type FeeEvidence, isAvoidable } from "./FeeEvidence.ts"
import { type FeeItem, feeItem, isWorded } from "./FeeItem.ts"
import { type FeeLessons, scoreFee, type ScoredFee } from "./FeeScore.ts"
import type { FeesConfig } from "./FeesConfig.ts"
import { type FeeKind, feeWords } from "./FeeWords.ts"
import { monthAfter, MonthKeys, partOf, refundDays } from "./FeeMonths.ts"

export const FeesState = Schema.Struct({ book: Schema.optionalKey(FeeBook) })
export type FeesState = typeof FeesState.Type

export interface PreparedFees {
  readonly config: FeesConfig
  readonly kinds: ReadonlySet<FeeKind>
  readonly words: ReturnType<typeof feeWords>
  readonly months: MonthKeys
  /** Centibits from which on a record is a fee. */
  readonly least: number
}

export const prepareFees = (config: FeesConfig): PreparedFees => ({
  config,
  months: new MonthKeys(),
  kinds: new Set(config.kinds),
  words: feeWords(config.locales),
  least: Math.round(100 * Math.log2(config.minConfidence / (1 - config.minConfidence)))
})

type Input = PlanInput<PreparedFees, FeesState>
type Said = PartitionPlan<FeesState, FeeEvidence>
type Claims = Array<SetClaim<FeeEvidence>>

const monthsBack = 12
const silent = { claims: [], links: [], events: [] }
const bookPrefix = "book:"

const pairOf = (a: string, b: string): string => (a < b ? `${a} ${b}` : `${b} ${a}`)

const recordsOnly = (key: string): boolean => !key.startsWith(bookPrefix)

/** Items of a partition by day, for what lies near one. */
class Around {
  readonly all: ReadonlyArray<FeeItem>
  private readonly window: number

  constructor(all: ReadonlyArray<FeeItem>, window: number) {
    this.all = all.toSorted((a, b) => a.day - b.day || (a.recordId < b.recordId ? -1 : 1))
    this.window = window
  }

  readonly near = ({ day }: FeeItem): ReadonlyArray<FeeItem> => {
    let [low, high] = [0, this.all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.all[middle]!.day < day - this.window) low = middle + 1
      else high = middle
    }
    let end = low
    while (end < this.all.length && this.all[end]!.day <= day + this.window) end++
    return this.all.slice(low, end)
  }
}

/** The credit that gave each worded debit back: of equal size, with such words, at the latest 60 days after; the nearest one. */
const refundsOf = (all: ReadonlyArray<FeeItem>): ReadonlyMap<string, FeeItem> => {
  const refunds = new Map<string, FeeItem>()
  const worded = all.filter(isWorded)
  for (const credit of worded) {
    if (credit.debit) continue
    const fee = worded.findLast(
      (item) =>
        item.debit &&
        item.amount === credit.amount &&
        item.currency === credit.currency &&
        item.day <= credit.day &&
        item.day >= credit.day - refundDays &&
        !refunds.has(item.recordId)
    )
    if (fee !== undefined) refunds.set(fee.recordId, credit)
  }
  return refunds
}

const saidOf = (
  { enrichmentId, prepared: { config } }: Input,
  fees: ReadonlyArray<ScoredFee>,
  isOwn: (item: FeeItem) => boolean,
  refunds: ReadonlyMap<string, FeeItem>
): { readonly claims: Claims; readonly links: Said["links"]; readonly events: ReadonlyArray<PlannedEvent> } => {
  const causes = causesOf(fees)
  const claims: Claims = []
  const links: Array<Said["links"][number]> = []
  const events: Array<PlannedEvent> = []
  for (const { item, kind, parts, phrase } of fees) {
    if (!isOwn(item)) continue
    const { recordId } = item
    const cause = causes.get(recordId)
    const refund = refunds.get(recordId)
    const evidence: FeeEvidence = {
      kind,
      parts,
      ...(phrase === undefined ? {} : { phrase }),
      ...(cause === undefined ? {} : { causeRecordId: cause.item.recordId }),
      ...(cause?.ratio === undefined ? {} : { ratio: cause.ratio }),
      ...(refund === undefined ? {} : { refundRecordId: refund.recordId })
    }
    const claim = (field: string, value: FieldValue) => claims.push({ recordId, field, value, evidence })
    claim("fee.isFee", true)
    claim("fee.kind", kind)
    claim("fee.refunded", refund !== undefined)
    claim("fee.avoidable", isAvoidable(kind))
    if (cause !== undefined) {
      claim("fee.causeRecordId", cause.item.recordId)
      links.push({
        kind: "fee",
        members: [
          { recordId, role: "fee" },
          { recordId: cause.item.recordId, role: "cause" }
        ],
        state: "auto",
        evidence
      })
    }
    if (config.setCategory !== undefined) claim("category", config.setCategory)
    const told = { recordId, kind, amount: item.amount, currency: item.currency }
    events.push(feeDetected.planned({ key: `detected:${recordId}`, subjectId: enrichmentId, data: told }))
    if (refund === undefined) continue
    const data = { ...told, refundRecordId: refund.recordId }
    events.push(feeRefunded.planned({ key: `refunded:${recordId}:${refund.recordId}`, subjectId: enrichmentId, data }))
  }
  return { claims, links, events }
}

/** What a transfer has cost on its way: what is missing, or how far its rate lies from that of the day. */
const embeddedIn = (
  input: Input,
  record: SetRecord
): { readonly kind: FeeKind; readonly amount: string } | undefined => {
  const { fields } = record
  if (fields["transfer.role"] !== "out" || fields["transfer.state"] === "suggested") return undefined
  const [fee, rate, amount] = ["transfer.fee", "transfer.rate", "amount"].map((field) => fields[field])
  if (typeof fee === "string")
    return Decimal.isNegative(fee as Decimal.Decimal) ? undefined : { kind: "wire", amount: fee }
  const date = typeof fields["date"] === "string" ? CalendarDate.parse(fields["date"]) : undefined
  if (typeof rate !== "string" || typeof amount !== "string" || date === undefined) return undefined
  const from = input.accounts.get(record.accountId)?.currency
  const to = input.accounts.get(fields["transfer.counterpartAccountId"] as Id<"account">)?.currency
  if (from === undefined || to === undefined) return undefined
  const left = Decimal.abs(Decimal.make(amount))
  const digits = 8
  const arrived = Decimal.fromUnits(
    Decimal.toUnits(left, Decimal.scale(left)) * Decimal.toUnits(Decimal.make(rate), digits),
    Decimal.scale(left) + digits
  )
  const worth = convert(input.rates, Decimal.roundHalfAway(arrived, Currency.minorDigits(to)), to, from, date)
  if (worth === undefined) return undefined
  const lost = Decimal.subtract(left, worth.amount)
  return Decimal.sign(lost) > 0 ? { kind: "fx", amount: lost } : undefined
}

const tradeFees = ({ enrichmentId, prepared: { config, kinds } }: Input, records: ReadonlyArray<SetRecord>) => {
  const claims: Claims = []
  const events: Array<PlannedEvent> = []
  if (!kinds.has("brokerage")) return { ...silent, claims, events }
  for (const { fields, recordId } of records) {
    const { fees } = fields
    if (typeof fees !== "string" || fees === "0" || fees.startsWith("-")) continue
    const evidence: FeeEvidence = { kind: "brokerage", embedded: fees }
    const claim = (field: string, value: FieldValue) => claims.push({ recordId, field, value, evidence })
    claim("fee.isFee", true)
    claim("fee.kind", "brokerage")
    claim("fee.embeddedAmount", fees)
    claim("fee.avoidable", false)
    if (config.setCategory !== undefined) claim("category", config.setCategory)
    const data = { recordId, kind: "brokerage", amount: fees, currency: String(fields["currency"] ?? "") }
    events.push(feeDetected.planned({ key: `detected:${recordId}`, subjectId: enrichmentId, data }))
  }
  return { ...silent, claims, events }
}

const isOwn = (key: PartitionKey) => {
  const { month } = partOf(key)
  return ({ date }: FeeItem) => date.startsWith(month)
}

export const planFees = Effect.fnUntraced(function* (input: Input) {
  const { accounts, dataType, dirty, prepared, read } = input
  const { config, kinds, least, words } = prepared
  const next = new Map<PartitionKey, Said>()
  const partitions = new Map<PartitionKey, Partition<FeesState>>()
  const load = Effect.fnUntraced(function* (keys: Iterable<PartitionKey>): Effect.fn.Return<void, StorageUnavailable> {
    const missing = [...new Set(keys)].filter((key) => !partitions.has(key)).toSorted()
    if (missing.length === 0) return
    for (const [key, partition] of yield* read(missing)) partitions.set(key, partition)
  })
  const kept = (key: PartitionKey): FeeBook => partitions.get(`${bookPrefix}${key}`)?.state?.book ?? emptyBook

  yield* load(dirty)
  if (dataType === "trades") {
    for (const key of dirty) {
      const { records } = partitions.get(key)!
      if (records.length > 0) next.set(key, { state: {}, ...tradeFees(input, records) })
    }
    return { next } satisfies Plan<FeesState, FeeEvidence>
  }

  const changed = new Set(dirty.filter(recordsOnly))
  for (const key of dirty) {
    if (recordsOnly(key)) continue
    const book = partitions.get(key)?.state?.book
    if (book === undefined) changed.add(key.slice(bookPrefix.length))
    else if (!isEmptyBook(book)) next.set(key, { state: { book }, ...silent })
  }
  if (changed.size === 0) return { next } satisfies Plan<FeesState, FeeEvidence>
  yield* load([...changed, ...[...changed].map((key) => `${bookPrefix}${key}`)])

  // What each month teaches follows from its records; later months of the institution look back on it.
  const around = new Map<PartitionKey, Around>()
  /** By account: records stand in the months on both sides as well, and are read once. */
  const itemsOf = new Map<string, Map<string, FeeItem | null>>()
  const aroundOf = (key: PartitionKey): Around => {
    let known = around.get(key)
    if (known === undefined) {
      const { account } = partOf(key)
      const items = itemsOf.get(account) ?? new Map<string, FeeItem | null>()
      itemsOf.set(account, items)
      const own: Array<FeeItem> = []
      for (const record of partitions.get(key)?.records ?? []) {
        let item = items.get(record.recordId)
        if (item === undefined) {
          items.set(record.recordId, (item = feeItem(record, accounts.get(account), words) ?? null))
        }
        if (item !== null) own.push(item)
      }
      around.set(key, (known = new Around(own, config.linkWindowDays)))
    }
    return known
  }
  const books = new Map<PartitionKey, FeeBook>()
  const bankOf = (account: Id<"account">) => accounts.get(account)?.bankId
  const ofBank = (account: Id<"account">) => {
    const bank = bankOf(account)
    return bank === undefined
      ? [account]
      : [...accounts.values()].filter(({ bankId }) => bankId === bank).map(({ accountId }) => accountId)
  }
  /** Anyone who looks back on a month of an institution, or is looked back on, does so for all of its accounts. */
  const monthOf = (key: PartitionKey): string => {
    const { account, month } = partOf(key)
    return `${bankOf(account) ?? account}:${month}`
  }
  const noticed = [...changed]
  const told = new Set<string>()
  for (const key of noticed) {
    const { all, near } = aroundOf(key)
    const book = bookOf(all.filter(isOwn(key)), near)
    books.set(key, book)
    if (JSON.stringify(book) === JSON.stringify(kept(key)) || told.has(monthOf(key))) continue
    told.add(monthOf(key))
    const { account, month } = partOf(key)
    for (const other of ofBank(account)) {
      for (let n = 1; n <= monthsBack; n++) changed.add(`${other}:${monthAfter(month, n)}`)
    }
  }
  const past = new Set<PartitionKey>()
  yield* load(changed)
  const speaking = [...changed].filter((key) => (partitions.get(key)?.records.length ?? 0) > 0).toSorted()
  const looked = new Set<string>()
  for (const key of speaking) {
    if (looked.has(monthOf(key))) continue
    looked.add(monthOf(key))
    const { account, month } = partOf(key)
    for (const other of ofBank(account)) {
      for (let n = 1; n <= monthsBack; n++) past.add(`${other}:${monthAfter(month, -n)}`)
    }
  }
  yield* load([...past, ...changed].map((key) => `${bookPrefix}${key}`))
  const bookAt = (key: PartitionKey): FeeBook => books.get(key) ?? kept(key)
  const years = new Map<string, ReadonlyArray<FeeBook>>()
  const lessonsAt = (key: PartitionKey): FeeLessons => {
    const { account, month } = partOf(key)
    let year = years.get(monthOf(key))
    if (year === undefined) {
      year = ofBank(account).flatMap((other) =>
        Array.from({ length: monthsBack }, (_, n) => bookAt(`${other}:${monthAfter(month, -n - 1)}`))
      )
      // Most months teach nothing.
      years.set(monthOf(key), (year = year.filter((book) => !isEmptyBook(book))))
    }
    return lessonsOf(
      year,
      [1, 2].map((n) => bookAt(`${account}:${monthAfter(month, -n)}`))
    )
  }

  const apart = new Set<string>()
  const silenced = new Set<string>()
  for (const { field, kind, otherId, recordId } of input.facts) {
    if (recordId === undefined) continue
    if (kind === "forbid" && otherId !== undefined) apart.add(pairOf(recordId, otherId))
    if (kind === "suppress" && field === undefined) silenced.add(recordId)
  }
  for (const key of speaking) {
    const { all, near } = aroundOf(key)
    const lessons = lessonsAt(key)
    const fees = all.flatMap((item) => {
      const fee = item.debit && isWorded(item) ? scoreFee(item, near(item), kinds, lessons, least) : undefined
      if (fee === undefined || silenced.has(item.recordId)) return []
      const causes = fee.causes.filter((cause) => !apart.has(pairOf(item.recordId, cause.item.recordId)))
      return [causes.length === fee.causes.length ? fee : { ...fee, causes }]
    })
    const said = saidOf(input, fees, isOwn(key), refundsOf(all))
    const isFee = new Set(fees.map(({ item }) => item.recordId))
    if (config.embedded) {
      for (const record of partitions.get(key)!.records) {
        if (isFee.has(record.recordId) || !String(record.fields["date"]).startsWith(partOf(key).month)) continue
        const embedded = embeddedIn(input, record)
        if (embedded === undefined || !kinds.has(embedded.kind)) continue
        const { amount, kind } = embedded
        said.claims.push({
          recordId: record.recordId,
          field: "fee.embeddedAmount",
          value: amount,
          evidence: { kind, embedded: amount }
        })
      }
    }
    next.set(key, { state: {}, ...said })
  }
  for (const key of changed) {
    const bookKey = `${bookPrefix}${key}`
    const book = books.get(key)
    if (book === undefined) continue
    if (!isEmptyBook(book)) next.set(bookKey, { state: { book }, ...silent })
    else if (!dirty.includes(bookKey) && partitions.get(bookKey)?.state !== undefined) {
      next.set(bookKey, { state: { book }, ...silent })
    } else next.delete(bookKey)
  }
  return { next } satisfies Plan<FeesState, FeeEvidence>
})
