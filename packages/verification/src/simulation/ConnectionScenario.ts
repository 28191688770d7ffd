/** One connected bank in a scenario, with the feeds that follow it and all that is known of it. */
import type { Account, Bank } from "@millrace/core/bank"
import { DeliveryStore, EnrichmentStore, FeedStore, reopenableStates } from "@millrace/core/storage"
import type { Enrichment } from "@millrace/core/enrichment"
import type { PendingMode } from "../../../core/src/feed/FeedConfig.ts"
import type { SyncOptions } from "../../../core/src/job/Job.ts"
import type { TriggerSync } from "../../../core/src/job/Jobs.ts"
import type { LedgerRecord } from "@millrace/core/record"
import { CalendarDate } from "@millrace/core"
import type { Workspace } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { makeEnrichment } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import { longAgo, type ScriptedBank, type ScriptedProvider } from "@millrace/testing/fake"
import { enrichedWith, isOfSets } from "./Analysed.ts"
import { BankHand, bankEvents } from "./BankEvents.ts"
import type { FollowingFeed } from "./FollowingFeed.ts"
import type { Sometimes } from "./Sometimes.ts"
import type { Watch } from "./Watch.ts"
import { weightsOf } from "./Swarm.ts"

export interface Connected {
  readonly workspace: Workspace
  readonly upstream: ScriptedBank
  readonly bank: Bank
  readonly accounts: ReadonlyArray<Account>
}

const contains = (value: string) => ({ field: "description", operator: "contains", value })

/** One scenario in three has enrichments that look at sets. */
const analysedScenarios = 3

export class ConnectionScenario {
  readonly random: Seeded
  readonly provider: ScriptedProvider
  readonly workspace: Workspace
  readonly upstream: ScriptedBank
  readonly bank: Bank
  readonly accounts: ReadonlyArray<Account>
  readonly hand: BankHand
  readonly sometimes: Sometimes
  readonly feeds: Array<FollowingFeed> = []
  /** Feeds that ever were: their destinations keep a name of their own. */
  feedsMade = 0
  /** Whether the bank ever gave a short answer for a whole one. */
  misled = false
  /** Whether the bank ever may have shown a row on two pages, which has no id that would tell. */
  doubled = false
  /** Changes behind the back of a reader that may still come. */
  meanwhiles = 1
  readonly enrichments: { filter?: Enrichment; rule?: Enrichment } = {}
  /** Enrichments that look at sets, where there are any. */
  sets: Array<Enrichment> = []
  /** Line of a true row -> id of its record. */
  readonly ids = new Map<number, string>()
  /** Line of a true row -> what it said when the ledger had it. */
  readonly kept = new Map<number, string>()
  /** Once it shows less, the bank shows so many posted rows of an account at most. */
  readonly listedRows: number
  /** Records as they were when last looked at. */
  readonly before = new Map<string, LedgerRecord>()

  /** Adds to the story of the scenario. */
  readonly tell: (text: string) => void

  constructor(random: Seeded, provider: ScriptedProvider, connected: Connected, watch: Watch) {
    const { sometimes, trace } = watch
    this.tell = (text) => void trace.push(text)
    this.random = random
    this.provider = provider
    this.workspace = connected.workspace
    this.upstream = connected.upstream
    this.bank = connected.bank
    this.accounts = connected.accounts
    this.sometimes = sometimes
    this.upstream.sharesIds = random.once(2)
    this.listedRows = random.once(2) ? Infinity : 1 + random.below(9)
    const weights = weightsOf(random, bankEvents, { post: 4, "post pending": 3 })
    this.hand = new BankHand(random, provider, this.upstream, sometimes, weights, random.once(4) ? 25 : 5)
    if (random.once(4) && this.hand.trusted && provider.options.changeModel.startsWith("snapshot")) {
      this.upstream.repeatsEdges = true
      sometimes.happened("provider repeats an edge row")
    }
  }

  /** Up to `most` things happen at the bank. */
  happen(now: number, most: number): void {
    const { events } = this.upstream
    const before = events.length
    for (let n = this.random.below(most); n >= 0; n--) this.hand.happen(now)
    for (const { kind, row } of events.slice(before)) {
      const { account, amount, broken, date, description, line, pending, providerId } = row
      const how = `${pending ? " pending" : ""}${broken === true ? " broken" : ""}`
      this.tell(`   ${kind} line ${line}: ${account}/${providerId} ${date} ${amount} ${description}${how}`)
    }
  }

  /** Options of a sync that somebody asks for. */
  request(now: number): TriggerSync {
    const { random } = this
    const flags = { resetCursors: random.once(12), skipDedup: random.once(12) }
    if (flags.resetCursors || !random.once(6)) return flags
    const [a, b] = [this.hand.day(now), this.hand.day(now)]
    return { ...flags, startDate: CalendarDate.min(a, b), endDate: CalendarDate.max(a, b) }
  }

