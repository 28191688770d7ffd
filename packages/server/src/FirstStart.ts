/**
 * The first minutes: a workspace with its owner, banks of the demo provider, two feeds, and their first
 * syncs. Later starts find everything as it was.
 */
import { workspaceFolder } from "@millrace/adapters/destination"
import { exclusively } from "@millrace/adapters/postgres"
import { asOwner, asSystem, type Caller } from "@millrace/core/access"
import { DeliveryStore, Transactor, WorkspaceStore } from "@millrace/core/storage"
import { type EnrichmentView, starters } from "@millrace/core/enrichment"
import { Banks, Enrichments, Feeds, Findings, Jobs, Tables, Workspaces } from "@millrace/core/kernel"
import { defaultMappings } from "@millrace/core/destination"
import type { Feed } from "@millrace/core/feed"
import { isActive, type Job } from "@millrace/core/job"
import { Providers } from "@millrace/core/provider"
import { Currency } from "@millrace/core"
import { acrossTenants, withinWorkspaces, type Workspace } from "@millrace/core/workspace"
import { isAbsolute, join, relative } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Settings } from "./Settings.ts"
import * as Terminal from "./Terminal.ts"

/** The rules of the demo show what enrichment does to the rows: each writes a field that the first feeds deliver. */
const demoRules = {
  rules: [
    {
      name: "Rent",
      // As a word: parents, car rentals and current accounts have these letters, too.
      conditions: {
        logic: "and",
        conditions: [{ field: "description", operator: "matches", value: "(?i)\\brent\\b" }]
      },
      action: { field: "category", value: "RENT_AND_UTILITIES" }
    },
    {
      name: "Own transfers",
      conditions: {
        logic: "and",
        conditions: [{ field: "description", operator: "matches", value: "(?i)\\btransfer (to|from)\\b" }]
      },
      action: { field: "notes", value: "Between own accounts" }
    },
    {
      name: "Readable descriptions",
      conditions: { logic: "and", conditions: [{ field: "description", operator: "isNotEmpty" }] },
      action: { kind: "case", field: "description", mode: "title" }
    }
  ]
}

/** Together they have every data type that a connection can sync. */
const demoInstance = "demo:default"
const demoBanks = ["demo-retail", "demo-broker", "demo-lender"]

/** What finds something on the demo banks, in the order in which it is reported. */
const demoStarters: ReadonlySet<string> = new Set(["transfers", "recurring", "anomalies", "fees", "budget", "watch"])

/** Where rules and starters write: fields that the demo banks have not. */
const written = [
  { sourceField: "notes", destinationField: "Notes" },
  { sourceField: "transfer.kind", destinationField: "Transfer" },
  { sourceField: "budget.keys", destinationField: "Budget" }
]

const setUp = Effect.fn("FirstStart.setUp")(function* (caller: Caller, settings: Settings) {
  const connect = (institutionId: string) =>
    Effect.flatMap(Banks, (banks) =>
      banks.connect(caller, {
        instanceId: demoInstance,
        attemptId: `first-start ${institutionId}`,
        payload: { kind: "provider_connection_id", connectionId: "first start", institutionId }
      })
    )
  const banks = yield* Effect.forEach(demoBanks, connect)
  const feeds = yield* Feeds
  const transactions = {
    source: "sync",
    dataType: "transactions",
    sourceConfig: {
      type: "sync",
      accounts: banks
        .flatMap(({ accounts }) => accounts)
        .filter(({ supports }) => supports.includes("transactions"))
        .map(({ bankId, id }) => ({ bankId, accountId: id }))
    }
  } as const
  const table = yield* (yield* Tables).create(caller, { name: "Transactions", fields: [] })
  const toTable = yield* feeds.create(caller, {
    ...transactions,
    name: "Transactions to a table",
    destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true }
  })
  const made: Array<Feed> = [toTable.feed]
  if (settings.filesFolder !== undefined) {
    const toFile = yield* feeds.create(caller, {
      ...transactions,
      name: "Transactions to a CSV file",
      destinationConfig: { type: "file", path: "transactions.csv", format: "csv" }
    })
    made.push(toFile.feed)
  }
  // Feeds of other people's banks are none of the demo's business: its enrichments name its own.
  const feedIds = made.map(({ id }) => id)
  yield* (yield* Enrichments).create(caller, {
    name: "First rules",
    type: "rule",
    dataType: "transactions",
    feedIds,
    config: demoRules
  })
  const taken = yield* Effect.forEach(
    starters.filter(({ name }) => demoStarters.has(name)),
    ({ enrichment }) => Effect.flatMap(Enrichments, (all) => all.create(caller, { ...enrichment, feedIds }))
  )
  // Last, since a feed can only be mapped from a field that somebody writes.
  const fieldMappings = [...defaultMappings({ dataType: "transactions" }), ...written]
  for (const id of feedIds) yield* feeds.update(caller, id, { fieldMappings }, undefined)
  return { caller, banks, feeds: made, table, taken }
})

