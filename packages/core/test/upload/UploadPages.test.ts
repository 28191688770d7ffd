/** Addresses of pages that take files: what they are good for, and what ends them. */
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { calling, makeApiKey, makeUser, ownerOf, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { ApiKeyStore } from "../../src/access/ApiKeyStore.ts"
import { CurrentConnectAddresses } from "../../src/bank/ConnectAddresses.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { Ids } from "../../src/shared/Ids.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { UploadPages } from "../../src/upload/UploadPages.ts"

const keys = ["now", "before", "never"].map((text) => Redacted.make(`a key of these tests alone: ${text}`))
const [current, former, foreign] = keys as [Redacted.Redacted, Redacted.Redacted, Redacted.Redacted]
const stores = Layer.mergeAll(MemoryStorage.layer, NodeDigest.layer, Ids.layer)
const addresses = Layer.succeed(CurrentConnectAddresses, { base: "https://money.example", isPublic: true })

const signedBy = (key: Redacted.Redacted, ...previous: ReadonlyArray<Redacted.Redacted>) =>
  Effect.map(Layer.build(UploadPages.layer(key, ...previous).pipe(Layer.provide(addresses))), (made) =>
    UploadPages.use(Effect.succeed).pipe(Effect.provide(made), Effect.runSync)
  )

const stateOf = ({ url }: { readonly url: string }): string => new URL(url).searchParams.get("state")!

const opened = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-11-20T10:00:00Z"))
  const workspace = yield* storeWorkspace()
  const feed = yield* storeFeed(workspace, { source: "upload", sourceConfig: { type: "upload" } })
  return { workspace, feed, caller: ownerOf(workspace), pages: yield* signedBy(current, former) }
})

it.effect("lead to the page of their feed for an hour, as the person who asked", () =>
  Effect.gen(function* () {
    const { caller, feed, pages, workspace } = yield* opened
    const page = yield* pages.start(caller, feed.id, { redirectUri: "https://app.example/done" })
    expect(page.expiresAt).toBe("2026-11-20T11:00:00.000Z")
    expect(page.url).toMatch(/^https:\/\/money\.example\/connect\/upload\?state=[\w.-]+$/)
    const { caller: acting, ...rest } = Option.getOrThrow(yield* pages.open(stateOf(page)))
    expect(rest).toEqual({ feed, redirectUri: "https://app.example/done" })
    expect([acting.cause, acting.workspaces]).toEqual([caller.cause, [workspace]])
    yield* TestClock.adjust("60 minutes")
    expect(yield* pages.open(stateOf(page))).toEqual(Option.none())
  }).pipe(Effect.scoped, Effect.provide(stores))
)

it.effect("cannot be written or changed by anybody else, and stand while a former key still counts", () =>
  Effect.gen(function* () {
    const { caller, feed, pages } = yield* opened
    const before = stateOf(yield* (yield* signedBy(former)).start(caller, feed.id, {}))
    expect(Option.isSome(yield* pages.open(before))).toBe(true)
    const strange = stateOf(yield* (yield* signedBy(foreign)).start(caller, feed.id, {}))
    const own = stateOf(yield* pages.start(caller, feed.id, {}))
    const [body, signature] = own.split(".") as [string, string]
    const otherFeed = `${feed.id.slice(0, -1)}${feed.id.endsWith("0") ? "1" : "0"}`
    const other = Buffer.from(body, "base64url").toString().replace(feed.id, otherFeed)
    for (const state of [
      strange,
      `${Buffer.from(other).toString("base64url")}.${signature}`,
      `${own}x`,
      body,
      "",
      ".",
      "x".repeat(100_000)
    ]) {
      expect(yield* pages.open(state)).toEqual(Option.none())
    }
  }).pipe(Effect.scoped, Effect.provide(stores))
)

it.effect("end with the key that asked for them, and with the feed", () =>
  Effect.gen(function* () {
    const { feed, pages, workspace } = yield* opened
    const key = yield* makeApiKey(workspace, yield* makeUser(), {
      expiresAt: Timestamp.make("2026-11-20T10:20:00.000Z")
    })
    yield* (yield* ApiKeyStore).insert(key, "a hash")
    const byKey = stateOf(yield* pages.start(calling({ kind: "api_key", workspace, key }), feed.id, {}))
    const byPerson = stateOf(yield* pages.start(ownerOf(workspace), feed.id, {}))
    const open = Effect.forEach([byKey, byPerson], (state) => Effect.map(pages.open(state), Option.isSome))
    expect(yield* open).toEqual([true, true])
    yield* TestClock.adjust("20 minutes")
    expect(yield* open).toEqual([false, true])
    yield* (yield* FeedStore).remove(workspace.id, feed.id)
    expect(yield* open).toEqual([false, false])
  }).pipe(Effect.scoped, Effect.provide(stores))
)

it.effect("are refused with the field for feeds that take no files, bad addresses and programs without pages", () =>
  Effect.gen(function* () {
    const { caller, feed, pages, workspace } = yield* opened
    const synced = yield* storeFeed(workspace)
    const none = yield* Layer.build(UploadPages.layer(current))
    const refused = [
      pages.start(caller, synced.id, {}),
      pages.start(caller, feed.id, { redirectUri: "javascript:alert(1)" }),
      UploadPages.use((silent) => silent.start(caller, feed.id, {})).pipe(Effect.provide(none)),
      pages.start(ownerOf(yield* storeWorkspace()), feed.id, {})
    ]
    expect(yield* Effect.forEach(refused, Effect.flip)).toMatchObject([
      { details: [{ field: "feedId", message: "must be a feed of source upload: others take no files" }] },
      { details: [{ field: "redirectUri" }] },
      { message: "feedId cannot have a page: this program serves none; send the file with uploadFeedFile" },
      { _tag: "NotFound", resource: "Feed" }
    ])
  }).pipe(Effect.scoped, Effect.provide(stores))
)
