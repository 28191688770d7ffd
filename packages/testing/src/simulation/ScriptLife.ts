/**
 * Random lives of an account that two feeds follow, and what must be true at their end.
 *
 * A script is replayed by its seed. After it the faults stop and every feed is synced until all must be quiet:
 * then each destination holds exactly what the bank says, as that feed shows it.
 */
import { expect } from "@effect/vitest"
import type { Account } from "@millrace/core/account/Account"
import { DeliveryStore } from "@millrace/core/destination/DeliveryStore"
import type { Enrichment } from "@millrace/core/enrichment/Enrichment"
import { EnrichmentStore } from "@millrace/core/enrichment/EnrichmentStore"
import type { Feed } from "@millrace/core/feed/Feed"
import type { DestinationConfig, PendingMode } from "@millrace/core/feed/FeedConfig"
import { FeedStore } from "@millrace/core/feed/FeedStore"
import type { Job, JobCounts, SyncOptions } from "@millrace/core/job/Job"
import { JobStore } from "@millrace/core/job/JobStore"
import * as ProviderErrors from "@millrace/core/provider/ProviderError"
import type { LedgerRecord } from "@millrace/core/record/LedgerRecord"
import * as CalendarDate from "@millrace/core/shared/CalendarDate"
import { onRemovedOf } from "@millrace/core/sync/Decision"
import { StorageUnavailable } from "@millrace/core/storage/StorageUnavailable"
import { wholeScan } from "@millrace/core/table/RowScan"
import { TableStore } from "@millrace/core/table/TableStore"
import type { Workspace } from "@millrace/core/workspace/Workspace"
import type { ScriptedPlace } from "@millrace/testing/destination/ScriptedDestination"
import { makeEnrichment } from "@millrace/testing/fixture/Enrichment"
import { storeFeed } from "@millrace/testing/fixture/Feed"
import { storeTable } from "@millrace/testing/fixture/Table"
import type { ScriptedBank, TrueRow } from "@millrace/testing/provider/ScriptedBank"
import type { ScriptedProvider } from "@millrace/testing/provider/ScriptedProvider"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Seeded } from "@millrace/testing/model/Seeded"
import { connect, drive, ledgerOf, mappings, type Simulation } from "./Simulation.ts"

const columns = ["id", "date", "amount", "description", "pending", "category", "removed"] as const
type Shown = Readonly<Record<(typeof columns)[number], unknown>>

interface FeedUnderTest {
  feed: Feed
  /** Rows at the destination, by key; a key twice is a failure of its own. */
  readonly rows: Effect.Effect<ReadonlyArray<{ readonly key: string; readonly values: Shown }>>
  /** Scripted destinations only. */
  readonly place: ScriptedPlace | undefined
  /** Keys of rows that a person deleted. */
  readonly deleted: Set<string>
}

const words = ["coffee", "rent", "skip me", "salary", "books"] as const
const offered = ["none", "unavailable", "answerLost", "unavailable", "unavailable"] as const

const balanced = (counts: JobCounts): number =>
  counts.read +
  counts.vanished +
  counts.carried -
  (counts.created + counts.updated + counts.removed + counts.unchanged + counts.filtered + counts.failed)

const textOf = (row: {
  readonly date: unknown
  readonly amount: unknown
  readonly description: unknown
  readonly pending: unknown
}) => `${String(row.date)} ${String(row.amount)} ${String(row.description)} ${String(row.pending)}`

const ofRecord = (record: LedgerRecord): string =>
  textOf({
    date: record.fields["date"],
    amount: record.fields["amount"],
    description: record.fields["description"],
    pending: record.fields["pending"]
  })

export interface ScriptOptions {
  readonly steps: number
}

class Script {
  readonly random: Seeded
  readonly simulation: Simulation
  readonly provider: ScriptedProvider
  /** How many posted rows the script may still let vanish before a careful reader would stop believing it. */
  vanishing = 2
  meanwhiles = 1
  far = false
  readonly feeds: Array<FeedUnderTest> = []
  filter: Enrichment | undefined
  rule: Enrichment | undefined
  workspace!: Workspace
  upstream!: ScriptedBank
  accounts!: ReadonlyArray<Account>
  bankId!: string
  /** Line of a true row -> id of its record. */
  readonly ids = new Map<number, string>()
  readonly before = new Map<string, LedgerRecord>()
  lastChange = 0
  readonly trace: Array<string> = []

  constructor(seed: number, simulation: Simulation) {
    this.random = new Seeded(seed)
    this.simulation = simulation
    this.provider = this.random.pick(simulation.providers)
  }