  /** From a generator of its own: what else a scenario draws stays as it is. */
  readonly analyse = Effect.fnUntraced(function* (this: ConnectionScenario, seed: number) {
    if (!new Seeded(seed).once(analysedScenarios)) return
    this.sets = [...(yield* enrichedWith(this.workspace, isOfSets))]
    this.sometimes.happened("sets analysed")
  })

  /** Somebody turns on, changes or turns off what enriches the rows of the workspace. */
  readonly enrich = Effect.fnUntraced(function* (this: ConnectionScenario) {
    const { enrichments, random } = this
    const which = random.once(2) ? "filter" : "rule"
    const store = yield* EnrichmentStore
    if (this.sets.length > 0 && random.once(2)) {
      const at = random.below(this.sets.length)
      const old = this.sets[at]!
      this.sets[at] = { ...old, enabled: !old.enabled, version: old.version + 1, revision: old.revision + 1 }
      this.sometimes.happened("enrichment of sets turned on or off")
      yield* store.update(this.sets[at])
      return
    }
    const config =
      which === "filter"
        ? {
            mode: "drop",
            conditions: { logic: "and", conditions: [contains("skip")] },
            onDropAfterDelivery: "remove"
          }
        : {
            rules: [
              {
                conditions: { logic: "or", conditions: [contains("coffee")] },
                action: { field: "category", value: random.pick(["Cafés", "Drinks"]) }
              }
            ]
          }
    this.sometimes.happened("enrichment changed")
    const old = enrichments[which]
    if (old === undefined) {
      const made = yield* makeEnrichment(this.workspace, { type: which, config })
      enrichments[which] = made
      return yield* store.insert(made)
    }
    const next: Enrichment = {
      ...old,
      config,
      enabled: random.once(2) ? !old.enabled : old.enabled,
      version: old.version + 1,
      revision: old.revision + 1
    }
    enrichments[which] = next
    yield* store.update(next)
  })

  /** Somebody changes how a feed treats pending rows. */
  readonly reconfigure = Effect.fnUntraced(function* (this: ConnectionScenario, under: FollowingFeed) {
    const pendingMode: PendingMode = this.random.pick(["sync_all", "filter_pending", "track_and_update"])
    const feeds = yield* FeedStore
    const held = yield* feeds.byId(under.feed.id)
    if (Option.isNone(held)) return
    const dataTypeOptions = { dataType: "transactions" as const, pendingMode }
    const next = { ...held.value, dataTypeOptions, version: held.value.version + 1 }
    if (yield* feeds.update(next)) under.feed = next
  })

  /** A person deletes a row at the destination, where that can be distinguished from one that was never there. */
  deleteRow(under: FollowingFeed, wholeFile: boolean): void {
    const { place } = under
    if (place === undefined || place.rows.length === 0 || wholeFile) return
    const { key } = this.random.pick(place.rows)
    place.remove(key)
    under.deleted.add(key)
    this.sometimes.happened("person deletes a row")
  }

  /** Somebody asks for rows to be sent again. */
  readonly redeliver = Effect.fnUntraced(function* (this: ConnectionScenario, { feed }: FollowingFeed) {
    const state = this.random.pick(reopenableStates)
    const opened = yield* (yield* DeliveryStore).reopen(feed.id, { state, limit: 1 + this.random.below(4) })
    if (opened > 0) this.sometimes.happened("rows delivered again", opened)
  }, Effect.orDie)

  /** Whatever stands in the way of a reader or a writer is put right, and what was given up is asked for again. */
  readonly heal = Effect.gen({ self: this }, function* () {
    this.#heal()
    const ledger = yield* DeliveryStore
    for (const { feed } of this.feeds) yield* ledger.reopen(feed.id, { state: "dead", limit: 1_000 })
  }).pipe(Effect.orDie)

  #heal(): void {
    const { upstream } = this
    upstream.failures.length = 0
    upstream.lookFailures.length = 0
    upstream.meanwhile.length = 0
    upstream.shortReads = 0
    if (this.random.once(2)) upstream.keeps = { from: longAgo, rows: Infinity }
    upstream.health = { status: "connected" }
    for (const account of upstream.accountIds) upstream.unlisted.delete(account)
    for (const row of this.hand.rows((one) => one.broken === true)) upstream.change(row, { broken: false })
    for (const { place } of this.feeds) {
      if (place === undefined) continue
      place.faults.length = 0
      place.refuses = () => false
    }
  }
}

/** Mode and options as a trigger makes them. */
export const orderOf = (
  request: TriggerSync
): { readonly mode: "full" | "range" | "incremental"; readonly options: SyncOptions } => {
  const { endDate, forceCancelActive = false, resetCursors = false, skipDedup = false, startDate } = request
  const flags = { forceCancelActive, resetCursors, skipDedup }
  if (startDate === undefined || endDate === undefined)
    return { mode: resetCursors ? "full" : "incremental", options: flags }
  return { mode: "range", options: { ...flags, startDate, endDate } }
}
