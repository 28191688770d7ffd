/** One engine through everything that is measured of it, in a database of its own. */
import { setTimeout as wait } from "node:timers/promises"
import { Client } from "pg"
import type { PostgresAddress } from "@millrace/verification/postgres/PostgresServer"
import { median } from "../harness/Measure.ts"
import type { Contestant, Desk } from "./Contestant.ts"
import { type Fleet, slotsOfFleet, startFleet } from "./Fleet.ts"
import { handover, type Handover, jobsOf } from "./Handover.ts"
import { now } from "./Messages.ts"
import { long, type Place, type Shape, short, slow, tables } from "./Shape.ts"

export interface Effort {
  /** Jobs that are triggered one by one, as fast as they are taken. */
  readonly triggered: number
  /** Jobs of one workspace that wait when another one's comes. */
  readonly busy: number
  /** Jobs that wait when the runners start. */
  readonly queued: number
  readonly loneStarts: number
  readonly idleSeconds: number
  /** Longest wait for an engine to take up what a runner left. */
  readonly patienceSeconds: number
  /** Longest wait for the queue. */
  readonly drainSeconds: number
}

/** Infinite where it did not happen in the time given. */
export interface Measures {
  readonly jobsPerSecond: number
  readonly transactionsPerJob: number
  readonly loneStartMillis: number
  /** Between the trigger of a job of another workspace, behind `busy` ones, and its begin. */
  readonly elsewhereSeconds: number
  readonly idleStatementsPerSecond: number
  readonly drainSeconds: number
  /** Share of those queued, in the time given. */
  readonly drained: number
  readonly peakMegabytes: number
  /** Between the cancel and the end of its handler, in times that the upstream takes for a page. */
  readonly cancelledPages: number
  /** After SIGTERM; 0 where the runner ended no sooner than its jobs. */
  readonly movedSeconds: number
  /** Jobs that the runner brought to their end itself. */
  readonly stayed: number
  readonly movedFetchedTwice: number
  readonly pickedUpSeconds: number
  readonly rowsDoubled: number
  readonly rowsLost: number
}

const triggersInFlight = 10
/** Long jobs at once: some on every runner. */
const longJobs = 12
const triggerEvery = 150
/** Backends at rest report the transactions that they have counted within ten seconds. */
const reportMillis = 11_000
/** Longer than the clusters of the contestants take to tell each other who is there. */
const settleMillis = 3_000

interface Books {
  /** Transactions and statements in the engine's database so far. */
  readonly commits: () => Promise<number>
  readonly statements: () => Promise<number>
  readonly rows: () => Promise<{ readonly doubled: number; readonly perJob: ReadonlyMap<string, number> }>
}

const connect = async (address: PostgresAddress, database: string): Promise<Client> => {
  const { password, port, username } = address
  const client = new Client({ host: "127.0.0.1", port, user: username, password, database })
  await client.connect()
  return client
}

/** From another database, so that looking is not counted. */
const booksOf = (admin: Client, place: Place): Books => {
  const one = async (statement: string): Promise<number> => {
    const { rows } = await admin.query(statement, [place.database])
    return Number((rows[0] as { readonly n: string }).n)
  }
  return {
    commits: () => one("select xact_commit as n from pg_stat_database where datname = $1"),
    statements: () =>
      one(`select coalesce(sum(calls), 0) as n from pg_stat_statements s join pg_database d on d.oid = s.dbid
        where d.datname = $1`),
    rows: async () => {
      const client = await connect(place, place.database)
      try {
        const { rows } = await client.query(
          `select job, count(*)::int as n, (count(*) - count(distinct (page, n)))::int as doubled from public.page_row group by job`
        )
        const found = rows as ReadonlyArray<{ readonly job: string; readonly n: number; readonly doubled: number }>
        return {
          doubled: found.reduce((sum, { doubled }) => sum + doubled, 0),
          perJob: new Map(found.map(({ job, n }) => [job, n]))
        }
      } finally {
        await client.end()
      }
    }
  }
}

const finished = async (desk: Desk, timeoutMillis: number, others = 0): Promise<boolean> => {
  const end = now() + timeoutMillis
  while ((await desk.unfinished()) > others) {
    if (now() > end) return false
    await wait(100)
  }
  return true
}