  get trusted(): boolean {
    const { idTrust } = this.provider.options
    return idTrust === "stable" || idTrust === "perStatus"
  }

  get appendOnly(): boolean {
    return this.provider.options.changeModel === "appendOnly"
  }

  day(): CalendarDate.CalendarDate {
    const today = CalendarDate.inZone(this.simulation.clock.now, "UTC")
    return CalendarDate.addDays(today, -this.random.below(this.far ? 35 : 5))
  }

  rows(test: (row: TrueRow) => boolean): ReadonlyArray<TrueRow> {
    return [...this.upstream.rows.values()].filter(test)
  }

  /** Does `act` to a random row that fits, if there is one. */
  withRow(test: (row: TrueRow) => boolean, act: (row: TrueRow) => void): void {
    const rows = this.rows(test)
    if (rows.length > 0) act(this.random.pick(rows))
  }

  post(pending: boolean): void {
    this.upstream.post({
      account: this.random.pick(this.upstream.accountIds),
      date: this.day(),
      amount: `${this.random.below(9) - 4}.${this.random.below(3)}5`,
      description: this.random.pick(words),
      pending
    })
  }
}

const amountOf = (random: Seeded) => `${random.below(9) - 4}.5`

/** Something happens at the bank. */
const happen = (script: Script): void => {
  const { random, upstream } = script
  if (script.appendOnly) return script.post(false)
  switch (random.below(9)) {
    case 0:
    case 1:
      return script.post(false)
    case 2:
      return script.post(true)
    case 3:
      return script.withRow(
        (row) => row.pending,
        (row) =>
          upstream.settle(row, {
            newId: script.provider.options.idTrust !== "stable",
            link: random.below(3) > 0,
            ...(random.once(2) ? { change: { amount: amountOf(random) } } : {})
          })
      )
    case 4:
      return script.withRow(
        (row) => row.pending,
        (row) => upstream.remove(row)
      )
    case 5: {
      // Where ids say nothing, a row that changes is one that vanishes and one that comes.
      const free = script.trusted || script.vanishing > 0
      if (!free) return
      return script.withRow(
        (row) => !row.pending,
        (row) => {
          if (!script.trusted) script.vanishing--
          upstream.change(row, random.once(2) ? { amount: amountOf(random) } : { description: random.pick(words) })
        }
      )
    }
    case 6:
      if (script.vanishing === 0) return
      return script.withRow(
        (row) => !row.pending,
        (row) => {
          script.vanishing--
          upstream.remove(row)
        }
      )
    case 7:
      // A real twin: the same event twice.
      return script.withRow(
        () => true,
        ({ account, amount, date, description, pending }) =>
          upstream.post({ account, amount, date, description, pending })
      )
    default:
      return script.withRow(
        (row) => row.pending || script.trusted,
        (row) => upstream.change(row, { broken: row.broken !== true })
      )
  }
}

const providerErrors = (random: Seeded): ProviderErrors.ProviderError => {
  const message = "scripted"
  switch (random.below(6)) {
    case 0:
      return new ProviderErrors.ProviderUnavailable({ message })
    case 1:
      return new ProviderErrors.RateLimited({ message, scope: "client", retryAfter: random.pick([1, 20, 900]) })
    case 2:
      return new ProviderErrors.MutationDuringPagination({ message })
    case 3:
      return new ProviderErrors.ProtocolViolation({ message, path: "rows[0]" })
    case 4:
      return new ProviderErrors.NotReady({ message, retryAfter: 400 })
    default:
      return new ProviderErrors.InstitutionUnavailable({ message })
  }
}

const storageAway = Effect.fail(new StorageUnavailable({ message: "scripted" }))

const addFeed = Effect.fnUntraced(function* (script: Script) {
  const { random, simulation } = script
  const onRemoved = random.pick([undefined, undefined, "delete", "mark", "keep"] as const)
  const pendingMode: PendingMode = random.pick(["sync_all", "filter_pending", "track_and_update"])
  const transactional = random.once(3)
  const kept = onRemoved === undefined ? {} : { onRemoved }
  const config: DestinationConfig = transactional
    ? {
        type: "table",
        tableId: (yield* storeTable(script.workspace, { fields: [] })).id,
        createMissingColumns: true,
        ...kept
      }
    : { type: "file", path: `${script.bankId}-${script.feeds.length}.csv`, format: "csv", ...kept }
  const feed = yield* storeFeed(script.workspace, {
    destinationConfig: config,
    sourceConfig: {
      type: "sync",
      accounts: script.accounts.map((account) => ({ bankId: account.bankId, accountId: account.id }))
    },
    dataTypeOptions: { dataType: "transactions", pendingMode },
    fieldMappings: mappings
  })
  const place = config.type === "file" ? simulation.destination.at(config.path) : undefined
  const tables = yield* TableStore
  const fromTable = Effect.gen(function* () {
    if (config.type !== "table") return []
    const table = Option.getOrThrow(yield* tables.get(feed.workspaceId, config.tableId))
    const keyOf = new Map(table.fields.map((field) => [field.name, field.key]))
    const rows = yield* tables.rows(wholeScan(config.tableId))
    return rows.map(({ values }) => {
      const shown = Object.fromEntries(columns.map((name) => [name, values[keyOf.get(name) ?? ""] ?? null])) as Shown
      return { key: `transactions:${String(shown.id)}`, values: shown }
    })
  })
  script.feeds.push({
    feed,
    place,
    deleted: new Set(),
    rows:
      place === undefined
        ? Effect.orDie(fromTable)
        : Effect.sync(() => place.rows.map(({ key, values }) => ({ key, values: values as Shown })))
  })
})

