/**
 * What a set kind says of records that come, change and go: planned partition by partition as they change, without any of
 * the machinery that does so in an installation.
 */
import type { AccountId } from "@millrace/core/bank"
import type {
  EnrichmentFact,
  EnrichmentId,
  Partition,
  PartitionKey,
  PartitionPlan,
  PlanFigure,
  PlanInput,
  SetAccount,
  SetKind,
  SetRecord
} from "@millrace/core/enrichment"
import { catalogOf, type DataType } from "@millrace/core/record"
import { BusinessCalendar, type CalendarDate, limits, RateTable, Timestamp, Work } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export interface SetWorldOptions {
  readonly kind: SetKind
  readonly config: unknown
  readonly dataType: DataType
  readonly accounts: ReadonlyArray<SetAccount>
  readonly baseCurrency: SetAccount["currency"]
  readonly today: CalendarDate.CalendarDate
  /** There are none unless given. */
  readonly rates?: RateTable.RateTable
  readonly revision?: number
  readonly at?: PlanInput<unknown, unknown>["at"]
  readonly past?: PlanInput<unknown, unknown>["past"]
}

/** Stands for SHA-256 where nobody is to be deceived: 64 hexadecimal digits, other ones for other texts. */
const hexOf = (text: string): string => {
  let digits = ""
  for (let part = 0; part < 8; part++) {
    let hash = 0x811c9dc5 ^ Math.imul(part + 1, 0x9e3779b1)
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    digits += ((hash ^ (hash >>> 15)) >>> 0).toString(16).padStart(8, "0")
  }
  return digits
}

export class SetWorld {
  readonly enrichmentId = "enr_00000000000000000000000001" as EnrichmentId
  /** Keys of the events that were told, in order. */
  readonly told: Array<string> = []
  facts: ReadonlyArray<EnrichmentFact> = []
  /** What enrichments that stand before show of their plans. */
  figures: ReadonlyArray<PlanFigure> = []
  /** Whether a record was there when the enrichment began; none was, unless told otherwise. */
  isPast: PlanInput<unknown, unknown>["isPast"] = () => false
  accounts: ReadonlyArray<SetAccount>
  today: CalendarDate.CalendarDate
  /** Noon of the day unless it is set. */
  at: PlanInput<unknown, unknown>["at"] | undefined
  private readonly options: SetWorldOptions
  private readonly prepared: unknown
  private readonly records = new Map<string, SetRecord>()
  private readonly plans = new Map<PartitionKey, PartitionPlan<unknown, unknown>>()
  private readonly dirty = new Set<PartitionKey>()

  constructor(options: SetWorldOptions) {
    this.options = options
    this.accounts = options.accounts
    this.today = options.today
    this.at = options.at
    this.prepared = options.kind.prepare(options.config, catalogOf(options.dataType))
  }

  /** As the kernel hands them over: with the fields that the kind reads, and no others. */
  private seen(record: SetRecord): SetRecord {
    const reads = this.options.kind.reads(this.prepared, catalogOf(this.options.dataType))
    const known = reads.flatMap((field) => {
      const value = record.fields[field]
      return value === undefined || value === null ? [] : [[field, value] as const]
    })
    return Object.freeze({ ...record, fields: Object.freeze(Object.fromEntries(known)) })
  }

  private placesOf(record: SetRecord): ReadonlyArray<PartitionKey> {
    return this.options.kind.partitions(this.prepared, record, new Work())
  }

  put(...records: ReadonlyArray<SetRecord>): void {
    for (const record of records) {
      this.remove(record.recordId)
      const seen = this.seen(record)
      this.records.set(record.recordId, seen)
      for (const key of this.placesOf(seen)) this.dirty.add(key)
    }
  }

  remove(...ids: ReadonlyArray<string>): void {
    for (const id of ids) {
      const record = this.records.get(id)
      if (record === undefined) continue
      for (const key of this.placesOf(record)) this.dirty.add(key)
      this.records.delete(id)
    }
  }

