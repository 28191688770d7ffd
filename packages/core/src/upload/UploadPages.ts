/**
 * Pages on which a person uploads files to one feed, without a credential of theirs: the address says which feed, for whom
 * and until when, and only this installation can have made it. Nothing is stored.
 */
import type * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { reach } from "../access/Access.ts"
import { ActorRef } from "../access/ActorRef.ts"
import { isActive } from "../access/ApiKey.ts"
import { ApiKeyStore } from "../access/ApiKeyStore.ts"
import type { Caller } from "../access/Caller.ts"
import { userOf } from "../access/Principal.ts"
import { CurrentConnectAddresses, uploadPageOf } from "../bank/ConnectAddresses.ts"
import { redirectFault } from "../bank/RedirectUri.ts"
import { type Forbidden, type NotFound, Unprocessable } from "../failure/Failure.ts"
import { type Feed, type FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { Digest } from "../shared/Digest.ts"
import { Id, Ids } from "../shared/Ids.ts"
import { signedText } from "../shared/SignedText.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { withinWorkspaces } from "../workspace/Reach.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

const purpose = "millrace upload page 1"
const minutes = 60
/** Characters of the longest state that is looked at. */
const longest = 8_000

const Claims = Schema.fromJsonString(
  Schema.Struct({
    workspace: Id("workspace"),
    feed: Id("feed"),
    /** Who is said to have uploaded what comes, and the person behind. */
    actor: ActorRef,
    user: Schema.String,
    /** The key that the address was asked for with: it counts no longer than that. */
    key: Schema.optionalKey(Id("apiKey")),
    redirectUri: Schema.optionalKey(Schema.String),
    /** Milliseconds since 1970. */
    until: Schema.Int
  })
)
const encodeClaims = Schema.encodeSync(Claims)
const decodeClaims = Schema.decodeOption(Claims)

const invalid = (field: string, message: string) =>
  new Unprocessable({ code: "VALIDATION_FAILED", message: `${field} ${message}`, details: [{ field, message }] })

export interface UploadPage {
  /** Where the person goes. */
  readonly url: string
  readonly expiresAt: Timestamp.Timestamp
}

/** What the state of an address is good for. */
export interface OpenedUploadPage {
  readonly feed: Feed
  /** The kernel on behalf of whoever asked for the address. */
  readonly caller: Caller
  readonly redirectUri?: string
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
    /** What a state is good for; none where it is not ours, over, or of a key or feed that is gone. */
    readonly open: (state: string) => Effect.Effect<Option.Option<OpenedUploadPage>, StorageUnavailable>
  }
>()("@millrace/core/upload/UploadPages") {
  /** The first key signs addresses; those that former keys signed are good as well. */
  static readonly layer = (
    ...signing: Arr.NonEmptyReadonlyArray<Redacted.Redacted>
  ): Layer.Layer<UploadPages, never, FeedStore | WorkspaceStore | ApiKeyStore | Digest | Ids> =>
    Layer.effect(
      UploadPages,
      Effect.gen(function* () {
        const feeds = yield* FeedStore
        const workspaces = yield* WorkspaceStore
        const keys = yield* ApiKeyStore
        const ids = yield* Ids
        const signed = signedText(yield* Digest, signing)
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
          const until = (yield* Clock.currentTimeMillis) + minutes * 60_000
          const claims = encodeClaims({
            workspace: principal.workspace.id,
            feed: feed.id,
            actor: caller.cause,
            user: userOf(principal),
            ...(principal.kind === "api_key" ? { key: principal.key.id } : {}),
            ...(redirectUri === undefined ? {} : { redirectUri }),
            until
          })
          return {
            url: uploadPageOf(addresses, signed.seal(purpose, claims)),
            expiresAt: Timestamp.fromMillis(until)
          }
        })

        const open: UploadPages["Service"]["open"] = Effect.fn("UploadPages.open")(function* (state) {
          const text = state.length > longest ? Option.none() : signed.open(purpose, state)
          const claims = Option.getOrUndefined(Option.flatMap(text, decodeClaims))
          const now = yield* Timestamp.now
          if (claims === undefined || claims.until <= Timestamp.toMillis(now)) return Option.none()
          const { actor, redirectUri } = claims
          return yield* withinWorkspaces(claims.workspace)(
            Effect.gen(function* () {
              const workspace = Option.getOrUndefined(yield* workspaces.get(claims.workspace))
              const feed = Option.getOrUndefined(yield* feeds.get(claims.workspace, claims.feed))
              if (workspace === undefined || feed === undefined) return Option.none()
              if (claims.key !== undefined) {
                const key = (yield* keys.list(workspace.id)).find(({ id }) => id === claims.key)
                if (key === undefined || !isActive(key, now)) return Option.none()
              }
              const caller: Caller = {
                principal: { kind: "system", workspace, reason: "upload page", userId: claims.user },
                workspaces: [workspace],
                requestId: yield* ids.next("request"),
                cause: actor
              }
              return Option.some({ feed, caller, ...(redirectUri === undefined ? {} : { redirectUri }) })
            })
          )
        })

        return UploadPages.of({ start, open })
      })
    )
}