/** What must be true after every job: numbers, counters, ids. */
const checkJob = Effect.fnUntraced(function* (script: Script, under: FeedUnderTest, job: Job) {
  const { own } = yield* (yield* DeliveryStore).countOpen(under.feed.id, job.id)
  if (job.status === "completed" || job.status === "failed") {
    const lost = job.errors.some((error) => error.code === "WORKER_LOST" || error.code === "QUEUE_TIMEOUT")
    if (!lost)
      expect({ job: job.status, counts: job.counts, over: balanced(job.counts) - own }).toMatchObject({ over: 0 })
  }
  if (job.status === "completed") expect(own).toBe(0)
  yield* checkLedger(script)
})

const checkLedger = Effect.fnUntraced(function* (script: Script) {
  let highest = script.lastChange
  for (const account of script.accounts) {
    const records = yield* ledgerOf(account)
    expect(new Set(records.map((record) => record.changeNo)).size).toBe(records.length)
    for (const record of records) {
      const old = script.before.get(record.id)
      const key = `${account.id} ${record.id}`
      const moved =
        old === undefined || old.hash !== record.hash || old.state !== record.state || old.pending !== record.pending
      if (moved) expect([key, record.changeNo > (old?.changeNo ?? 0)]).toEqual([key, true])
      else if (old.providerId === record.providerId) expect([key, record.changeNo]).toEqual([key, old.changeNo])
      script.before.set(record.id, record)
      highest = Math.max(highest, record.changeNo)
    }
    if (!script.trusted) continue
    const live = new Map(
      records.filter(({ state }) => state === "live").map((record) => [record.providerId, record.id])
    )
    const gone = new Set(records.filter(({ state }) => state === "removed").map(({ id }) => id))
    for (const row of script.upstream.rows.values()) {
      // A row that is shown, but cannot be read, has not vanished.
      const known = script.ids.get(row.line)
      if (row.broken === true && known !== undefined && script.provider.options.idTrust === "stable" && !script.far) {
        expect([row.line, gone.has(known)]).toEqual([row.line, false])
      }
      const id = row.account === account.providerAccountId ? live.get(row.providerId) : undefined
      if (id === undefined) continue
      const settledAlone =
        script.provider.options.idTrust === "perStatus" && !row.pending && row.pendingProviderId === undefined
      if (!settledAlone && script.ids.has(row.line))
        expect([row.line, id]).toEqual([row.line, script.ids.get(row.line)])
      script.ids.set(row.line, id)
    }
  }
  script.lastChange = highest
})

const optionsOf = (script: Script): Partial<Job> => {
  const { random } = script
  const flags: SyncOptions = {
    forceCancelActive: false,
    resetCursors: random.once(12),
    skipDedup: random.once(12)
  }
  if (flags.resetCursors) return { mode: "full", options: flags }
  if (!random.once(6)) return { options: flags }
  const [a, b] = [script.day(), script.day()]
  return {
    mode: "range",
    options: { ...flags, startDate: CalendarDate.min(a, b), endDate: CalendarDate.max(a, b) }
  }
}

/** One job of a feed, with whatever may happen to it. */
const sync = Effect.fnUntraced(function* (script: Script, under: FeedUnderTest) {
  const { random, simulation } = script
  const { points } = simulation
  const jobs = yield* JobStore
  const dies = random.once(2)
  const change = optionsOf(script)
  const released = random.once(2)
  script.trace.push(`sync ${under.feed.id} ${JSON.stringify(change)}${dies ? " dies" : ""}`)
  const { job } = yield* drive(simulation, under.feed, {
    change,
    released,
    arm: (attempt, { id }) => {
      if (!dies || attempt > 1) return
      switch (random.below(8)) {
        case 0:
          return points.arm(1 + random.below(8), Effect.ignore(jobs.cancel(id, "cancel")), "Provider")
        case 1:
          return points.arm(1 + random.below(20), storageAway, "RecordStore")
        case 2:
          return points.arm(1 + random.below(6), Effect.interrupt, "Destination")
        case 3:
          return points.arm(1 + random.below(8), Effect.interrupt, "DeliveryStore")
        default:
          return points.arm(1 + random.below(90))
      }
    }
  })
  yield* checkJob(script, under, job)
  return job
})

