/** Plans the months that changed, and what follows from them in others (enrichments C8, D2, A10). */
import * as Effect from "effect/Effect"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import type { StorageUnavailable } from "../../../storage/StorageUnavailable.ts"
import { linkId } from "../LinkId.ts"
import type { Partition, PartitionKey, PartitionPlan, Plan, PlanInput, SetAccount, SetRecord } from "../SetKind.ts"
import { Calibration } from "./Calibration.ts"
import { decided, decisionsText, located, type Located, wordsOf } from "./Decisions.ts"
import { legOf, legRules } from "./Leg.ts"
import { Lessons } from "./Lessons.ts"
import { chosenByMonth, reached, seedsOf } from "./Matching.ts"
import { MonthLegs } from "./MonthLegs.ts"
import { MonthOutput, toldFrom } from "./MonthOutput.ts"
import { type MonthView, monthView } from "./MonthView.ts"
import type { ChosenPair } from "./PairAssignment.ts"
import { PairGraph } from "./PairGraph.ts"
import { compareText, monthOf } from "./PairScore.ts"
import { monthsBetween, UnrelatedInflowCounts, unrelatedSpan } from "./UnrelatedInflows.ts"
import { TextReader } from "./TextSigns.ts"
import type { TransferConfig } from "./TransferConfig.ts"
import type { TransferEvidence } from "./TransferEvidence.ts"
import {
  type Book,
  bookKey,
  bookMonth,
  emptyBook,
  isEmptyBook,
  type Shared,
  sharedKey,
  type TransferState
} from "./TransferState.ts"

type Input = PlanInput<TransferConfig, TransferState>
type Next = Map<PartitionKey, PartitionPlan<TransferState, TransferEvidence>>

const isMonth = (key: string): boolean => /^\d{4}-\d{2}$/.test(key)
const startOf = (month: string): number => CalendarDate.toEpochDay(CalendarDate.make(`${month}-01`))

const monthBefore = (month: string): string => monthOf(CalendarDate.fromEpochDay(startOf(month) - 1))

const silent = { claims: [], links: [], events: [] }

/** Months on either side whose pairs may share a record with those of a month. */
const neighboursOf = (month: string, { after, before }: TransferConfig["windowDays"]): ReadonlyArray<string> => {
  const start = startOf(month)
  const days = after + before
  return monthsBetween(start - days, start + 31 + days).filter((one) => one !== month)
}

/** The later months that look back on the strangers of one. */
const lookBack = (month: string, after: number, months: ReadonlyArray<string>): ReadonlyArray<string> =>
  months.filter((later) => {
    if (later <= month) return false
    const [from, to] = unrelatedSpan(startOf(later), after)
    return monthOf(CalendarDate.fromEpochDay(from)) <= month && month <= monthOf(CalendarDate.fromEpochDay(to))
  })

const texts = (all: Shared["decisions"]): ReadonlySet<string> => new Set(all.map((one) => one.join(" ")))

/** What pairs depend on: nothing that changes from read to read, such as a balance. */
const namedAs = (account: SetAccount) => {
  const { accountId, accountName, accountNumber, accountType, bankName, currency } = account
  return [accountId, accountName, accountNumber, accountType, bankName, currency]
}

const isEmpty = ({ book, shared: all }: TransferState) =>
  (book === undefined || isEmptyBook(book)) && (all === undefined || all.months.length + all.located.length === 0)

