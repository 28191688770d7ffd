/** A ledger kept by a way of matching, one read after the other, with the truth about every record. */
import { fileIdPrefix, sourceOf, trusted } from "../../../core/src/identity/match/Coverage.ts"
import type { LearntText } from "@millrace/core/identity"
import { identify } from "../../../core/src/identity/match/Identify.ts"
import {
  defaultMatchConfig,
  type HeldDetail,
  type MatchDetails,
  type MatchInput,
  type MatchResult
} from "../../../core/src/identity/match/Matching.ts"
import type { IdTrust } from "@millrace/core/provider"
import type { IndexEntry } from "@millrace/core/record"
import { CalendarDate, Decimal, Timestamp } from "@millrace/core"
import type { Days } from "../../../core/src/identity/match/Days.ts"
import type { EarlierFile } from "../../../core/src/identity/match/Reading.ts"
import type { Observation } from "../../../core/src/record/Observation.ts"
import type { BankRead, TrueObservation } from "./BankView.ts"

/** A way of matching: the identity of the kernel, or another to compare it with. */
export type Matcher = (input: MatchInput, detailsOf: (ids: ReadonlyArray<string>) => MatchDetails) => MatchResult

/** As a kernel asks: what people wrote is reported where it counts, and where it does not nobody may look. */
export const byIdentity: Matcher = (input, detailsOf) => {
  const { editsCount, finish, wanted } = identify(input)
  const { records, ...details } = detailsOf(wanted)
  return finish({
    ...details,
    records:
      editsCount() || editsCount(records)
        ? records
        : new Map(Array.from(records, ([id, detail]) => [id, withoutEdits(detail)]))
  })
}

const withoutEdits = (detail: HeldDetail): HeldDetail =>
  Object.defineProperty({ ...detail }, "edited", {
    get: () => {
      throw new RangeError("nobody asked what people wrote")
    }
  })

export interface KeptRecord {
  entry: IndexEntry
  detail: HeldDetail
  /** The event that its content tells of. */
  event: number
}

/** Ids that were wrong so often among the last so many hits are believed no more. */
const contradictions = 3
const lastHits = 200
/** Days before what is read that a record may be dated and still be meant. */
const reachDays = 45

export class LedgerReplay {
  readonly records = new Map<string, KeptRecord>()
  /** The events before and after, each time that a live record went on as another event. */
  readonly changes: Array<{ readonly before: number; readonly after: number; readonly booked: boolean }> = []
  readonly #aliases = new Map<string, string>()
  readonly #match: Matcher
  #made = 0
  #learnt: ReadonlyArray<LearntText> = []
  #hits: Array<boolean> = []
  #distrusted = false
  readonly #files: Array<EarlierFile> = []
  #shownDays: Days | undefined
  /** Records that were made for observations. */
  readonly #createdFor = new WeakMap<Observation, string>()

  constructor(match: Matcher) {
    this.#match = match
  }