const change = Effect.fnUntraced(function* (script: Script, which: "filter" | "rule") {
  const { random } = script
  const store = yield* EnrichmentStore
  const old = script[which]
  const config =
    which === "filter"
      ? {
          mode: "drop",
          conditions: { logic: "and", conditions: [{ field: "description", operator: "contains", value: "skip" }] },
          onDropAfterDelivery: "remove"
        }
      : {
          rules: [
            {
              conditions: {
                logic: "or",
                conditions: [{ field: "description", operator: "contains", value: "coffee" }]
              },
              action: { field: "category", value: random.pick(["Cafés", "Drinks"]) }
            }
          ]
        }
  if (old === undefined) {
    const made = yield* makeEnrichment(script.workspace, { type: which, config })
    script[which] = made
    return yield* store.insert(made)
  }
  const next: Enrichment = {
    ...old,
    config,
    enabled: random.once(2) ? !old.enabled : old.enabled,
    version: old.version + 1,
    revision: old.revision + 1
  }
  script[which] = next
  expect(yield* store.update(next)).toBe(true)
})

const step = Effect.fnUntraced(function* (script: Script) {
  const { random, simulation, upstream } = script
  const under = random.pick(script.feeds)
  switch (random.below(20)) {
    case 0:
      if (script.provider.options.changeModel === "delta") upstream.loseCheckpoints()
      return
    case 1:
      upstream.failures.push(...random.list(1, 3, () => (random.once(3) ? undefined : providerErrors(random))))
      return
    case 2:
      if (script.meanwhiles-- > 0) upstream.meanwhile.push(() => happen(script))
      return
    case 3:
    case 4:
      under.place?.faults.push(...random.list(1, 6, () => random.pick(offered)))
      return
    case 5:
      if (under.place !== undefined) {
        const word = random.pick(words)
        under.place.refuses = random.once(2) ? () => false : (values) => values["description"] === word
      }
      return
    case 6: {
      const { place } = under
      if (place === undefined || place.rows.length === 0 || simulation.model === "wholeFile") return
      const { key } = random.pick(place.rows)
      place.remove(key)
      under.deleted.add(key)
      return
    }
    case 7:
      return yield* change(script, random.once(2) ? "filter" : "rule")
    case 8: {
      if (script.feeds.length < 2) return yield* addFeed(script)
      const { feed } = under
      const options = {
        dataType: "transactions",
        pendingMode: random.pick(["sync_all", "filter_pending", "track_and_update"] as const)
      } as const
      const next: Feed = { ...feed, dataTypeOptions: options, version: feed.version + 1 }
      expect(yield* (yield* FeedStore).update(next)).toBe(true)
      under.feed = next
      return
    }
    case 9:
      simulation.clock.pass(random.below(7_200))
      return
    case 10:
    case 11:
    case 12:
    case 13:
      yield* sync(script, under)
      return
    default:
      for (let n = random.below(4); n >= 0; n--) happen(script)
      return
  }
})

/** Faults stop, and every feed is synced until nothing can be left to do. */
const quiesce = Effect.fnUntraced(function* (script: Script) {
  const { simulation, upstream } = script
  upstream.failures.length = 0
  upstream.meanwhile.length = 0
  for (const row of script.rows((one) => one.broken === true)) upstream.change(row, { broken: false })
  const window = script.provider.options.changeModel === "snapshotWindow"
  for (const under of script.feeds) {
    if (under.place !== undefined) {
      under.place.faults.length = 0
      under.place.refuses = () => false
    }
  }
  for (let round = 0; round < (window && script.far ? 3 : 2); round++) {
    for (const under of script.feeds) {
      // What lies outside the window of a provider that gives nothing else, only a full read finds out.
      const reset = window && script.far && round < 2
      const options: SyncOptions = { forceCancelActive: false, resetCursors: reset, skipDedup: false }
      simulation.clock.pass(60)
      const { job } = yield* drive(simulation, under.feed, {
        change: { mode: reset ? "full" : "incremental", options }
      })
      expect([job.status, job.errors.filter((error) => error.severity === "fatal")]).toEqual(["completed", []])
      yield* checkJob(script, under, job)
    }
  }
})