/** Of the one local owner, who has no other address here. */
export const ownerEmail = "owner@localhost"

const make = Effect.fn("FirstStart.make")(function* (settings: Settings) {
  const { owner, secret, workspace } = yield* (yield* Workspaces).create({
    name: "My workspace",
    plan: "enterprise",
    timezone: settings.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    baseCurrency: settings.currency ?? Currency.make("USD"),
    ownerEmail
  })
  const caller = asOwner(workspace, owner)
  // The operator may have taken the demo provider away.
  const isThere = (yield* Providers).all.some(({ instanceId }) => instanceId === demoInstance)
  return { demo: settings.demo && isThere ? yield* setUp(caller, settings) : undefined, secret, workspace }
})

const runFirst = Effect.fn("FirstStart.runFirst")(function* (caller: Caller, feed: Feed) {
  const jobs = yield* Jobs
  let job: Job = yield* jobs.trigger(caller, feed.id, {})
  for (let tick = 0; isActive(job.status); tick++) {
    const { counts } = job
    const delivered = counts.created + counts.updated
    yield* Terminal.progress(
      "Sync",
      {
        done: delivered,
        total: counts.read === 0 ? undefined : counts.read - counts.filtered,
        text: `${feed.name}: ${Terminal.count(counts.read)} read, ${Terminal.count(delivered)} delivered`
      },
      tick
    )
    yield* Effect.sleep("100 millis")
    job = yield* jobs.get(caller, feed.id, job.id)
  }
  yield* Terminal.endProgress
  const enriched = yield* (yield* DeliveryStore).current(feed.id).pipe(
    Stream.runFold(
      () => 0,
      (sum, delivery) => sum + (delivery.provenance.length > 0 ? 1 : 0)
    ),
    withinWorkspaces(caller.principal.workspace.id)
  )
  const mark = job.status === "completed" ? Terminal.green("done") : Terminal.red(job.status)
  const { created, read } = job.counts
  yield* Terminal.field(
    "Sync",
    `${feed.name}: ${mark}, ${Terminal.count(read)} read, ${Terminal.count(enriched)} enriched, ${Terminal.count(created)} delivered`
  )
  for (const error of job.errors) yield* Terminal.field("", Terminal.yellow(`${error.severity}: ${error.message}`))
  return job
})

/** How many findings are reported one by one. */
const shownFindings = 4

/** What enrichments found on the demo banks, and people can decide about. */
const tellFound = Effect.fn("FirstStart.tellFound")(function* (
  caller: Caller,
  feed: Feed,
  taken: ReadonlyArray<EnrichmentView>
) {
  const findings = yield* Findings
  const rowsOf = yield* (yield* DeliveryStore).current(feed.id).pipe(
    Stream.runFold(
      () => new Map<string, number>(),
      (counts, { provenance }) => {
        for (const id of new Set(provenance.map(({ enrichmentId }) => enrichmentId))) {
          counts.set(id, (counts.get(id) ?? 0) + 1)
        }
        return counts
      }
    ),
    withinWorkspaces(caller.principal.workspace.id)
  )
  for (const { enrichment } of taken) {
    const many = rowsOf.get(enrichment.id)
    if (many !== undefined) yield* Terminal.field("Enriched", `${enrichment.name}: ${Terminal.count(many)} rows`)
  }
  for (const { enrichment } of taken) {
    const { hasMore, rows } = yield* findings.list(caller, enrichment.id, { status: "open" })
    const many = hasMore ? `more than ${rows.length}` : String(rows.length)
    if (rows.length === 0) continue
    yield* Terminal.field("Found", `${enrichment.name}: ${many} ${rows.length === 1 ? "thing" : "things"} to look at`)
    for (const { title } of rows.slice(0, shownFindings)) yield* Terminal.field("", Terminal.dim(title))
  }
})

