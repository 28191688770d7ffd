/**
 * What must hold once nothing is disturbed any more: every acknowledged job is there and over, nothing is locked or
 * leased, and what is at the banks is in the ledger and at every destination, each row once.
 */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { recordsOf } from "../process/Reading.ts"
import type { Installation } from "./Installation.ts"
import type { ChaosFeed } from "./World.ts"

interface JobRow {
  readonly id: string
  readonly feed_id: string
  readonly status: string
  readonly attempt: number
  readonly codes: ReadonlyArray<string>
  /** Left side of the equation of counters, and right side. */
  readonly taken: number
  readonly settled: number
}

export interface Checked {
  readonly breaches: ReadonlyArray<string>
  readonly jobs: ReadonlyArray<JobRow>
  /** Rows at the destinations, each feed for itself. */
  readonly rows: number
  /**
   * Messages to people that were made. None where an enrichment saw all accounts for the first time when all was over: it is
   * quiet about what it begins with, and looks again with the next run where other runs were faster.
   */
  readonly messages: number
}

/** How a job may end while workers and storage are taken from it; everything else is a fault. */
const excused: ReadonlySet<string> = new Set(["WORKER_LOST", "PAGINATION_UNSTABLE"])

const quietMillis = 120_000

/** Waits until no job is active; returns what is wrong where some are after all. */
export const untilQuiet = async ({ database }: Installation): Promise<ReadonlyArray<string>> => {
  const until = performance.now() + quietMillis
  for (;;) {
    const active = await database.query(
      `select id, status, epoch, attempt, heartbeat::text, store_now()::text as now from job
       where status in ('created', 'in_progress', 'paused')`
    )
    if (active.length === 0) return []
    if (performance.now() > until) return [`${active.length} jobs are not over: ${JSON.stringify(active.slice(0, 3))}`]
    await wait(200)
  }
}

/** A job on a machine that is too busy for its lease may fail, and may be started again. */
const tries = 3

/** One more run of a feed, undisturbed; answers what is wrong with it. */
const runAgain = async ({ client }: Installation, feed: ChaosFeed): Promise<string | undefined> => {
  for (let n = 1; ; n++) {
    const jobId = await client.trigger(feed)
    if (jobId === undefined) return `${feed.id} is locked by a job that nobody knows`
    const status = await client.untilOver(feed, jobId)
    if (status === "completed") return undefined
    if (n === tries) {
      const answer = await client.ask(`/v1/feeds/${feed.id}/jobs/${jobId}`)
      return `The last job of ${feed.id} is ${status ?? "not over"}: ${answer?.body}`
    }
  }
}

/** Every feed, up to date. */
const bringUpToDate = async (installation: Installation): Promise<ReadonlyArray<string>> => {
  const faults = await Promise.all(installation.world.feeds.map((feed) => runAgain(installation, feed)))
  return faults.filter((fault) => fault !== undefined)
}

const jobsOf = ({ database }: Installation): Promise<ReadonlyArray<JobRow>> =>
  database.query<JobRow>(
    `select id, feed_id, status, attempt,
       (select coalesce(json_agg(e->>'code'), '[]') from jsonb_array_elements(errors) e
         where e->>'severity' <> 'warning') as codes,
       read_count + vanished_count + carried_count as taken,
       created_count + updated_count + removed_count + unchanged_count + filtered_count + failed_count as settled
     from job`
  )

const checkJobs = ({ log }: Installation, jobs: ReadonlyArray<JobRow>): ReadonlyArray<string> => {
  const breaches: Array<string> = []
  const byId = new Map(jobs.map((job) => [job.id, job]))
  for (const { jobId } of log.acknowledged) if (!byId.has(jobId)) breaches.push(`The job ${jobId} is lost`)
  for (const job of jobs) {
    if (job.status === "completed" && job.taken !== job.settled) {
      breaches.push(`The counters of ${job.id} do not add up: ${JSON.stringify(job)}`)
    }
    if (job.status === "failed" && !job.codes.every((code) => excused.has(code))) {
      breaches.push(`The job ${job.id} failed: ${job.codes.join(", ")}`)
    }
  }
  return breaches
}

const checkLocks = async ({ database }: Installation): Promise<ReadonlyArray<string>> => {
  const [locks] = await database.query(
    `select (select count(*)::int from lease) as leases,
       (select count(*)::int from pg_stat_activity where datname = current_database()
         and state like 'idle in transaction%' and store_now() - state_change > interval '1 second') as transactions,
       (select count(*)::int from delivery where state not in ('done', 'skipped')) as open`
  )
  return Object.entries(locks ?? {}).flatMap(([what, count]) =>
    count === 0 ? [] : [`There are ${String(count)} ${what} left`]
  )
}

/** Rows by their key, and the keys that are there more than once. */
const indexed = (rows: ReadonlyArray<readonly [key: string, row: string]>) => {
  const byKey = new Map<string, string>()
  const doubled: Array<string> = []
  for (const [key, row] of rows) {
    if (byKey.has(key)) doubled.push(key)
    byKey.set(key, row)
  }
  return { byKey, doubled }
}

const compare = (
  where: string,
  wanted: ReadonlyMap<string, string>,
  found: ReadonlyArray<readonly [key: string, row: string]>
): ReadonlyArray<string> => {
  const { byKey, doubled } = indexed(found)
  const lost = [...wanted].filter(([key]) => !byKey.has(key))
  const extra = [...byKey].filter(([key]) => !wanted.has(key))
  const other = [...wanted].filter(([key, row]) => byKey.has(key) && byKey.get(key) !== row)
  return [
    ...(doubled.length > 0 ? [`${where}: ${doubled.length} rows doubled, such as ${doubled[0]}`] : []),
    ...(lost.length > 0 ? [`${where}: ${lost.length} rows lost, such as ${lost[0]!.join(" ")}`] : []),
    ...(extra.length > 0 ? [`${where}: ${extra.length} rows too many, such as ${extra[0]!.join(" ")}`] : []),
    ...(other.length > 0
      ? [
          `${where}: ${other.length} rows of other content, such as ${other[0]!.join(" ")} <> ${byKey.get(other[0]![0])}`
        ]
      : [])
  ]
}