  take(read: BankRead, now: Timestamp.Timestamp): MatchResult {
    const ofFile = read.observations.some(({ providerId }) => providerId.startsWith(fileIdPrefix))
    const idTrust: IdTrust = this.#distrusted && !ofFile && trusted(read.idTrust) ? "positional" : read.idTrust
    const formerIds = new Map<string, Array<string>>()
    for (const [providerId, id] of this.#aliases) formerIds.set(id, [...(formerIds.get(id) ?? []), providerId])
    const result = this.#match(
      {
        ...(read.file === undefined ? {} : { file: read.file }),
        ...(this.#shownDays === undefined ? {} : { shownDays: this.#shownDays }),
        earlier: this.#files,
        formerIds,
        dataType: "transactions",
        observations: read.observations,
        held: this.#held(read, idTrust),
        aliases: this.#aliases,
        learnt: this.#learnt,
        idTrust,
        coverage: read.coverage,
        removed: read.removed,
        unread: new Set(),
        atOnce: false,
        byIdOnly: false,
        config: defaultMatchConfig,
        now
      },
      (ids) => ({
        records: new Map(ids.map((id) => [id, this.records.get(id)!.detail])),
        isForbidden: () => false
      })
    )
    this.#apply(result, now)
    this.#remember(read, result, ofFile, now)
    this.#learnt = result.learnt
    for (let n = 0; n < result.idMatches; n++) this.#hits.push(n < result.idContradictions)
    this.#hits = this.#hits.slice(-lastHits)
    if (this.#hits.filter(Boolean).length >= contradictions) this.#distrusted = true
    return result
  }

  /** Notes which days the read showed, and which records a file did. */
  #remember(read: BankRead, result: MatchResult, ofFile: boolean, now: Timestamp.Timestamp): void {
    if (!ofFile) {
      if (result.shownFrom === undefined) return
      const from =
        this.#shownDays === undefined ? result.shownFrom : CalendarDate.min(this.#shownDays.from, result.shownFrom)
      this.#shownDays = { from, to: now.slice(0, 10) as CalendarDate.CalendarDate }
      return
    }
    const booked = read.observations.filter(({ pending }) => !pending)
    const days = booked.flatMap(({ date }) => (date === null ? [] : [date])).toSorted()
    this.#files.push({
      ...read.file,
      source: sourceOf(read.observations[0]!),
      recordIds: new Set(result.paired.map((id, at) => id ?? this.#createdFor.get(read.observations[at]!)!)),
      ...(days.length === 0 ? {} : { firstDay: days[0], lastDay: days.at(-1) }),
      sum: Decimal.sum(booked.map(({ fields }) => fields["amount"] as Decimal.Decimal))
    })
  }

  /** What a store would look up for the read. */
  #held(read: BankRead, idTrust: IdTrust): ReadonlyArray<IndexEntry> {
    const named = new Set(read.removed)
    const ids = new Set<string>()
    if (trusted(idTrust)) {
      for (const { pendingProviderId, providerId } of read.observations) named.add(providerId).add(pendingProviderId)
      for (const id of named) ids.add(this.#aliases.get(id) ?? "")
      named.delete("")
    }
    const over = [...this.records.values()].flatMap(({ entry }) =>
      entry.pending && entry.state === "live" && read.removed.has(entry.providerId) ? [entry.date!] : []
    )
    const dates = [...over, ...read.observations.flatMap(({ date }) => (date === null ? [] : [date]))]
    const first =
      read.coverage.kind === "window"
        ? read.coverage.from
        : dates.length === 0
          ? undefined
          : dates.reduce(CalendarDate.min)
    const from = first === undefined ? undefined : CalendarDate.addDays(first, -reachDays)
    return [...this.records.values()].flatMap(({ entry }) =>
      (from !== undefined && entry.date! >= from) || named.has(entry.providerId) || ids.has(entry.id) ? [entry] : []
    )
  }

  #write(id: string, observation: Observation, now: Timestamp.Timestamp): void {
    const { date, fields, hash, pending, providerId } = observation
    const old = this.records.get(id)
    if (old !== undefined && old.entry.providerId !== "" && old.entry.providerId !== providerId) {
      this.#aliases.set(old.entry.providerId, id)
    }
    const { event } = observation as TrueObservation
    if (old !== undefined && old.entry.state === "live" && old.event !== event) {
      this.changes.push({ before: old.event, after: event, booked: !old.entry.pending })
    }
    this.records.set(id, {
      entry: { id, providerId, date, pending, state: "live", hash, missed: 0 },
      detail: {
        fields,
        missedSince: null,
        missedAt: null,
        updatedAt: now,
        createdAt: old?.detail.createdAt ?? now,
        version: (old?.detail.version ?? 0) + 1,
        edited: old?.detail.edited ?? false,
        alone: false
      },
      event
    })
  }

  #apply(result: MatchResult, now: Timestamp.Timestamp): void {
    for (const { entry, observation } of result.changed) {
      const id = entry?.id ?? `r${String(this.#made++).padStart(6, "0")}`
      if (entry === undefined) this.#createdFor.set(observation, id)
      this.#write(id, observation, now)
    }
    for (const { entry, observation } of [...result.confirmed, ...result.absorbed]) {
      if (observation.providerId !== "") this.#aliases.set(observation.providerId, entry!.id)
    }
    for (const { id } of result.seenAgain) this.#set(id, { missed: 0 }, { missedSince: null, missedAt: null })
    for (const { entry, missed } of result.missed) {
      const { missedSince } = this.records.get(entry.id)!.detail
      this.#set(entry.id, { missed }, { missedSince: missedSince ?? now, missedAt: now })
    }
    for (const { booked, entry } of result.joined) {
      const { detail, entry: said, event } = this.records.get(booked.id)!
      const { detail: before, entry: old, event: was } = this.records.get(entry.id)!
      if (was !== event) this.changes.push({ before: was, after: event, booked: false })
      if (old.providerId !== "") this.#aliases.set(old.providerId, entry.id)
      this.records.set(entry.id, {
        entry: { ...said, id: entry.id },
        detail: { ...detail, createdAt: before.createdAt, version: before.version + 1, edited: before.edited },
        event
      })
      this.records.delete(booked.id)
    }
    for (const { id } of result.gone) this.#set(id, { state: "removed" }, { updatedAt: now })
  }

  #set(id: string, entry: Partial<IndexEntry>, detail: Partial<HeldDetail>): void {
    const record = this.records.get(id)!
    record.entry = { ...record.entry, ...entry }
    record.detail = { ...record.detail, ...detail }
  }

  /** A person puts something on a record. */
  edit(id: string): void {
    this.#set(id, {}, { edited: true })
  }

  /** A person takes a record away. */
  delete(id: string): void {
    this.#set(id, { state: "deleted" }, {})
  }
}
