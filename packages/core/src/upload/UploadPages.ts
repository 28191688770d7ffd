/**
 * Pages on which a person uploads files to one feed, without a credential of theirs: the address says which feed, for whom
 * and until when, by a random state that says nothing by itself.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { reach } from "../access/Access.ts"
import { isActive } from "../access/ApiKey.ts"
import { ApiKeyStore } from "../access/ApiKeyStore.ts"
import type { Caller } from "../access/Caller.ts"
import { userOf } from "../access/Principal.ts"
import { CurrentConnectAddresses, uploadPageOf } from "../bank/ConnectAddresses.ts"
import { redirectFault } from "../bank/RedirectUri.ts"
import { type Forbidden, NotFound, Unprocessable } from "../failure/Failure.ts"
import { type Feed, type FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { RateLimiter } from "../rate/RateLimiter.ts"
import type { Decision } from "../rate/RollingWindow.ts"
import { Resources } from "../resource/Resources.ts"
import { Digest } from "../shared/Digest.ts"
import { type Id, Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { acrossTenants, withinWorkspaces } from "../workspace/TenantScope.ts"
import { AgreedRate, planWith } from "../workspace/Plan.ts"
import { uploadPageResource } from "./UploadPage.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

const minutes = 60
/** Characters of a state: 190 random bits. */
const stateLength = 32

const invalid = (field: string, message: string) =>
  new Unprocessable({ code: "VALIDATION_FAILED", message: `${field} ${message}`, details: [{ field, message }] })

export interface UploadPage {
  readonly id: Id<"uploadPage">
  /** Where the person goes. */
  readonly url: string
  readonly expiresAt: Timestamp.Timestamp
}

/** What the state of an address is good for. */
export interface OpenedUploadPage {
  readonly feed: Feed
  /** The kernel on behalf of the one who asked for the address. */
  readonly caller: Caller
  readonly redirectUri?: string
  /** Whether the rate of its workspace allows the request, which was counted. */
  readonly decision: Decision
}

export class UploadPages extends Context.Service<
  UploadPages,
  {
    /**
     * An address of a page that takes statement files for the feed for one hour, from anybody who has it. It shows the
     * feed's name and what was read from each file, and nothing else of the workspace. `redirectUri` is where the page
     * leads back to. Refused where the feed is none of source `upload`, and where the program serves no pages.
     */
    readonly start: (
      caller: Caller,
      feedId: FeedId,
      request: { readonly redirectUri?: string }
    ) => Effect.Effect<UploadPage, NotFound | Forbidden | Unprocessable | StorageUnavailable>
    /** Ends an address that `start` made. */
    readonly end: (
      caller: Caller,
      feedId: FeedId,
      pageId: Id<"uploadPage">
    ) => Effect.Effect<void, NotFound | Forbidden | StorageUnavailable>
    /**
     * What a state is good for; none where it is unknown or ended, or of a key or feed that is gone. Each call counts as a request
     * of the pages of the workspace, which have a window of their own with the rate of its plan.
     */
    readonly open: (state: string) => Effect.Effect<Option.Option<OpenedUploadPage>, StorageUnavailable>
  }
>()("@millrace/core/upload/UploadPages") {
  static readonly layer: Layer.Layer<
    UploadPages,
    never,
    ApiKeyStore | Digest | FeedStore | Ids | RateLimiter | Resources | WorkspaceStore
  > = Layer.effect(
    UploadPages,
    Effect.gen(function* () {
      const feeds = yield* FeedStore
      const workspaces = yield* WorkspaceStore
      const keys = yield* ApiKeyStore
      const ids = yield* Ids
      const digest = yield* Digest
      const limiter = yield* RateLimiter
      const store = (yield* Resources).openKeyed(uploadPageResource)
      const agreedRate = yield* AgreedRate
      const addresses = yield* CurrentConnectAddresses

      const start: UploadPages["Service"]["start"] = Effect.fn("UploadPages.start")(function* (
        caller,
        feedId,
        { redirectUri }
      ) {
        const { principal } = caller
        const found = yield* feeds.get(principal.workspace.id, feedId)
        const feed = yield* reach(caller, "startFeedUpload", "Feed", found)
        if (feed.source !== "upload") {
          return yield* invalid("feedId", "must be a feed of source upload: others take no files")
        }
        const fault = redirectUri === undefined ? undefined : redirectFault(redirectUri)
        if (fault !== undefined) return yield* invalid("redirectUri", fault)
        if (addresses === undefined) {
          return yield* invalid(
            "feedId",
            "cannot have a page: this program serves none; send the file with uploadFeedFile"
          )
        }
        const now = yield* Timestamp.now
        const expiresAt = Timestamp.fromMillis(Timestamp.toMillis(now) + minutes * 60_000)
        const state = digest.randomText(stateLength)
        const id = yield* ids.next("uploadPage")
        yield* store.removeAll(principal.workspace.id, { expiresAt: { below: now } })
        yield* store
          .insert({
            id,
            workspaceId: principal.workspace.id,
            stateHash: digest.sha256(state),
            feedId: feed.id,
            actor: caller.cause,
            userId: userOf(principal),
            ...(principal.kind === "api_key" ? { keyId: principal.key.id } : {}),
            ...(redirectUri === undefined ? {} : { redirectUri }),
            expiresAt
          })
          .pipe(Effect.catchTag("KeyTaken", Effect.die))
        return { id, url: uploadPageOf(addresses, state), expiresAt }
      })

      const end: UploadPages["Service"]["end"] = Effect.fn("UploadPages.end")(function* (caller, feedId, pageId) {
        const { id: workspaceId } = caller.principal.workspace
        yield* reach(caller, "endFeedUpload", "Feed", yield* feeds.get(workspaceId, feedId))
        const found = Option.filter(yield* store.get(workspaceId, pageId), (page) => page.feedId === feedId)
        if (Option.isNone(found)) return yield* new NotFound({ resource: "Page" })
        yield* store.remove(workspaceId, pageId)
      })

      const open: UploadPages["Service"]["open"] = Effect.fn("UploadPages.open")(function* (state) {
        const known =
          state.length === stateLength
            ? yield* acrossTenants("upload pages")(store.find({ stateHash: digest.sha256(state) }))
            : Option.none()
        const page = Option.getOrUndefined(known)
        const now = yield* Timestamp.now
        if (page === undefined || page.expiresAt <= now) return Option.none()
        const { actor, feedId, keyId, redirectUri, userId, workspaceId } = page
        return yield* withinWorkspaces(workspaceId)(
          Effect.gen(function* () {
            const workspace = Option.getOrUndefined(yield* workspaces.get(workspaceId))
            const feed = Option.getOrUndefined(yield* feeds.get(workspaceId, feedId))
            if (workspace === undefined || feed === undefined) return Option.none()
            if (keyId !== undefined) {
              const key = (yield* keys.list(workspaceId)).find(({ id }) => id === keyId)
              if (key === undefined || !isActive(key, now)) return Option.none()
            }
            const { requestsPerMinute } = planWith(agreedRate, workspace.plan)
            const decision = yield* limiter.arrive(`upload pages of ${workspaceId}`, requestsPerMinute)
            const caller: Caller = {
              principal: { kind: "system", workspace, reason: "upload page", userId },
              workspaces: [workspace],
              requestId: yield* ids.next("request"),
              cause: actor
            }
            return Option.some({ feed, caller, decision, ...(redirectUri === undefined ? {} : { redirectUri }) })
          })
        )
      })

      return UploadPages.of({ start, end, open })
    })
  )
}
