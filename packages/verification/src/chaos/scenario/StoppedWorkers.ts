/**
 * A worker stands still in the middle of a run, longer than its lease, and goes on when another one has finished the
 * job: it must not write anything any more.
 */
import { setTimeout as wait } from "node:timers/promises"
import { DatabaseGate } from "../DatabaseGate.ts"
import type { Member } from "../Fleet.ts"
import { accountIds } from "../Mutation.ts"
import { CalendarDate } from "@millrace/core"
import type { Installation } from "../Installation.ts"
import type { Scenario } from "../Scenario.ts"
import type { ChaosFeed } from "../World.ts"

interface Caught {
  /** Name of the worker that has come there. */
  readonly caller: Promise<string>
  /** Called when the worker stands still. */
  readonly stopped: () => Promise<void>
  /** Called when the job is over. */
  readonly open: () => void
}

interface Point {
  readonly where: string
  readonly kind: ChaosFeed["destination"]["kind"]
  readonly hold: (installation: Installation, feed: ChaosFeed) => Promise<Caught>
}

const nothing = () => Promise.resolve()

/** The first caller is held, everybody after it passes. */
const firstOnly = () => {
  let first: string | undefined
  return (caller: string): boolean => {
    first ??= caller
    return caller === first
  }
}

/** With an answer of the bank on its way. */
const atBank = (where: string, asked: "accounts" | "inspect" | "pull"): Point => ({
  where,
  kind: "table",
  hold: ({ bank }, feed) => {
    const isFirst = firstOnly()
    const held = bank.after.close(({ call, caller, ref }) => call === asked && ref === feed.ref && isFirst(caller))
    return Promise.resolve({ caller: held.first.then(({ caller }) => caller), stopped: nothing, open: held.open })
  }
})

/** With a transaction open that has written to the table. */
const inTransaction = (where: string, table: "record" | "delivery"): Point => ({
  where,
  kind: "table",
  hold: async ({ bank, database }, feed) => {
    const gate = await DatabaseGate.close(database, table)
    const caller = gate.first.then(() => bank.pages.findLast(({ ref }) => ref === feed.ref)!.caller)
    return { caller, stopped: gate.open, open: () => undefined }
  }
})

/** With rows written at the destination whose receipt is on its way. */
const delivering: Point = {
  where: "delivering",
  kind: "file",
  hold: ({ destination }, feed) => {
    const isFirst = firstOnly()
    const path = feed.destination.kind === "file" ? feed.destination.path : ""
    const held = destination.after.close((asked) => asked.path === path && isFirst(asked.caller))
    return Promise.resolve({ caller: held.first.then(({ caller }) => caller), stopped: nothing, open: held.open })
  }
}

/** The second worker of the job, which asks what has become of the rows of one that died while it sent them. */
const lookingUp: Point = {
  where: "looking up",
  kind: "file",
  hold: ({ destination, fleet }, feed) => {
    const path = feed.destination.kind === "file" ? feed.destination.path : ""
    const isFirst = firstOnly()
    const isSecond = firstOnly()
    const sent = destination.before.close(
      (asked) => asked.path === path && asked.call === "write" && isFirst(asked.caller)
    )
    const asked = destination.after.close(
      ({ call, caller, path: at }) => at === path && call === "lookup" && isSecond(caller)
    )
    const dies = async () => {
      const { caller } = await sent.first
      const member = memberOf(fleet.members, caller)
      await fleet.kill(member, "SIGKILL")
      sent.open()
      await fleet.startMember(member)
      return (await asked.first).caller
    }
    return Promise.resolve({ caller: dies(), stopped: nothing, open: asked.open })
  }
}

const memberOf = (members: ReadonlyArray<Member>, name: string): Member => members.find((one) => one.name === name)!