/** Triggers them with some in flight, and waits for all to be done. Answers the seconds of the whole. */
const triggerAll = async (desk: Desk, fleet: Fleet, count: number): Promise<number> => {
  fleet.forget()
  const from = now()
  let left = count
  const one = async () => {
    while (left-- > 0) await desk.trigger()
  }
  await Promise.all(Array.from({ length: triggersInFlight }, one))
  const done = await fleet.until(() => fleet.heard("ended").length >= count, 120_000)
  if (!done || !(await finished(desk, 10_000))) throw new Error("jobs that were triggered did not end in two minutes")
  return (Math.max(...fleet.heard("ended").map(({ at }) => at)) - from) / 1_000
}

const loneStarts = async (desk: Desk, fleet: Fleet, count: number): Promise<number> => {
  const millis: Array<number> = []
  for (let n = 0; n < count; n++) {
    fleet.forget()
    const from = now()
    const job = await desk.trigger()
    const found = () => fleet.heard("begun").find((told) => told.job === job)
    if (!(await fleet.until(() => found() !== undefined, 10_000))) throw new Error("a lone job did not begin in 10 s")
    millis.push(found()!.at - from)
    await finished(desk, 10_000)
    await wait(triggerEvery)
  }
  return median(millis)
}

/** Others' jobs are waiting, and all slots are taken. */
const behindOthers = async (desk: Desk, fleet: Fleet, count: number): Promise<number> => {
  fleet.forget()
  fleet.shape(slow)
  await desk.queue(count)
  const areTaken = () => fleet.heard("begun").length > slotsOfFleet
  if (!(await fleet.until(areTaken, 20_000))) throw new Error("jobs that were queued did not begin in 20 s")
  const from = now()
  const job = await desk.triggerElsewhere()
  const found = () => fleet.heard("begun").find((told) => told.job === job)
  const inTime = await fleet.until(() => found() !== undefined, 60_000)
  if (!(await finished(desk, 60_000))) throw new Error("jobs that were queued did not end in a minute")
  fleet.shape(short)
  return inTime ? (found()!.at - from) / 1_000 : Infinity
}

/** With nobody but the runners there. */
const idling = async (fleet: Fleet, books: Books, seconds: number): Promise<number> => {
  fleet.shape(short)
  await wait(4_000)
  const before = await books.statements()
  await wait(seconds * 1_000)
  return ((await books.statements()) - before) / seconds
}

const throughput = async (desk: Desk, fleet: Fleet, books: Books, idle: number, effort: Effort) => {
  // Everything compiles, connects and plans before it counts.
  await triggerAll(desk, fleet, Math.min(effort.triggered, 100))
  await wait(reportMillis)
  const commits = await books.commits()
  const seconds = await triggerAll(desk, fleet, effort.triggered)
  await wait(reportMillis)
  const own = (await books.commits()) - commits - (idle * reportMillis) / 1_000
  return { jobsPerSecond: effort.triggered / seconds, transactionsPerJob: own / effort.triggered }
}

type Start = () => Promise<Fleet>

const backlog = async (start: Start, desk: Desk, effort: Effort) => {
  // Jobs that a killed runner has left behind may still be locked.
  const before = await desk.unfinished()
  await desk.queue(effort.queued)
  const fleet = await start()
  const ended = () => fleet.heard("ended").length
  const inTime = await fleet.until(() => ended() >= effort.queued, effort.drainSeconds * 1_000)
  const peaks = await Promise.all(fleet.runners.map(({ peakMemory }) => peakMemory()))
  const begun = Math.min(...fleet.heard("begun").map(({ at }) => at))
  const last = Math.max(...fleet.heard("ended").map(({ at }) => at))
  const drained = ended()
  const booked = !inTime || (await finished(desk, 10_000, before))
  await fleet.end(inTime ? "SIGTERM" : "SIGKILL")
  if (!booked) throw new Error("jobs that ran are not done by the engine's own books")
  return {
    drainSeconds: inTime ? (last - begun) / 1_000 : Infinity,
    drained: drained / effort.queued,
    peakMegabytes: Math.max(...peaks) / 1_048_576
  }
}

const cancelled = async (desk: Desk, fleet: Fleet, shape: Shape) => {
  fleet.forget()
  fleet.shape(shape)
  const job = await desk.trigger()
  const isWellBegun = () => fleet.heard("fetching").some((told) => told.job === job && told.page === 2)
  if (!(await fleet.until(isWellBegun, 20_000))) throw new Error("a job that was to be cancelled did not begin")
  const at = now()
  await desk.cancel(job)
  const end = () => fleet.heard("ended").find((told) => told.job === job)
  await fleet.until(() => end() !== undefined, shape.pages * shape.fetchMillis * 2 + 5_000)
  const stopped = end()
  return {
    cancelledPages: stopped === undefined || stopped.done ? Infinity : (stopped.at - at) / shape.fetchMillis
  }
}