const sorted = (texts: Iterable<string>): ReadonlyArray<string> => [...texts].toSorted()

const categoryOf = (script: Script, description: string): string => {
  const config =
    script.rule?.enabled === true
      ? (script.rule.config as { readonly rules: ReadonlyArray<{ readonly action: { readonly value: string } }> })
      : undefined
  return config !== undefined && description.includes("coffee") ? config.rules[0]!.action.value : "UNCATEGORIZED"
}

/** The destination of a feed against the ledger, and the ledger against the bank. */
const checkEnd = Effect.fnUntraced(function* (script: Script) {
  const records: Array<LedgerRecord> = []
  for (const account of script.accounts) {
    const own = yield* ledgerOf(account)
    const truth = script
      .rows((row) => row.account === account.providerAccountId)
      .map((row) => textOf({ ...row, amount: String(Number(row.amount)) }))
    expect(sorted(own.filter(({ state }) => state === "live").map(ofRecord))).toEqual(sorted(truth))
    records.push(...own)
  }
  const byId = new Map(records.map((record) => [record.id, record]))
  const drops = script.filter?.enabled === true
  for (const under of script.feeds) {
    const mode = under.feed.dataTypeOptions
    const hides = mode.dataType === "transactions" && mode.pendingMode === "filter_pending"
    const shownBy = (record: LedgerRecord) =>
      !(hides && record.pending) && !(drops && String(record.fields["description"]).includes("skip"))
    const rows = yield* under.rows
    expect(new Set(rows.map(({ key }) => key)).size, "no row is there twice").toBe(rows.length)
    const there = new Map(rows.map(({ key, values }) => [key.slice("transactions:".length), values]))
    const expected = records.filter((record) => record.state === "live" && shownBy(record))
    for (const record of expected) {
      const values = there.get(record.id)
      if (values === undefined && under.deleted.has(`transactions:${record.id}`)) continue
      const { date, description } = record.fields
      expect({ ...values }, `${record.id} ${under.feed.id}`).toEqual({
        id: record.id,
        date,
        amount: record.fields["amount"],
        description,
        pending: record.pending,
        category: categoryOf(script, String(description)),
        removed: false
      })
    }
    for (const [id, values] of there) {
      const record = byId.get(id)
      expect(record, `a row of no record: ${id}`).toBeDefined()
      if (record?.state === "live") {
        // A pending row that an earlier mode delivered stays only where rows are never taken away.
        const kept = hides && record.pending && onRemovedOf(under.feed, record) !== "delete"
        expect([id, kept || shownBy(record)]).toEqual([id, true])
        continue
      }
      const rule = onRemovedOf(under.feed, record!)
      expect([id, rule]).not.toEqual([id, "delete"])
      if (rule === "mark") expect([id, values.removed]).toEqual([id, true])
    }
  }
})

/** Syncing what has not changed costs no write, here or there. */
const checkStill = Effect.fnUntraced(function* (script: Script) {
  const { points } = script.simulation
  for (const under of script.feeds) {
    const writes = under.place?.writes
    let calls = new Map<string, number>()
    const { job } = yield* drive(script.simulation, under.feed, {
      arm: () => {
        points.arm(Infinity)
        calls = points.calls
      }
    })
    const written = [
      "RecordStore.write",
      "RecordStore.setMissed",
      "RecordStore.saveCheckpoint",
      "DeliveryStore.intend",
      "DeliveryStore.settle",
      "DeliveryStore.markSending",
      "FeedStore.setMark",
      "Destination.write"
    ].filter((name) => calls.has(name))
    expect([job.status, written]).toEqual(["completed", []])
    const empty = (yield* under.rows).length === 0
    if (!empty) expect(under.place?.writes).toBe(writes)
    yield* checkJob(script, under, job)
  }
})

/** Plays the script of a seed. */
export const play = Effect.fnUntraced(function* (seed: number, simulation: Simulation, options: ScriptOptions) {
  const script = new Script(seed, simulation)
  const { random } = script
  script.far = random.once(4)
  const connected = yield* connect(script.provider, random.once(2) ? ["a"] : ["a", "b"])
  script.workspace = connected.workspace
  script.upstream = connected.upstream
  script.accounts = connected.accounts
  script.bankId = connected.bank.id
  for (let n = random.below(8); n >= 0; n--) happen(script)
  yield* addFeed(script)
  for (let n = 0; n < options.steps; n++) yield* step(script)
  yield* quiesce(script)
  yield* checkEnd(script)
  yield* checkStill(script)
})