  /** Another day has come: what is due then is to be planned again. */
  comes(today: CalendarDate.CalendarDate): void {
    if (today > this.today) this.today = today
    for (const [key, { due }] of this.plans) if (due !== undefined && due <= this.today) this.dirty.add(key)
  }

  /** Everything is to be planned again. */
  disturb(): void {
    for (const key of this.plans.keys()) this.dirty.add(key)
    for (const record of this.records.values()) for (const key of this.placesOf(record)) this.dirty.add(key)
  }

  /** The status of an account is another one: what the kind plans by it is to be planned again. */
  pulse(): void {
    const { pulse } = this.options.kind
    if (pulse !== undefined) this.dirty.add(pulse)
  }

  private partition(key: PartitionKey): Partition<unknown> {
    const records = [...this.records.values()]
      .filter((record) => this.placesOf(record).includes(key))
      .toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
    return { records, state: this.plans.get(key)?.state }
  }

  /** Plans what is dirty, until nothing is. */
  readonly plan = Effect.fnUntraced(function* (this: SetWorld) {
    const { baseCurrency, dataType, kind, past, rates, revision } = this.options
    const { accounts, today } = this
    let pending: ReadonlyArray<PartitionKey> = [...this.dirty].toSorted()
    this.dirty.clear()
    for (let round = 1; pending.length > 0; round++) {
      if (round > limits.planRounds) throw new Error(`partitions did not settle in ${limits.planRounds} rounds`)
      const input: PlanInput<unknown, unknown> = {
        work: new Work(),
        workspaceId: "ws_00000000000000000000000001" as WorkspaceId,
        enrichmentId: this.enrichmentId,
        dataType,
        prepared: this.prepared,
        baseCurrency,
        revision: revision ?? 1,
        timezone: "UTC",
        name: "Enrichment",
        locale: "en",
        isPast: this.isPast,
        at: this.at ?? Timestamp.make(`${today}T12:00:00.000Z`),
        past: past ?? [],
        rates: rates ?? RateTable.noRates,
        calendar: BusinessCalendar.standardWeek,
        sha256: hexOf,
        accounts: new Map<AccountId, SetAccount>(accounts.map((account) => [account.accountId, account])),
        today,
        dirty: pending,
        facts: this.facts,
        figures: Effect.sync(() => this.figures),
        read: (keys) => Effect.sync(() => new Map(keys.map((key) => [key, this.partition(key)])))
      }
      const { next } = yield* kind.plan(input)
      const again: Array<PartitionKey> = []
      for (const key of pending) if (!next.has(key)) this.plans.delete(key)
      for (const [key, plan] of next) {
        const before = JSON.stringify(this.plans.get(key)?.state)
        if (!pending.includes(key) && before !== JSON.stringify(plan.state)) again.push(key)
        this.plans.set(key, plan)
        for (const event of plan.events) if (!this.told.includes(event.key)) this.told.push(event.key)
      }
      pending = again.toSorted()
    }
    return this
  })

  /** What is said of each partition, by key. */
  get said(): ReadonlyArray<readonly [PartitionKey, PartitionPlan<unknown, unknown>]> {
    return [...this.plans].toSorted(([a], [b]) => (a < b ? -1 : 1))
  }

  /** The same without events, as text: equal where all claims, links and states are equal to the byte. */
  get text(): string {
    const { Evidence, State } = this.options.kind
    const evidence = Schema.encodeSync(Evidence)
    const state = Schema.encodeSync(State.codec)
    return JSON.stringify(
      this.said.map(([key, plan]) => [
        key,
        state(plan.state),
        plan.claims.map((claim) => ({ ...claim, evidence: evidence(claim.evidence) })),
        plan.links.map((link) => ({ ...link, evidence: evidence(link.evidence) })),
        plan.due ?? null
      ])
    )
  }
}
