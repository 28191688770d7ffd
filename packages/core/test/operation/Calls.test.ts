import { MemoryStorage } from "@millrace/adapters/memory"
import { ownerOf, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { entryOf } from "../../src/audit/Audit.ts"
import { AuditStore } from "../../src/audit/AuditStore.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { NotFound } from "../../src/failure/Failure.ts"
import { type Call, makeCalls } from "../../src/operation/Calls.ts"
import { operation } from "../../src/operation/Definition.ts"
import { record } from "../../src/operation/Success.ts"
import { Ids } from "../../src/shared/Ids.ts"

const common = {
  noun: "feeds",
  summary: "Count the feeds",
  description: "Counts the feeds.",
  access: { anyOf: ["feeds:write"], role: "editor" },
  command: "feeds count",
  tool: "count_feeds",
  success: record(Schema.Int),
  example: { data: 1 }
} as const

const callOf = (caller: Call["caller"], ids: Call["ids"] = {}): Call => ({
  caller,
  ids,
  params: {},
  query: {},
  body: undefined,
  exact: undefined,
  file: undefined,
  ifVersion: undefined,
  self: "/v1/feeds"
})

/** A use case that is a function: it asks a store directly, and leaves no entry itself. */
const count = (workspaceIds: Parameters<FeedStore["Service"]["list"]>[0]) =>
  FeedStore.use((feeds) => Effect.map(feeds.list(workspaceIds, {}), (rows) => rows.length))

const layer = Layer.merge(MemoryStorage.layer, Ids.layer)

it.effect("an operation reaches the workspaces of its caller, and no other", () =>
  Effect.gen(function* () {
    const [own, other] = [yield* storeWorkspace(), yield* storeWorkspace()]
    for (const workspace of [own, own, other]) yield* storeFeed(workspace)
    const calls = yield* makeCalls
    const all = operation({
      ...common,
      id: "countFeeds",
      get: "/v1/feeds/count",
      repeats: "read",
      run: () => count([own.id, other.id])
    })
    expect(yield* calls(all)(callOf(ownerOf(own)))).toBe(2)
    expect(yield* calls(all)(callOf(ownerOf(other)))).toBe(1)
    expect(yield* (yield* AuditStore).chain(own.id, 0, 10)).toEqual([])
  }).pipe(Effect.provide(layer))
)

it.effect("an operation that changes something leaves an entry of its own, whether it succeeds or fails", () =>
  Effect.gen(function* () {
    const workspace = yield* storeWorkspace()
    const feed = yield* storeFeed(workspace)
    const calls = yield* makeCalls
    const change = (id: string, run: () => Effect.Effect<number, NotFound>) =>
      calls(operation({ ...common, id, post: "/v1/feeds/:feed_id/count", repeats: "key", run }))(
        callOf(ownerOf(workspace), { feed: feed.id })
      )
    yield* change("countOne", () => Effect.succeed(1))
    yield* Effect.flip(change("countNone", () => Effect.fail(new NotFound({ resource: "Feed" }))))
    const store = yield* AuditStore
    yield* store.ends(workspace.id)
    const entries = (yield* store.chain(workspace.id, 0, 10)).map((row) => entryOf(row))
    const resource = { kind: "feed", id: feed.id }
    expect(entries).toMatchObject([
      { operationId: "countOne", outcome: "ok", resource },
      { operationId: "countNone", outcome: "failed", resource }
    ])
  }).pipe(Effect.provide(layer))
)