export const planTransfers = Effect.fnUntraced(function* (input: Input) {
  const { accounts, dirty, prepared: config, read, today } = input
  const { windowDays } = config
  const next: Next = new Map()
  const say = (
    key: string,
    state: TransferState,
    said: Omit<PartitionPlan<TransferState, TransferEvidence>, "state"> = silent
  ) => next.set(key, { state, ...said })

  const partitions = new Map<PartitionKey, Partition<TransferState>>()
  const load = Effect.fnUntraced(function* (keys: Iterable<PartitionKey>): Effect.fn.Return<void, StorageUnavailable> {
    const missing = [...new Set(keys)].filter((key) => !partitions.has(key)).toSorted()
    if (missing.length === 0) return
    for (const [key, partition] of yield* read(missing)) partitions.set(key, partition)
  })
  const bookOf = (month: string): Book => partitions.get(bookKey(month))?.state?.book ?? emptyBook

  // Books and what is shared follow from records: where no record changed, they are as they were.
  yield* load([sharedKey, ...dirty])
  const former = partitions.get(sharedKey)?.state?.shared
  const changed = new Set(dirty.filter(isMonth))
  for (const key of dirty) {
    const month = bookMonth(key)
    if (month === undefined) continue
    const book = partitions.get(key)?.state?.book
    if (book === undefined) changed.add(month)
    else if (!isEmptyBook(book)) say(key, { book })
  }
  if (dirty.includes(sharedKey) && former !== undefined && former.months.length + former.located.length > 0) {
    say(sharedKey, { shared: former })
  }
  const ordered = [...accounts.values()].toSorted((a, b) => compareText(a.accountId, b.accountId))
  const accountsText = input.sha256(JSON.stringify([ordered.map(namedAs), input.baseCurrency]))
  if (former !== undefined && former.accounts !== accountsText) for (const month of former.months) changed.add(month)
  if (changed.size === 0) return { next } satisfies Plan<TransferState, TransferEvidence>
  yield* load(changed)

  // What people said, and about which records.
  const words = wordsOf(input.facts)
  const rules = legRules(config)
  const reader = new TextReader(ordered)
  const fixedIds = new Set<string>(words.silent)
  const months = new Set(former?.months ?? [])
  const at = new Map<string, Located>()
  for (const one of former?.located ?? []) {
    if (words.named.has(one.recordId) && !changed.has(monthOf(one.date))) at.set(one.recordId, one)
  }
  for (const month of changed) {
    const isOwn = ({ fields }: SetRecord) => String(fields["date"]).startsWith(month)
    const records = partitions.get(month)?.records ?? []
    // The one in the middle most often is.
    const middle = records[records.length >> 1]
    if (middle !== undefined && (isOwn(middle) || records.some(isOwn))) months.add(month)
    else months.delete(month)
    if (words.named.size === 0) continue
    for (const record of records) {
      if (!words.named.has(record.recordId) || !isOwn(record)) continue
      const leg = legOf(record, accounts.get(record.accountId), rules)
      if (leg !== undefined) at.set(leg.recordId, located(leg))
    }
  }
  const said = decided(words, at)
  const fixedRecords = said.fixed.flatMap(({ in: into, out, second }) => [
    out,
    into,
    ...(second === undefined ? [] : [second])
  ])
  for (const { recordId } of fixedRecords) fixedIds.add(recordId)
  const decisions = decisionsText(said)
  const shared: Shared = {
    months: [...months].toSorted(),
    accounts: accountsText,
    located: [...at.values()].toSorted((a, b) => compareText(a.recordId, b.recordId)),
    decisions: decisions.map(([date, text]) => [date, input.sha256(text)] as const)
  }
  const [were, are] = [texts(former?.decisions ?? []), texts(shared.decisions)]
  const otherwise = [...were.symmetricDifference(are)].toSorted()[0]
  if (otherwise !== undefined) {
    for (const month of shared.months) if (month >= monthOf(otherwise)) changed.add(month)
    yield* load(changed)
  }

  // Month by month: what a month says of itself changes later ones alone. The legs of a month are kept for the next one, and no longer.
  let newest: MonthLegs | undefined
  const reading = { accounts, rules, window: windowDays, reader, aside: fixedIds }
  const strangers = new Map<string, Book["strangers"]>()
  const legsOf = (month: string): MonthLegs => {
    if (newest?.month === month) return newest
    const records = partitions.get(month)?.records ?? []
    // Records at the end of a month matter to the next one as well, and are read once.
    const before = newest?.month === monthBefore(month) ? newest : undefined
    return (newest = new MonthLegs(month, records, reading, before))
  }
  const spanOf = (month: string) => unrelatedSpan(startOf(month), windowDays.after)
  const lessons = new Lessons(said.all, config.learn)
  const brokenMonths = new Set(said.broken.map(({ left }) => monthOf(left.date)))
  const lastTold = monthOf(CalendarDate.fromEpochDay(toldFrom(today, config)))
  const views = new Map<string, MonthView>()
  const viewOf = Effect.fnUntraced(function* (month: string): Effect.fn.Return<MonthView, StorageUnavailable> {
    const known = views.get(month)
    if (known !== undefined) return known
    const past = monthsBetween(...spanOf(month))
    yield* load([month, ...past.map(bookKey)])
    const counts = new UnrelatedInflowCounts(
      past.flatMap((one) => strangers.get(one) ?? bookOf(one).strangers),
      spanOf(month)
    )
    const { baseCurrency, calendar, rates } = input
    const view = monthView(
      {
        work: input.work,
        legs: legsOf(month),
        config,
        strangers: counts,
        lessons,
        apart: words.apart,
        rates,
        calendar,
        baseCurrency
      },
      said.all,
      month >= lastTold || brokenMonths.has(month)
    )
    views.set(month, view)
    return view
  })
  const judgedMonths = new Set(config.learn ? said.all.map(({ out }) => monthOf(out.date)) : [])
  yield* load([...changed, ...judgedMonths].map(bookKey))
  const noticed = new Set(changed)
  const changeToo = (later: ReadonlyArray<string>) => {
    for (const one of later) changed.add(one)
    return load([...later, ...later.map(bookKey)])
  }
  for (const month of [...new Set([...changed, ...shared.months])].toSorted()) {
    if (!changed.has(month)) {
      if (judgedMonths.has(month)) lessons.hear(bookOf(month).judged)
      continue
    }
    if (noticed.has(month)) {
      // What came in by itself, and the months that look back on it.
      const own = legsOf(month).strangers()
      strangers.set(month, own)
      const known = bookOf(month).strangers
      if (own.length !== known.length || JSON.stringify(own) !== JSON.stringify(known)) {
        yield* changeToo(lookBack(month, windowDays.after, shared.months))
      }
    }
    // What people decided about a month is a lesson for those behind it, which follow where it is another one.
    const { judged } = yield* viewOf(month)
    if (JSON.stringify(judged) === JSON.stringify(bookOf(month).judged)) continue
    yield* changeToo(shared.months.filter((one) => one > month && !changed.has(one)))
  }

  // Components reach over the ends of months.
  const involved = new Set(changed)
  const around = new Set<string>()
  const surround = Effect.fnUntraced(function* (): Effect.fn.Return<void, StorageUnavailable> {
    for (const month of involved) {
      around.add(month)
      for (const one of neighboursOf(month, windowDays)) around.add(one)
    }
    yield* load([...around].map(bookKey))
  })
  const pairsAround = () =>
    [...around].toSorted().flatMap((month) => (changed.has(month) ? views.get(month)!.pairs : bookOf(month).pairs))
  // Where nothing around is as it was, every component is looked at, and what there was before says nothing.
  const isWhole = () => [...around].every((month) => changed.has(month) || bookOf(month).pairs.length === 0)
  let seeds: ReadonlySet<string> | undefined
  let parts: ReturnType<PairGraph["parts"]>
  for (;;) {
    yield* surround()
    if (!isWhole()) {
      seeds ??= seedsOf([...changed].flatMap((month) => [views.get(month)!.pairs, bookOf(month).pairs]))
    }
    const graph = new PairGraph(pairsAround())
    parts = graph.parts(seeds)
    const further = reached(involved, parts)
    if (further.size === 0) break
    for (const month of further) involved.add(month)
  }
  const chosen = chosenByMonth(involved, parts, seeds ?? new Set(), (month) => bookOf(month).chosen, changed)

  // Who says something else than before.
  const speaking = new Set(changed)
  for (const month of involved) {
    const [last, now] = [bookOf(month).chosen, chosen.get(month)!]
    if (last.length === now.length && JSON.stringify(last) === JSON.stringify(now)) continue
    speaking.add(month)
    for (const { pair } of [...last, ...now]) speaking.add(monthOf(pair.in.date))
  }
  const chosenIn = (month: string): ReadonlyArray<ChosenPair> => chosen.get(month) ?? bookOf(month).chosen
  const calibration = new Calibration(
    config.learn
      ? [...judgedMonths].toSorted().flatMap((month) => views.get(month)?.judged ?? bookOf(month).judged)
      : []
  )
  yield* load(fixedRecords.map(({ date }) => monthOf(date)))
  for (const month of [...speaking].toSorted()) {
    if (!months.has(month)) {
      say(bookKey(month), { book: emptyBook })
      continue
    }
    const view = yield* viewOf(month)
    const beside = neighboursOf(month, windowDays)
    yield* load(beside.map(bookKey))
    let known: Set<string> | undefined
    const linked = (): ReadonlySet<string> => {
      if (known !== undefined) return known
      known = new Set(seedsOf([month, ...beside].map((one) => chosenIn(one).map(({ pair }) => pair))))
      for (const { recordId } of fixedRecords) known.add(recordId)
      for (const { in: into, out, second } of view.groups) {
        for (const side of [out, into, second]) if (side !== undefined) known.add(side.recordId)
      }
      return known
    }
    const before = bookOf(month)
    const output = new MonthOutput({
      view,
      chosen: chosenIn(month),
      before: before.chosen,
      fixed: said.fixed.filter(({ out }) => monthOf(out.date) === month),
      broken: said.broken.filter(({ left }) => monthOf(left.date) === month),
      linked,
      silent: words.silent,
      calibration,
      config,
      accounts,
      enrichmentId: input.enrichmentId,
      today,
      linkIdOf: (members) => linkId(input.sha256, input.enrichmentId, { kind: "transfer", members })
    })
    say(month, {}, output.said())
    const book: Book = {
      strangers: strangers.get(month) ?? before.strangers,
      pairs: view.pairs,
      chosen: chosenIn(month),
      judged: view.judged
    }
    say(bookKey(month), { book })
  }
  say(sharedKey, { shared })
  // What is empty goes: at once where it is planned now, and otherwise in the round that follows from its change.
  for (const [key, { state }] of next) {
    if (isMonth(key) || !isEmpty(state)) continue
    if (dirty.includes(key) || partitions.get(key)?.state === undefined) next.delete(key)
  }
  return { next } satisfies Plan<TransferState, TransferEvidence>
})