/** As short as it is said where the server was started. */
const shortPath = (path: string): string => {
  const below = relative(process.cwd(), path)
  return below.startsWith("..") || isAbsolute(below) ? path : below
}

const tellWhere = (settings: Settings, { id }: Workspace, tableId: string, secret: string) =>
  Effect.gen(function* () {
    const base = `http://${settings.host === "0.0.0.0" ? "127.0.0.1" : settings.host}:${settings.port}`
    yield* Terminal.say()
    yield* Terminal.say(`  ${Terminal.bold("Delivered")}`)
    yield* Terminal.field("table", tableId)
    if (settings.filesFolder !== undefined) {
      yield* Terminal.field("file", shortPath(join(workspaceFolder(settings.filesFolder, id), "transactions.csv")))
    }
    yield* Terminal.say()
    yield* Terminal.say(`  ${Terminal.bold("Call it")}`)
    yield* Terminal.say(`  export KEY=${secret}`)
    for (const path of ["whoami", "banks", "feeds"]) {
      yield* Terminal.say(`  curl -H "X-API-Key: $KEY" ${base}/v1/${path}`)
    }
    const place = settings.port === 8080 ? "" : ` --base-url ${base}`
    yield* Terminal.say(`  npx millrace login${place}   ${Terminal.dim("asks for the key, once")}`)
    yield* Terminal.say(`  npx millrace rows list --table ${tableId}`)
  })

/** Of processes that start together, one makes it. */
const makeOnce = Effect.fnUntraced(function* (settings: Settings) {
  yield* exclusively
  const existing = yield* acrossTenants("first start")((yield* WorkspaceStore).all)
  return existing.length > 0 ? { existing } : { made: yield* make(settings) }
})

/** Makes the first workspace when there is none. Returns whether it did. */
export const firstStart = Effect.fn("FirstStart.firstStart")(function* (settings: Settings) {
  // As one: a start that is killed here leaves nothing, and the next one begins again.
  const { existing, made } = yield* (yield* Transactor).atomically(makeOnce(settings))
  if (made === undefined) {
    yield* tellState(existing)
    return false
  }
  const { demo, secret, workspace } = made
  yield* Terminal.field("Workspace", `${workspace.name} ${Terminal.dim(workspace.id)}`)
  yield* Terminal.field("API key", `${Terminal.bold(Redacted.value(secret))}`)
  yield* Terminal.field("", Terminal.yellow("shown this once; keep it (npm start -- --new-key makes another)"))
  yield* Terminal.field("", Terminal.dim("npm start -- --sign-in prints a session, to remove banks permanently"))
  if (demo === undefined) return true
  const { banks, feeds, caller, table, taken } = demo
  for (const [at, { accounts, bank }] of banks.entries()) {
    const what = `${bank.name}, ${accounts.length} accounts ${Terminal.dim("(demo provider)")}`
    yield* Terminal.field(at === 0 ? "Banks" : "", what)
  }
  // Without workers there is nothing to wait for yet.
  for (const feed of feeds) {
    if (settings.slots > 0) yield* runFirst(caller, feed)
    else yield* (yield* Jobs).trigger(caller, feed.id, {})
  }
  if (settings.slots > 0) yield* tellFound(caller, feeds[0]!, taken)
  yield* tellWhere(settings, workspace, table.id, Redacted.value(secret))
  return true
})

const tellState = Effect.fnUntraced(function* (workspaces: ReadonlyArray<Workspace>) {
  const banks = yield* Banks
  const feeds = yield* Feeds
  for (const workspace of workspaces) {
    const asked = asSystem(workspace, "start")
    const bankCount = (yield* banks.list(asked)).length
    const views = yield* feeds.list(asked, {})
    const failing = views.filter((view) => view.state.status === "failing").length
    yield* Terminal.field(
      "Workspace",
      `${workspace.name}: ${bankCount} ${bankCount === 1 ? "bank" : "banks"}, ` +
        `${views.length} ${views.length === 1 ? "feed" : "feeds"}${failing > 0 ? Terminal.red(`, ${failing} failing`) : ""} ` +
        Terminal.dim(workspace.id)
    )
  }
})