const shown = (...cells: ReadonlyArray<unknown>): string => cells.map(String).join(" | ")

/** The ledger of a bank by the ids of the records, compared with the truth by the ids of the bank. */
const checkLedger = async ({ bank, database }: Installation, { bankId, ref }: ChaosFeed) => {
  const rows = await database.query(
    `select r.id, r.provider_id, r.date::text, r.amount::text, r.pending, r.fields->>'description' as description
     from record r join account a on a.id = r.account_id
     where a.bank_id = '${bankId}' and r.data_type = 'transactions' and r.state = 'live'`
  )
  const contentOf = (row: (typeof rows)[number]) =>
    shown(row["date"], row["amount"], row["description"], row["pending"])
  const truth = new Map(
    [...bank.bank(ref).rows.values()].map((row) => [
      row.providerId,
      shown(row.date, row.amount, row.description, row.pending)
    ])
  )
  return {
    breaches: compare(
      `Ledger of ${ref}`,
      truth,
      rows.map((row) => [String(row["provider_id"]), contentOf(row)])
    ),
    byRecord: new Map(rows.map((row) => [String(row["id"]), contentOf(row)]))
  }
}

const cells = (row: Readonly<Record<string, unknown>>) =>
  shown(row["date"], row["amount"], row["description"], row["pending"])

/** What is at the destination of a feed, by the ids of the records. */
const delivered = async (
  { database, destination: remote, model, world }: Installation,
  { destination }: ChaosFeed
): Promise<ReadonlyArray<readonly [string, string]>> => {
  if (destination.kind === "table") {
    const rows = await database.query(
      `select external_key as key, ${["date", "amount", "description", "pending"]
        .map((name) => `field_values->>'${name}' as ${name}`)
        .join(", ")}
       from table_row where table_id = '${destination.tableId}'`
    )
    return rows.map((row) => [String(row["key"]).replace(/^transactions:/, ""), cells(row)])
  }
  if (model === "wholeFile") {
    const records = recordsOf(await readFile(join(world.files, destination.path), "utf8"))
    return records.map((record) => [record["id"] ?? "", cells(record)])
  }
  return remote.at(destination.path).rows.map(({ key, values }) => [key.replace(/^transactions:/, ""), cells(values)])
}

/** Pieces of files that nobody will finish. */
const checkFolder = async ({ model, world }: Installation): Promise<ReadonlyArray<string>> => {
  if (model !== "wholeFile") return []
  const left = (await readdir(world.files)).filter((name) => !name.endsWith(".csv"))
  return left.length > 0 ? [`Pieces of files are left: ${left.join(", ")}`] : []
}

interface MessageRow {
  readonly id: string
  readonly state: string
}

const isOpen = ({ state }: MessageRow): boolean => ["held", "ready", "sending"].includes(state)

/** Waits until no message is on its way. Each is reported then, and to anyone who takes the same id for the same message, once. */
const checkMessages = async ({ database, destination }: Installation) => {
  const until = performance.now() + quietMillis
  for (;;) {
    const messages = await database.query<MessageRow>(`select id, state from message`)
    if (messages.some(isOpen) && performance.now() < until) {
      await wait(200)
      continue
    }
    const faults = messages.flatMap(({ id, state }) => {
      const arrived = destination.messages.get(id) ?? []
      const isRight = state === "sent" ? arrived.length > 0 : state === "withdrawn" && arrived.length === 0
      if (!isRight) return [`The message ${id} is ${state}, and came ${arrived.length} times`]
      return new Set(arrived).size > 1 ? [`The message ${id} came with ${new Set(arrived).size} contents`] : []
    })
    return { faults, messages: messages.length }
  }
}

/** Enrichments that were set aside: kills at random moments must not do that. */
const checkSetAside = async ({ database }: Installation): Promise<ReadonlyArray<string>> => {
  const rows = await database.query<{ name: string }>(
    `select body -> 'data' ->> 'name' as name from finding where kind = 'set_aside'`
  )
  return rows.map(({ name }) => `The enrichment ${name} was set aside`)
}

/** Call it when every worker is up and nothing triggers any more. */
export const check = async (installation: Installation): Promise<Checked> => {
  const { fleet, log, world } = installation
  const breaches = [...(await untilQuiet(installation))]
  if (breaches.length === 0) breaches.push(...(await bringUpToDate(installation)))
  const jobs = await jobsOf(installation)
  const { faults, messages } = await checkMessages(installation)
  breaches.push(
    ...checkJobs(installation, jobs),
    ...faults,
    ...(await checkLocks(installation)),
    ...(await checkSetAside(installation)),
    ...(await checkFolder(installation))
  )
  let rows = 0
  const ledgers = new Map<string, Awaited<ReturnType<typeof checkLedger>>>()
  for (const feed of world.feeds) {
    let ledger = ledgers.get(feed.ref)
    if (ledger === undefined) {
      ledgers.set(feed.ref, (ledger = await checkLedger(installation, feed)))
      breaches.push(...ledger.breaches)
    }
    const found = await delivered(installation, feed)
    rows += found.length
    breaches.push(...compare(`${feed.destination.kind} of ${feed.ref}`, ledger.byRecord, found))
  }
  return { breaches: [...log.breaches, ...fleet.surprises, ...breaches], jobs, rows, messages }
}