/** Begins long jobs, waits until every runner is at some, and ends one of the runners in the middle of them. */
const leave = async (
  desk: Desk,
  fleet: Fleet,
  runner: number,
  ending: (runner: number) => Promise<number>,
  effort: Effort
): Promise<Handover & { readonly goingOn: ReadonlyArray<string> }> => {
  fleet.forget()
  const triggered: Array<string> = []
  for (let n = 0; n < longJobs; n++) triggered.push(await desk.trigger())
  const pages = () => fleet.heard("fetching")
  const own = () => jobsOf(pages(), runner, long.pages)
  const underWay = () => own().length > 0 && pages().length >= longJobs * 4
  if (!(await fleet.until(underWay, 20_000))) throw new Error("no job began on a runner that was to be ended")
  const at = await ending(runner)
  const jobs = own()
  const soFar = () => handover(pages(), fleet.heard("ended"), { jobs, runner, at })
  await fleet.until(() => soFar().seconds < Infinity, effort.patienceSeconds * 1_000)
  const goingOn = triggered.filter((job) => !soFar().left.includes(job))
  const done = () => new Set(fleet.heard("ended").flatMap((told) => (told.done ? [told.job] : [])))
  await fleet.until(() => goingOn.every((job) => done().has(job)), 20_000)
  return { ...soFar(), goingOn }
}

const departures = async (start: Start, desk: Desk, books: Books, effort: Effort) => {
  const fleet = await start()
  // Runners that have met: who makes the jobs may look only now and then who runs them.
  await wait(settleMillis)
  const cancel = await cancelled(desk, fleet, long)
  const moved = await leave(
    desk,
    fleet,
    0,
    (runner) => {
      const at = now()
      void fleet.runners[runner]!.end("SIGTERM")
      return Promise.resolve(at)
    },
    effort
  )
  const killed = await leave(
    desk,
    fleet,
    1,
    async (runner) => {
      fleet.runners[runner]!.send({ kind: "die" })
      await fleet.runners[runner]!.ended
      return fleet.heard("dying")[0]!.at
    },
    effort
  )
  const { doubled, perJob } = await books.rows()
  const whole = long.pages * long.rows
  // A job that was not taken up in time is late, and told as such; of the others every row must be there.
  const complete = [...moved.goingOn, ...killed.goingOn]
  await fleet.end("SIGKILL")
  return {
    ...cancel,
    movedSeconds: moved.seconds,
    stayed: moved.finished,
    movedFetchedTwice: moved.fetchedTwice,
    pickedUpSeconds: killed.seconds,
    rowsDoubled: doubled,
    rowsLost: complete.reduce((sum, job) => sum + Math.max(0, whole - (perJob.get(job) ?? 0)), 0)
  }
}

/** The server must have `pg_stat_statements` loaded. */
export const measure = async (contestant: Contestant, address: PostgresAddress, effort: Effort): Promise<Measures> => {
  const database = contestant.module.replace(/\W.*/, "").toLowerCase()
  const place: Place = { ...address, database }
  const admin = await connect(address, "postgres")
  const fleets: Array<Fleet> = []
  try {
    await admin.query(`create database ${database}`)
    const own = await connect(place, database)
    await own.query(tables).finally(() => own.end())
    const books = booksOf(admin, place)
    await contestant.install(place)
    const start: Start = async () => {
      const fleet = await startFleet(contestant, place)
      fleets.push(fleet)
      return fleet
    }
    const fleet = await start()
    const idleStatementsPerSecond = await idling(fleet, books, effort.idleSeconds)
    // Some more than are counted: to warm up, and the long ones.
    const desk = await contestant.open(place, effort.queued + effort.busy + effort.triggered + 500)
    try {
      const busy = await throughput(desk, fleet, books, idleStatementsPerSecond, effort)
      const loneStartMillis = await loneStarts(desk, fleet, effort.loneStarts)
      const elsewhereSeconds = await behindOthers(desk, fleet, effort.busy)
      await fleet.end()
      return {
        idleStatementsPerSecond,
        ...busy,
        loneStartMillis,
        elsewhereSeconds,
        ...(await departures(start, desk, books, effort)),
        ...(await backlog(start, desk, effort))
      }
    } finally {
      await desk.close()
    }
  } finally {
    // What failed may have left some running.
    await Promise.all(fleets.map((fleet) => fleet.end("SIGKILL")))
    await admin.end()
  }
}
