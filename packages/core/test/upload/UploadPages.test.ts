/** Addresses of pages that take files: what they are good for, and what ends them. */
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { calling, makeApiKey, makeUser, ownerOf, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { ApiKeyStore } from "../../src/access/ApiKeyStore.ts"
import { CurrentConnectAddresses } from "../../src/bank/ConnectAddresses.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { Ids } from "../../src/shared/Ids.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { AgreedRate, planWith } from "../../src/workspace/Plan.ts"
import { UploadPages } from "../../src/upload/UploadPages.ts"

const stores = Layer.mergeAll(MemoryStorage.layer, NodeDigest.layer, Ids.layer)
const addresses = Layer.succeed(CurrentConnectAddresses, { base: "https://money.example", isPublic: true })

const pagesAt = Effect.map(Layer.build(UploadPages.layer.pipe(Layer.provide(addresses))), (made) =>
  UploadPages.use(Effect.succeed).pipe(Effect.provide(made), Effect.runSync)
)

const stateOf = ({ url }: { readonly url: string }): string => new URL(url).searchParams.get("state")!

const opened = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-11-20T10:00:00Z"))
  const workspace = yield* storeWorkspace()
  const feed = yield* storeFeed(workspace, { source: "upload", sourceConfig: { type: "upload" } })
  return { workspace, feed, caller: ownerOf(workspace), pages: yield* pagesAt }
})

it.effect("lead to the page of their feed for an hour, as the person who asked", () =>
  Effect.gen(function* () {
    const { caller, feed, pages, workspace } = yield* opened
    const page = yield* pages.start(caller, feed.id, { redirectUri: "https://app.example/done" })
    expect(page.expiresAt).toBe("2026-11-20T11:00:00.000Z")
    expect(page.url).toMatch(/^https:\/\/money\.example\/connect\/upload\?state=[0-9A-Za-z]{32}$/)
    const { caller: acting, decision, ...rest } = Option.getOrThrow(yield* pages.open(stateOf(page)))
    expect(rest).toEqual({ feed, redirectUri: "https://app.example/done" })
    expect(decision.admitted).toBe(true)
    expect([acting.cause, acting.workspaces]).toEqual([caller.cause, [workspace]])
    yield* TestClock.adjust("60 minutes")
    expect(yield* pages.open(stateOf(page))).toEqual(Option.none())
  }).pipe(Effect.scoped, Effect.provide(stores))
)

it.effect("cannot be guessed, say nothing by themselves, and end one by one", () =>
  Effect.gen(function* () {
    const { caller, feed, pages, workspace } = yield* opened
    const [one, other] = [yield* pages.start(caller, feed.id, {}), yield* pages.start(caller, feed.id, {})]
    const state = stateOf(one)
    for (const id of [workspace.id, feed.id, ...("userId" in caller.principal ? [caller.principal.userId] : [])]) {
      expect(`${state} ${Buffer.from(state, "base64url").toString("latin1")}`).not.toContain(id)
    }
    const changed = Array.from(
      state,
      (letter, at) => state.slice(0, at) + (letter === "x" ? "y" : "x") + state.slice(at + 1)
    )
    for (const wrong of [...changed, `${state}x`, state.slice(1), "", ".", "x".repeat(100_000)]) {
      expect(yield* pages.open(wrong)).toEqual(Option.none())
    }
    const strange = ownerOf(yield* storeWorkspace())
    expect((yield* Effect.flip(pages.end(strange, feed.id, one.id)))._tag).toBe("NotFound")
    yield* pages.end(caller, feed.id, one.id)
    expect((yield* Effect.flip(pages.end(caller, feed.id, one.id)))._tag).toBe("NotFound")
    expect(yield* pages.open(state)).toEqual(Option.none())
    expect(Option.isSome(yield* pages.open(stateOf(other)))).toBe(true)
  }).pipe(Effect.scoped, Effect.provide(stores))
)

it.effect("count together, at the rate of the plan of their workspace", () =>
  Effect.gen(function* () {
    const { caller, feed, pages, workspace } = yield* opened
    const states = [stateOf(yield* pages.start(caller, feed.id, {})), stateOf(yield* pages.start(caller, feed.id, {}))]
    const { requestsPerMinute } = planWith(yield* AgreedRate, workspace.plan)
    const admitted: Array<boolean> = []
    for (let n = 0; n <= requestsPerMinute; n++) {
      admitted.push(Option.getOrThrow(yield* pages.open(states[n % 2]!)).decision.admitted)
    }
    expect(admitted).toEqual([...Array.from({ length: requestsPerMinute }, () => true), false])
    yield* TestClock.adjust("61 seconds")
    expect(Option.getOrThrow(yield* pages.open(states[0]!)).decision.admitted).toBe(true)
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
    const none = yield* Layer.build(UploadPages.layer)
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
