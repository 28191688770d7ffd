import { expect, it } from "@effect/vitest"
import { Currency, Decimal } from "@millrace/core"
import { asOwner } from "@millrace/core/access"
import { Events } from "@millrace/core/event"
import { Banks, Enrichments, Feeds, Jobs, Tables, waitForJob, Workspaces } from "@millrace/core/kernel"
import { DemoProvider } from "@millrace/adapters/provider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { emptyDatabase } from "@millrace/verification/postgres/TestPostgres"
import { inject } from "vitest"
import { monthSum } from "../../core/test/enrichment/MonthSum.ts"
import * as Millrace from "../src/Millrace.ts"

const syncOnce = Effect.gen(function* () {
  const { owner, workspace } = yield* (yield* Workspaces).create({
    name: "Embedded",
    plan: "enterprise",
    timezone: "UTC",
    baseCurrency: Currency.make("USD"),
    ownerEmail: "owner@example.com"
  })
  const caller = asOwner(workspace, owner)
  const { accounts, bank } = yield* (yield* Banks).connect(caller, {
    instanceId: "demo:default",
    attemptId: "embedded",
    payload: { kind: "provider_connection_id", connectionId: "embedded" }
  })
  const table = yield* (yield* Tables).create(caller, { name: "Transactions", fields: [] })
  const { feed } = yield* (yield* Feeds).create(caller, {
    name: "Transactions",
    source: "sync",
    dataType: "transactions",
    sourceConfig: { type: "sync", accounts: accounts.map(({ id }) => ({ bankId: bank.id, accountId: id })) },
    destinationConfig: { type: "table", tableId: table.id }
  })
  const job = yield* waitForJob(caller, yield* (yield* Jobs).trigger(caller, feed.id, {}))
  const ended = yield* (yield* Events)
    .follow(workspace.id, { after: "beginning", types: ["feed.sync.completed"] })
    .pipe(Stream.take(1), Stream.runCollect)
  return { job, events: ended.map(({ type }) => type) }
})

const holds = ({ events, job }: Effect.Success<typeof syncOnce>) => {
  expect([job.status, events]).toEqual(["completed", ["feed.sync.completed"]])
  expect(job.counts.created).toBeGreaterThan(100)
}

it.live("the kernel in a few lines syncs in memory, and tells of it without being asked again and again", () =>
  Effect.map(syncOnce.pipe(Effect.provide(Millrace.layer({ providers: [DemoProvider.make()] }))), holds)
)

it.live("the same lines with PostgreSQL make the tables themselves", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase(inject("postgres"))
    const storage = Millrace.postgres({ url, secret: Redacted.make("a secret of at least thirty-two characters") })
    holds(yield* syncOnce.pipe(Effect.provide(Millrace.layer({ providers: [DemoProvider.make()], storage }))))
  }).pipe(Effect.scoped)
)

const sumMonths = Effect.gen(function* () {
  const { owner, workspace } = yield* (yield* Workspaces).create({
    name: "Sums",
    plan: "enterprise",
    timezone: "UTC",
    baseCurrency: Currency.make("USD"),
    ownerEmail: "sums@example.com"
  })
  const caller = asOwner(workspace, owner)
  const { accounts, bank } = yield* (yield* Banks).connect(caller, {
    instanceId: "demo:default",
    attemptId: "sums",
    payload: { kind: "provider_connection_id", connectionId: "sums" }
  })
  yield* (yield* Enrichments).create(caller, {
    name: "Months",
    type: "month_sum",
    dataType: "transactions",
    allFeeds: true,
    config: { limit: "1000000", field: "amount" }
  })
  const tables = yield* Tables
  const fields = [
    { name: "id", type: "text" },
    { name: "date", type: "date" },
    { name: "amount", type: "number" },
    { name: "monthSum", type: "number" }
  ] as const
  const table = yield* tables.create(caller, { name: "Transactions", fields })
  const { feed } = yield* (yield* Feeds).create(caller, {
    name: "Transactions",
    source: "sync",
    dataType: "transactions",
    sourceConfig: { type: "sync", accounts: accounts.map(({ id }) => ({ bankId: bank.id, accountId: id })) },
    destinationConfig: { type: "table", tableId: table.id },
    dataTypeOptions: { dataType: "transactions", pendingMode: "sync_all" },
    fieldMappings: ["id", "date", "amount", "monthSum"].map((field) => ({
      sourceField: field,
      destinationField: field
    }))
  })
  const jobs = yield* Jobs
  const first = yield* waitForJob(caller, yield* jobs.trigger(caller, feed.id, {}))
  // What the set said may have woken the feed by itself already: that job comes first.
  const triggered = yield* jobs.trigger(caller, feed.id, {}).pipe(
    Effect.retry({
      while: (error) => error._tag === "Conflict" && error.code === "SYNC_ALREADY_RUNNING",
      schedule: Schedule.spaced("50 millis")
    })
  )
  const again = yield* waitForJob(caller, triggered)
  let page = yield* tables.queryRows(caller, table.id, { limit: 500 })
  const rows = page.rows.map(({ values }) => values)
  while (page.cursor !== undefined) {
    page = yield* tables.queryRows(caller, table.id, { limit: 500, cursor: page.cursor })
    rows.push(...page.rows.map(({ values }) => values))
  }
  return { first, again, rows }
})

const sumsHold = ({ again, first, rows }: Effect.Success<typeof sumMonths>) => {
  expect([first.status, first.errors, again.status]).toEqual(["completed", [], "completed"])
  expect(first.counts.created).toBe(rows.length)
  expect([again.counts.created, again.counts.updated]).toEqual([0, 0])
  const cell = (values: (typeof rows)[number], name: string) =>
    String(Object.entries(values).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1])
  const months = Map.groupBy(rows, (values) => cell(values, "date").slice(0, 7))
  expect(months.size).toBeGreaterThan(1)
  for (const some of months.values()) {
    const sum = Decimal.sum(some.map((values) => Decimal.make(cell(values, "amount"))))
    expect(new Set(some.map((values) => cell(values, "monthSum")))).toEqual(new Set([sum]))
  }
}

it.live("what a set kind says of records is delivered with them, and again only when it changes", () =>
  Effect.map(
    sumMonths.pipe(Effect.provide(Millrace.layer({ providers: [DemoProvider.make()], enrichments: [monthSum] }))),
    sumsHold
  )
)

it.live("the same with PostgreSQL", () =>
  Effect.gen(function* () {
    const url = yield* emptyDatabase(inject("postgres"))
    const storage = Millrace.postgres({ url, secret: Redacted.make("a secret of at least thirty-two characters") })
    const options = { providers: [DemoProvider.make()], enrichments: [monthSum], storage }
    sumsHold(yield* sumMonths.pipe(Effect.provide(Millrace.layer(options))))
  }).pipe(Effect.scoped)
)
