/** How well a way of matching keeps a ledger: against the truth, after histories of accounts are over. */
import { Timestamp } from "@millrace/core"
import { dateOf, isClear, liveAccount, outcomeOf, type BankEvent, type AccountHistory } from "./AccountHistory.ts"
import { amountOf, BankView, type BankRead, type Behaviour } from "./BankView.ts"
import { LedgerReplay, type KeptRecord, type Matcher } from "./LedgerReplay.ts"
import { Seeded } from "@millrace/testing/model"

export interface Quality {
  /** Events that are booked in the end. */
  posted: number
  /** Records beside the first of an event. */
  duplicate: number
  /** Events without a record. */
  missing: number
  /** Records of what was dropped, taken back or deleted by a person. */
  phantom: number
  wrongAmount: number
  /** Events that a person edited while they were pending, and which were booked. */
  edited: number
  /** Those whose edited record is their record in the end. */
  kept: number
  /** The same among events that what is shown distinguishes. */
  editedClear: number
  keptClear: number
  /** Times that a record went on as another event: as one of another merchant, and when it was booked already. */
  bookedChanges: number
  merchantChanges: number
}

export const noQuality = (): Quality => ({
  posted: 0,
  duplicate: 0,
  missing: 0,
  phantom: 0,
  wrongAmount: 0,
  edited: 0,
  kept: 0,
  editedClear: 0,
  keptClear: 0,
  bookedChanges: 0,
  merchantChanges: 0
})

export const addQuality = (a: Quality, b: Quality): Quality => {
  const sum = { ...a }
  for (const key of Object.keys(b) as ReadonlyArray<keyof Quality>) sum[key] += b[key]
  return sum
}

export const perThousand = (count: number, { posted }: Quality): number => (1_000 * count) / posted

export const errorsPerThousand = (quality: Quality): number =>
  perThousand(quality.duplicate + quality.missing + quality.phantom + quality.wrongAmount, quality)

/** Something that went wrong, for anyone who looks into it. */
export interface Flaw {
  readonly kind: "duplicate" | "missing" | "phantom" | "wrongAmount" | "lost edit"
  readonly event: number
}

/** A history, and what is read of it. */
export interface Play {
  readonly history: AccountHistory
  /** The reads of a day, in their order. */
  readonly reads: (day: number) => ReadonlyArray<BankRead>
  readonly match: Matcher
  /** Decides what people do. */
  readonly person: Seeded
  /** Of ten pending records so many are edited as soon as they are seen: 4 unless set otherwise. */
  readonly editsOfTen?: number
  /** Events whose edits are counted; all of them unless set otherwise. */
  readonly counts?: (event: BankEvent) => boolean
  /** The bank tells days wrongly at times, so that a booking counts as the same whatever its day. */
  readonly anyDay?: boolean
  readonly onFlaw?: (flaw: Flaw) => void
}

/** Plays one history. */
export const play = ({
  anyDay = false,
  counts = () => true,
  editsOfTen = 4,
  history,
  match,
  onFlaw = () => {},
  person,
  reads
}: Play): Quality => {
  const ledger = new LedgerReplay(match)
  /** Event -> record that was edited for it. */
  const edits = new Map<number, string>()
  const deleted = new Set<number>()
  const met = new Set<number>()
  for (let day = 0; day < history.quietFrom + 12; day++) {
    for (const read of reads(day)) {
      const now = Timestamp.make(`${dateOf(day)}T06:00:00.000Z`)
      ledger.take(read, now)
      for (const [id, { entry, event }] of ledger.records) {
        if (entry.state !== "live" || met.has(event)) continue
        met.add(event)
        if (entry.pending && person.below(10) < editsOfTen && counts(history.events[event]!)) {
          edits.set(event, id)
          ledger.edit(id)
        }
      }
    }
    if (person.once(40)) {
      const posted = [...ledger.records].filter(([, { entry }]) => entry.state === "live" && !entry.pending)
      if (posted.length > 0) {
        const [id, { event }] = person.pick(posted)
        ledger.delete(id)
        deleted.add(event)
      }
    }
  }
  const merchantOf = (event: number): number => history.events[event]!.merchant
  const merchantChanges = ledger.changes.filter(({ after, before }) => merchantOf(before) !== merchantOf(after)).length
  return {
    ...judge(history, ledger, edits, deleted, anyDay, onFlaw),
    bookedChanges: ledger.changes.filter(
      ({ after, before, booked }) => booked && bookingOf(history.events[before]!) !== bookingOf(history.events[after]!)
    ).length,
    merchantChanges
  }
}

