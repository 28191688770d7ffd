import { expect, it } from "@effect/vitest"
import { Currency } from "@millrace/core"
import { asOwner } from "@millrace/core/access"
import { Events } from "@millrace/core/event"
import { Banks, Feeds, Jobs, Tables, waitForJob, Workspaces } from "@millrace/core/kernel"
import { DemoProvider } from "@millrace/adapters/provider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { emptyDatabase } from "@millrace/verification/postgres/TestPostgres"
import { inject } from "vitest"
import * as Millrace from "../src/Millrace.ts"

const syncOnce = Effect.gen(function* () {
  const { owner, workspace } = yield* (yield* Workspaces).found({
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
