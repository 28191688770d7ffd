/** Plans what changed for one enrichment of a set kind, and compares it with what it said before (enrichments A10, B1). */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import type { BusinessCalendar } from "../shared/BusinessCalendar.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import type { Currency } from "../shared/Currency.ts"
import type { Id } from "../shared/Ids.ts"
import type { Fields } from "../record/FieldValue.ts"
import { limits } from "../shared/Limits.ts"
import type { RateTable } from "../shared/RateTable.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import {
  type AnalysisChanges,
  type AnalysisEntry,
  type AnalysisNote,
  type AnalysisScope,
  AnalysisStore,
  type PartitionState
} from "./AnalysisStore.ts"
import type { EnrichmentFact } from "./kinds/EnrichmentFact.ts"
import { EnrichmentFault } from "./kinds/Kind.ts"
import type {
  PartitionKey,
  PlannedEvent,
  PlanFigure,
  PlannedFinding,
  PlannedMessage,
  SetAccount,
  SetRecord
} from "./kinds/SetKind.ts"
import { linkId } from "./kinds/LinkId.ts"
import { PlanningRoom, waitingNewsTag, waitingTag } from "./PlanningRoom.ts"
import { lineSeparator } from "./Progress.ts"
import { nextTurn } from "./PlanningTurns.ts"
import { asideMessage, RunWork } from "./RunWork.ts"
import { CurrentRunGuard } from "./RunGuard.ts"
import { SetPlanner, type SetPlanRequest, type StoredPartition, type StoredPlan, tooMuchWork } from "./SetPlanner.ts"
import { revisionOf, type SetStep } from "./SetStep.ts"

type AccountId = Id<"account">

/** A record that was looked at, with its place in the partitions from now on. */
export interface Observed {
  readonly recordId: string
  readonly entries: ReadonlyArray<AnalysisEntry>
}

export interface SetPlanningInput {
  readonly scope: AnalysisScope
  readonly step: SetStep
  readonly observed: ReadonlyArray<Observed>
  /** Where others stand about which the enrichment keeps nothing until now; none unless given. */
  readonly fresh?: ReadonlyArray<AnalysisEntry>
  /** Partitions that are planned although no record of them changed. */
  readonly stale: ReadonlyArray<PartitionKey>
  /** What has no room waits for another transaction; room for everything unless given. */
  readonly room?: PlanningRoom
  /** Partitions that failed in this run already, and wait for the next one. */
  readonly aside?: ReadonlySet<PartitionKey> | undefined
  readonly facts: ReadonlyArray<EnrichmentFact>
  readonly today: CalendarDate.CalendarDate
  readonly accounts: ReadonlyMap<AccountId, SetAccount>
  readonly baseCurrency: Currency
  readonly at: Timestamp.Timestamp
  /** `en` unless given. */
  readonly locale?: string
  /** All of them unless given. */
  readonly isPast?: (recordId: string) => boolean
  /** IANA name: whose days these are. */
  readonly timezone: string
  readonly rates: RateTable
  readonly calendar: BusinessCalendar
  readonly sha256: (text: string) => string
  /** None unless given. */
  readonly figures?: Effect.Effect<ReadonlyArray<PlanFigure>, StorageUnavailable, AnalysisStore>
}

type FiguresInput = Pick<SetPlanningInput, "scope" | "step" | "today" | "baseCurrency" | "timezone">

/** A finding with the partition that it was made in. */
export interface FoundIn {
  readonly partition: PartitionKey
  readonly finding: PlannedFinding
}

type SetChanges = AnalysisChanges["enrichments"][number]

export interface SetPlanned {
  readonly changes: SetChanges
  readonly events: ReadonlyArray<PlannedEvent>
  readonly findings: ReadonlyArray<FoundIn>
  readonly messages: ReadonlyArray<PlannedMessage>
  /** Records about which something else is said now, with their accounts. */
  readonly touched: ReadonlyMap<string, AccountId>
  /** Partitions that were planned: what is said of a record by others stays. */
  readonly planned: ReadonlySet<PartitionKey>
  /** Partitions that there was no room for, in the order in which they are planned. */
  readonly waiting: ReadonlyArray<PartitionKey>
  /** Partitions that could not be planned. */
  readonly failed: ReadonlySet<PartitionKey>
  readonly faults: ReadonlyArray<string>
}