/** Plays one history through one provider. */
export const playLife = (
  behaviour: Behaviour,
  seed: number,
  days: number,
  match: Matcher,
  onFlaw: (flaw: Flaw) => void = () => {}
): Quality => {
  const history = liveAccount(seed, days)
  const view = new BankView(behaviour, history, seed + 1_000_003)
  return play({ history, reads: (day) => view.reads(day), match, person: new Seeded(seed + 2_000_003), onFlaw })
}

/** What of a booking counts: two events that have it in common are each other's equals. */
const contentKey = (merchant: number, date: unknown, amount: unknown): string =>
  `${merchant} ${String(date)} ${String(amount)}`

/** Pairs live records with booked events: by content, those of the right event first, then by event. */
const pairedOf = (
  history: AccountHistory,
  ledger: LedgerReplay,
  booked: ReadonlyArray<BankEvent>,
  anyDay: boolean
): ReadonlyMap<string, BankEvent> => {
  const open = new Map(booked.map((event) => [event.id, event]))
  const byKey = new Map<string, Array<BankEvent>>()
  const keyOfEvent = (event: BankEvent): string => keyOf(event, anyDay)
  for (const event of booked) collect(byKey, keyOfEvent(event), event)
  const paired = new Map<string, BankEvent>()
  const pair = (id: string, event: BankEvent | undefined): void => {
    if (event === undefined || paired.has(id) || !open.delete(event.id)) return
    paired.set(id, event)
  }
  const records = [...ledger.records].filter(([, { entry }]) => entry.state === "live")
  const keyOfRecord = ({ detail, event }: KeptRecord): string =>
    contentKey(history.events[event]!.merchant, anyDay ? "" : detail.fields["date"], detail.fields["amount"])
  for (const [id, record] of records) {
    const event = open.get(record.event)
    if (event !== undefined && keyOfRecord(record) === keyOfEvent(event)) pair(id, event)
  }
  for (const [id, record] of records) {
    if (!record.entry.pending)
      pair(
        id,
        byKey.get(keyOfRecord(record))?.find((event) => open.has(event.id))
      )
  }
  for (const [id, record] of records) pair(id, open.get(record.event))
  return paired
}

const keyOf = (event: BankEvent, anyDay = false): string => {
  const { cents, date } = outcomeOf(event)!
  return contentKey(event.merchant, anyDay ? "" : dateOf(date), amountOf(cents))
}

/** What an event is booked as at first: real twins are each other's equals. */
const bookingOf = ({ forms, id, merchant }: BankEvent): string => {
  const booked = forms.find(({ pending }) => !pending)
  return booked === undefined ? `none ${id}` : contentKey(merchant, booked.date, booked.cents)
}

const collect = <K, A>(lists: Map<K, Array<A>>, key: K, value: A): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

const judge = (
  history: AccountHistory,
  ledger: LedgerReplay,
  edits: ReadonlyMap<number, string>,
  deleted: ReadonlySet<number>,
  anyDay: boolean,
  onFlaw: (flaw: Flaw) => void
): Quality => {
  const quality = noQuality()
  const flaw = (kind: Exclude<Flaw["kind"], "lost edit">, event: number): void => {
    quality[kind]++
    onFlaw({ kind, event })
  }
  const booked = history.events.filter((event) => outcomeOf(event) !== undefined && !deleted.has(event.id))
  const bookedIds = new Set(booked.map(({ id }) => id))
  const paired = pairedOf(history, ledger, booked, anyDay)
  const found = new Set([...paired.values()].map(({ id }) => id))
  quality.posted = booked.length
  for (const { id } of booked) if (!found.has(id)) flaw("missing", id)
  for (const [id, { detail, entry, event }] of ledger.records) {
    if (entry.state !== "live") continue
    const counterpart = paired.get(id)
    if (counterpart === undefined) flaw(bookedIds.has(event) ? "duplicate" : "phantom", event)
    else if (detail.fields["amount"] !== amountOf(outcomeOf(counterpart)!.cents)) flaw("wrongAmount", event)
  }
  for (const event of booked) {
    const edited = edits.get(event.id)
    if (edited === undefined) continue
    const clear = isClear(history, event)
    const counterpart = paired.get(edited)
    const kept = counterpart !== undefined && keyOf(counterpart) === keyOf(event)
    quality.edited++
    if (clear) quality.editedClear++
    if (kept) quality.kept++
    if (kept && clear) quality.keptClear++
    if (clear && !kept) onFlaw({ kind: "lost edit", event: event.id })
  }
  return quality
}

/** Plays several histories through providers of one kind. */
export const playHistories = (
  behaviour: Behaviour,
  options: { readonly seed: number; readonly histories: number; readonly days: number },
  match: Matcher
): Quality => {
  let quality = noQuality()
  for (let n = 0; n < options.histories; n++) {
    quality = addQuality(quality, playLife(behaviour, options.seed + n, options.days, match))
  }
  return quality
}