/** A short run stops at the first ones: there it has been seen to go wrong. */
const points = (model: Installation["model"]): ReadonlyArray<Point> => [
  inTransaction("committing records", "record"),
  ...(model === "readBack" ? [lookingUp] : []),
  atBank("listing accounts", "accounts"),
  ...(model === "wholeFile" ? [] : [delivering]),
  inTransaction("committing rows", "delivery"),
  atBank("pulling", "pull")
]

/** What the database holds of a feed and its bank, table by table. */
const imprint = async ({ database }: Installation, feed: ChaosFeed): Promise<Readonly<Record<string, unknown>>> => {
  const accounts = `select id from account where bank_id = '${feed.bankId}'`
  const of = {
    job: `job t where feed_id = '${feed.id}'`,
    delivery: `delivery t where feed_id = '${feed.id}'`,
    feed_mark: `feed_mark t where feed_id = '${feed.id}'`,
    record: `record t where account_id in (${accounts})`,
    record_pull: `record_pull t where account_id in (${accounts})`,
    checkpoint: `checkpoint t where bank_id = '${feed.bankId}'`,
    account: `account t where bank_id = '${feed.bankId}'`,
    bank: `bank t where id = '${feed.bankId}'`,
    lease: `lease t where resource = 'bank:${feed.bankId}'`,
    ...(feed.destination.kind === "table"
      ? { table_row: `table_row t where table_id = '${feed.destination.tableId}'` }
      : {})
  }
  const parts = Object.entries(of).map(
    ([name, from]) => `(select md5(string_agg(t::text, '' order by t::text)) from ${from}) as ${name}`
  )
  const [row] = await database.query(`select ${parts.join(", ")}`)
  return row ?? {}
}

/** Something for the run to write: more than one batch. */
const post = ({ bank, random }: Installation, feed: ChaosFeed): void => {
  const today = CalendarDate.inZone(Date.now(), "UTC")
  for (let n = 0; n < 250; n++) {
    bank
      .bank(feed.ref)
      .post({ account: random.pick(accountIds), date: today, amount: `${n + 1}.5`, description: `Desk ${n}` })
  }
}

const stopAt = async (installation: Installation, point: Point, feed: ChaosFeed): Promise<number> => {
  const { client, destination, fleet, log } = installation
  post(installation, feed)
  const caught = await point.hold(installation, feed)
  const jobId = await client.trigger(feed)
  if (jobId === undefined) throw new Error(`${feed.id} is locked`)
  const member = memberOf(fleet.members, await caught.caller)
  fleet.stop(member)
  const began = performance.now()
  await caught.stopped()
  const status = await client.untilOver(feed, jobId)
  const took = performance.now() - began
  if (status !== "completed") log.breach(`Stopped ${point.where}: nobody finished the job, it is ${status ?? "active"}`)
  const before = await imprint(installation, feed)
  const writes = destination.writes.length
  caught.open()
  fleet.continue(member)
  await client.insist("/readyz", [200], { member })
  await wait(1_000)
  const after = await imprint(installation, feed)
  const changed = Object.keys(after).filter((name) => after[name] !== before[name])
  if (changed.length > 0) log.breach(`Stopped ${point.where}: it went on to write to ${changed.join(", ")}`)
  const late = destination.writes.slice(writes).filter(({ caller }) => caller === member.name)
  if (late.length > 0) log.breach(`Stopped ${point.where}: it went on to send ${late.length} rows`)
  return took
}

export const stoppedWorkers: Scenario = {
  title: "SIGSTOP of a worker past its lease",
  run: async (installation, count) => {
    const { model, world } = installation
    const all = points(model)
    const took: Array<number> = []
    const where = new Set<string>()
    for (let n = 0; n < count; n++) {
      const point = all[n % all.length]!
      const fitting = world.feeds.filter(({ destination }) => destination.kind === point.kind)
      took.push(await stopAt(installation, point, fitting[n % fitting.length]!))
      where.add(point.where)
    }
    return { stops: count, while: [...where].join(", "), "longest take-over, ms": Math.round(Math.max(...took)) }
  }
}