/** A plan of a partition as it is stored. */
interface Encoded {
  readonly stateText: string
  readonly due: CalendarDate.CalendarDate | null
  readonly plan: StoredPlan
}

const byKey = (a: { readonly partition: string }, b: { readonly partition: string }): number =>
  a.partition < b.partition ? -1 : a.partition > b.partition ? 1 : 0

/** Units of work for an entry that is compared, and for a record of a partition that is handed over. */
const entryWork = 1_000
const recordWork = 100

const nowhere: ReadonlyArray<AnalysisEntry> = []

const inOrderOfKeys = (entries: ReadonlyArray<AnalysisEntry>): ReadonlyArray<AnalysisEntry> =>
  entries.length < 2 ? entries : entries.toSorted(byKey)

/** Storage keeps fields by their names and not in an order. */
const areSameFields = (a: Fields, b: Fields): boolean => {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}

const areSameLines = (a: AnalysisEntry["lines"] = [], b: AnalysisEntry["lines"] = []): boolean =>
  a.length === b.length && a.every(({ fields, id }, n) => id === b[n]!.id && areSameFields(fields, b[n]!.fields))

const isSameEntry = (a: AnalysisEntry, b: AnalysisEntry): boolean =>
  a.partition === b.partition &&
  a.accountId === b.accountId &&
  areSameFields(a.fields, b.fields) &&
  areSameLines(a.lines, b.lines)

/** Whose record, or line of a record, it is that a kind was given. */
interface Origin {
  readonly recordId: string
  readonly accountId: AccountId
  readonly line?: string
}

const inOrderOfIds = (records: Array<SetRecord>): void => {
  for (let n = 1; n < records.length; n++) {
    if (records[n - 1]!.recordId < records[n]!.recordId) continue
    records.sort((a, b) => (a.recordId < b.recordId ? -1 : 1))
    return
  }
}

/** One of some records, which are by id. */
const recordIn = (records: ReadonlyArray<SetRecord>, recordId: string): SetRecord | undefined => {
  let [low, high] = [0, records.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (records[middle]!.recordId < recordId) low = middle + 1
    else high = middle
  }
  return records[low]?.recordId === recordId ? records[low] : undefined
}

/** What a kind is given of a record that fell into lines. */
const linesOf = ({ accountId, lines = [], recordId }: AnalysisEntry): ReadonlyArray<readonly [SetRecord, Origin]> =>
  lines.map(({ id, fields }) => [
    { recordId: `${recordId}${lineSeparator}${id}`, accountId, fields },
    { recordId, accountId, line: id }
  ])

const messageOf = (cause: Cause.Cause<EnrichmentFault | StorageUnavailable>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}

/** What an enrichment remembers of its former configurations. */
const pastOf = ({ past = [] }: SetStep["enrichment"], timezone: string) =>
  past.map(({ remembered, until }) => ({
    until: CalendarDate.inZone(Timestamp.toMillis(until), timezone),
    remembered
  }))

/** What a planned enrichment shows to those behind it: from what was planned now or, where that was nothing, from what is kept. */
export const figuresOf = Effect.fnUntraced(function* (
  { baseCurrency, scope, step, timezone, today }: FiguresInput,
  { changes }: Pick<SetPlanned, "changes">
) {
  const { enrichment, kind, prepared, tag } = step
  const { shows } = kind
  if (shows === undefined) return []
  const store = yield* AnalysisStore
  const now = changes.partitions.find(({ partition }) => partition === shows.partition)
  const [one] = now === undefined ? yield* store.partitions(scope, enrichment.id, [shows.partition]) : [now]
  if (one === undefined || revisionOf(one.tag) !== revisionOf(tag)) return []
  const state = Schema.decodeUnknownSync(kind.State.codec)(one.state)
  const past = pastOf(enrichment, timezone)
  return shows.of(state, { prepared, enrichmentId: enrichment.id, past, baseCurrency, today })
})

/** One enrichment, for the records that one commit covers. */
export const planSet = Effect.fnUntraced(function* (input: SetPlanningInput) {
  const { aside, facts, fresh = [], observed, room = PlanningRoom.unlimited, scope, stale, step, today } = input
  const store = yield* AnalysisStore
  const guard = yield* CurrentRunGuard
  const planner = yield* SetPlanner
  /** What is done beside the planning itself. */
  const turns = new RunWork()
  const { enrichment, kind, prepared, preparedFor, tag } = step
  const faults: Array<string> = []

  // What changed for it.
  const before = yield* store.entries(
    scope,
    enrichment.id,
    observed.map(({ recordId }) => recordId)
  )
  const moved = new Map<string, ReadonlyArray<AnalysisEntry>>()
  const dirty = new Set<PartitionKey>(stale)
  for (const { entries, recordId } of observed) {
    turns.spend(entryWork)
    yield* nextTurn(turns)
    const next = inOrderOfKeys(entries)
    const last = inOrderOfKeys(before.get(recordId) ?? nowhere)
    if (next.length === last.length && next.every((entry, n) => isSameEntry(entry, last[n]!))) continue
    moved.set(recordId, next)
    for (const { partition } of last) dirty.add(partition)
    for (const { partition } of next) dirty.add(partition)
  }
  const freshIn = Map.groupBy(fresh, ({ partition }) => partition)
  for (const partition of freshIn.keys()) dirty.add(partition)
  const inOrder = [...dirty].filter((key) => aside?.has(key) !== true).toSorted()

  // Partitions as they are after the change.
  const known = new Map<PartitionKey, StoredPartition>()
  const stateTexts = new Map<PartitionKey, string | undefined>()
  /** Records of partitions that waited, and are no past. */
  const news = new Set<string>()
  const lineOrigins = new Map<string, Origin>()
  /** Those of all partitions that were read, by id, where something of a record of another partition is claimed. */
  let elsewhere: Map<string, Origin> | undefined
  /** Whose record it is about which something is claimed in a partition; `undefined` of one that was not read. */
  const originOf = (partition: PartitionKey, recordId: string): Origin | undefined => {
    const found = lineOrigins.get(recordId) ?? recordIn(known.get(partition)!.records, recordId)
    if (found !== undefined) return found
    if (elsewhere === undefined) {
      elsewhere = new Map()
      for (const { records } of known.values()) for (const record of records) elsewhere.set(record.recordId, record)
    }
    return elsewhere.get(recordId)
  }
  const read = Effect.fnUntraced(function* (keys: ReadonlyArray<PartitionKey>) {
    const missing = [...new Set(keys)].filter((key) => !known.has(key))
    if (missing.length > 0) {
      elsewhere = undefined
      const wanted = new Set(missing)
      const [rows, kept] = yield* Effect.all(
        [store.members(scope, enrichment.id, missing), store.partitions(scope, enrichment.id, missing)],
        { concurrency: 2 }
      )
      const states = new Map(kept.map((one) => [one.partition, one]))
      const records = new Map<PartitionKey, Array<SetRecord>>(missing.map((key) => [key, []]))
      const add = (entry: AnalysisEntry) => {
        const own = records.get(entry.partition)!
        if (entry.lines === undefined) {
          // The entry is what a kind is given: there are many, and few of them have lines.
          own.push(entry)
          return
        }
        for (const [record, origin] of linesOf(entry)) {
          own.push(record)
          lineOrigins.set(record.recordId, origin)
        }
      }
      for (const row of rows) if (!moved.has(row.recordId)) add(row)
      for (const entries of moved.values()) for (const entry of entries) if (wanted.has(entry.partition)) add(entry)
      for (const key of missing) {
        for (const entry of freshIn.get(key) ?? nowhere) add(entry)
        yield* nextTurn(turns)
      }
      for (const [key, all] of records) {
        yield* nextTurn(turns)
        turns.spend(recordWork * all.length)
        inOrderOfIds(all)
        if (all.length > limits.partitionRecords) {
          faults.push(`limit: the partition ${key} holds more than ${limits.partitionRecords} records`)
          all.splice(0, all.length - limits.partitionRecords)
        }
        const state = states.get(key)
        const same = state !== undefined && revisionOf(state.tag) === revisionOf(tag)
        if (state?.tag === waitingNewsTag) for (const { recordId } of all) news.add(recordId)
        stateTexts.set(key, same ? JSON.stringify(state.state) : undefined)
        known.set(key, { records: all, state: same ? state.state : undefined })
      }
    }
    return new Map(keys.map((key) => [key, known.get(key)!]))
  })

  const isPast = input.isPast ?? (() => true)
  const past = pastOf(enrichment, input.timezone)
  /** What the kind may do for some partitions: so much for each of their records. */
  const unitsFor = (keys: ReadonlyArray<PartitionKey>): number =>
    limits.setWork + limits.setRecordWork * keys.reduce((sum, key) => sum + (known.get(key)?.records.length ?? 0), 0)
  /** Leaves a mark where the plan is a large one. */
  const planWith = (request: SetPlanRequest) =>
    guard.aside.has(enrichment.id)
      ? Effect.fail(tooMuchWork)
      : request.units > limits.setWork + limits.markedRecords * limits.setRecordWork
        ? guard.around(
            [enrichment.id],
            planner.plan(request),
            planner.isApart(kind) ? { afterSeconds: limits.markedSeconds } : undefined
          )
        : planner.plan(request)
  const attempt = (keys: ReadonlyArray<PartitionKey>) =>
    planWith({
      kind,
      prepared,
      config: enrichment.config,
      catalog: preparedFor,
      data: {
        ...scope,
        enrichmentId: enrichment.id,
        name: enrichment.name,
        locale: input.locale ?? "en",
        at: input.at,
        timezone: input.timezone,
        revision: enrichment.revision,
        past,
        baseCurrency: input.baseCurrency,
        rates: input.rates,
        calendar: input.calendar,
        accounts: input.accounts,
        today,
        dirty: keys,
        facts
      },
      isPast: (recordId) => isPast(recordId) && !news.has(recordId),
      sha256: input.sha256,
      figures: Effect.provideService(input.figures ?? Effect.succeed([]), AnalysisStore, store),
      read,
      units: unitsFor(keys)
    }).pipe(Effect.flatMap(encoded), Effect.exit)

  /** A day that has come already would never end. */
  const dueAfter = (due: CalendarDate.CalendarDate | undefined) =>
    due === undefined || due > today ? (due ?? null) : CalendarDate.addDays(today, 1)

  /** Throws where the kind says what it may not say. */
  const checked = (key: PartitionKey, plan: StoredPlan): Encoded => {
    const { emits = [], finds = [], writes } = kind.capabilities
    if (!known.has(key)) throw new RangeError(`planned the partition ${key} without reading it`)
    for (const { field, recordId } of plan.claims) {
      if (originOf(key, recordId) === undefined) {
        throw new RangeError(`claims something of ${recordId}, which it did not read`)
      }
      if (!writes.includes("*") && !writes.includes(field)) throw new RangeError(`may not write "${field}"`)
    }
    const unknown = plan.events.find((event) => !emits.some(({ type }) => type === event.type))
    if (unknown !== undefined) throw new RangeError(`has no events of the type ${unknown.type}`)
    for (const finding of plan.findings ?? []) checkFinding(finding, finds)
    return { plan, stateText: JSON.stringify(plan.state), due: dueAfter(plan.due) }
  }
  const encoded = Effect.fnUntraced(function* (next: ReadonlyMap<PartitionKey, StoredPlan>) {
    const all = new Map<PartitionKey, Encoded>()
    for (const [key, plan] of next) {
      turns.spend(recordWork * (1 + plan.claims.length + (known.get(key)?.records.length ?? 0)))
      yield* nextTurn(turns)
      all.set(key, yield* Effect.try({ try: () => checked(key, plan), catch: asFault }))
    }
    return all
  })

  const results = new Map<PartitionKey, Encoded | undefined>()
  const failed = new Set<PartitionKey>()
  const settle = (keys: ReadonlyArray<PartitionKey>, plan: ReadonlyMap<PartitionKey, Encoded>) => {
    const again: Array<PartitionKey> = []
    for (const key of keys) if (!plan.has(key)) results.set(key, undefined)
    for (const [key, one] of plan) {
      if (!keys.includes(key) && stateTexts.get(key) !== one.stateText) again.push(key)
      results.set(key, one)
      stateTexts.set(key, one.stateText)
      known.set(key, { ...known.get(key)!, state: one.plan.state })
    }
    return again
  }

  const readsFew = kind.readsFew === true
  let pending = yield* room.take(inOrder, limits.runPartitions, (some) =>
    readsFew
      ? Effect.succeed(0)
      : Effect.map(read(some), (found) => {
          let records = 0
          for (const partition of found.values()) records += partition.records.length
          return records
        })
  )
  const waiting = new Set(inOrder.slice(pending.length))
  for (let round = 1; pending.length > 0; round++) {
    if (round > limits.planRounds) {
      faults.push(`limit: partitions did not settle in ${limits.planRounds} rounds`)
      for (const key of pending) failed.add(key)
      break
    }
    const neighbours = pending.flatMap((key) => kind.neighbours?.(prepared, key) ?? [])
    yield* read(readsFew ? neighbours : [...pending, ...neighbours])
    const whole = yield* attempt(pending)
    const again: Array<PartitionKey> = []
    if (Exit.isSuccess(whole)) again.push(...settle(pending, whole.value))
    else if (Cause.squash(whole.cause) === tooMuchWork) {
      faults.push(asideMessage)
      for (const key of pending) failed.add(key)
    } else {
      // One by one, so that a partition that fails leaves the others as they would be without it.
      for (const key of pending) {
        const alone = yield* attempt([key])
        if (Exit.isSuccess(alone)) {
          again.push(...settle([key], alone.value))
          continue
        }
        const storage = alone.cause.reasons.find(
          (reason) => Cause.isFailReason(reason) && reason.error._tag === "StorageUnavailable"
        )
        if (storage !== undefined || Cause.hasInterrupts(alone.cause)) {
          return yield* Effect.failCause(alone.cause as Cause.Cause<StorageUnavailable>)
        }
        faults.push(`${messageOf(alone.cause)} (partition ${key})`)
        failed.add(key)
      }
    }
    pending = [...new Set(again)].filter((key) => !failed.has(key)).toSorted()
  }

  // What is different from before.
  for (const key of failed) results.delete(key)
  const keys = [...results.keys()].toSorted()
  const outputs = yield* store.outputs(scope, enrichment.id, keys)
  const touched = new Map<string, AccountId>()
  const partitions: Array<PartitionState> = []
  const dropped: Array<PartitionKey> = []
  const notes: Array<SetChanges["notes"][number]> = []
  const droppedNotes: Array<SetChanges["droppedNotes"][number]> = []
  const links: Array<SetChanges["links"][number]> = []
  const linkIds = new Set<string>()
  const goneLinks = new Set<string>()
  const events: Array<PlannedEvent> = []
  const accounts = new Map<string, AccountId>()
  const findings: Array<FoundIn> = []
  const messages: Array<PlannedMessage> = []
  for (const partition of keys) {
    const one = results.get(partition)
    turns.spend(entryWork * (1 + (one?.plan.claims.length ?? 0)))
    yield* nextTurn(turns)
    if (one === undefined) dropped.push(partition)
    else {
      partitions.push({ partition, tag, state: one.plan.state, due: waiting.has(partition) ? today : one.due })
      events.push(...one.plan.events)
      findings.push(...(one.plan.findings ?? []).map((finding) => ({ partition, finding })))
      messages.push(...(one.plan.messages ?? []))
    }
    const claimed = new Map<string, Array<AnalysisNote["claims"][number]>>()
    for (const { evidence, field, recordId, value } of one?.plan.claims ?? []) {
      const { accountId, line, recordId: of } = originOf(partition, recordId)!
      accounts.set(of, accountId)
      const claims = claimed.get(of) ?? []
      claimed.set(of, claims)
      claims.push({ field, value, evidence, ...(line === undefined ? {} : { line }) })
    }
    const said = outputs.get(partition)
    const last = new Map((said?.notes ?? []).map((note) => [note.recordId, note]))
    for (const [recordId, claims] of claimed) {
      if (JSON.stringify(last.get(recordId)?.claims) === JSON.stringify(claims)) continue
      const accountId = accounts.get(recordId)!
      notes.push({ partition, recordId, accountId, claims })
      touched.set(recordId, accountId)
    }
    for (const { accountId, recordId } of last.values()) {
      if (claimed.has(recordId)) continue
      droppedNotes.push({ partition, recordId })
      touched.set(recordId, accountId)
    }
    const lastLinks = new Map((said?.links ?? []).map((link) => [link.id, link]))
    for (const planned of one?.plan.links ?? []) {
      const id = linkId(input.sha256, enrichment.id, planned)
      const { kind: linkKind, members, state } = planned
      const link = { id, kind: linkKind, members, state, evidence: planned.evidence }
      linkIds.add(id)
      if (JSON.stringify(lastLinks.get(id)) !== JSON.stringify(link)) links.push({ ...link, partition })
    }
    for (const id of lastLinks.keys()) goneLinks.add(id)
  }
  // Whatever these said stays, until they are planned.
  const listed = new Set(stale)
  const later = [...failed, ...[...waiting].filter((key) => !listed.has(key) && !results.has(key))]
  const kept = new Map((yield* store.partitions(scope, enrichment.id, later)).map((one) => [one.partition, one]))
  const newsIn = new Set<PartitionKey>()
  if (kind.begins !== undefined) {
    for (const [recordId, entries] of moved) {
      if (!isPast(recordId)) for (const { partition } of entries) newsIn.add(partition)
    }
    for (const { partition, recordId } of fresh) if (!isPast(recordId)) newsIn.add(partition)
  }
  for (const partition of later) {
    const stored = kept.get(partition)
    // One that many slices add to waits since the first of them.
    if (stored?.due === today) continue
    const { state = null, tag: last = newsIn.has(partition) ? waitingNewsTag : waitingTag } = stored ?? {}
    partitions.push({ partition, tag: last, state, due: today })
  }
  const first: Array<AnalysisEntry> = []
  const replaced: Array<SetChanges["entries"][number]> = []
  for (const { recordId } of observed) {
    const entries = moved.get(recordId)
    if (entries === undefined) continue
    if (before.has(recordId)) replaced.push({ recordId, entries })
    else for (const entry of entries) first.push(entry)
  }
  return {
    changes: {
      enrichmentId: enrichment.id,
      entries: replaced,
      fresh: first.length === 0 ? fresh : [...fresh, ...first],
      partitions,
      dropped,
      notes,
      droppedNotes,
      links,
      droppedLinks: [...goneLinks].filter((id) => !linkIds.has(id))
    },
    events,
    findings,
    messages,
    touched,
    planned: new Set(keys),
    waiting: [...waiting],
    failed,
    faults
  } satisfies SetPlanned as SetPlanned
})

const asFault = (error: unknown): EnrichmentFault =>
  new EnrichmentFault({ reason: "defect", message: error instanceof Error ? error.message : String(error) })

/** Throws where it is none of the kind, or has not the form of one. */
const checkFinding = ({ key, kind, title }: PlannedFinding, finds: ReadonlyArray<string>): void => {
  if (!finds.includes(kind)) throw new RangeError(`finds nothing of the kind ${kind}`)
  const isLine = title.trim() !== "" && [...title].length <= limits.nameCodePoints
  if (!isLine) throw new RangeError(`the title of a finding has 1 to ${limits.nameCodePoints} characters`)
  if (key === "" || key.length > limits.findingKey) {
    throw new RangeError(`the key of a finding has 1 to ${limits.findingKey} characters`)
  }
}
