/**
 * Sessions of people that the server issues itself, for installations without an identity provider (decisions 2.5): a signed
 * text that says who it is and until when. Nothing is stored: a session ends with its time, or with the secret of the
 * installation. Anyone who operates the server makes them; there is no request that does.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Forbidden, InvalidInput } from "../failure/Failure.ts"
import { RateLimiter } from "../rate/RateLimiter.ts"
import { Digest } from "../shared/Digest.ts"
import { Id, isId } from "../shared/Ids.ts"
import { signedText } from "../shared/SignedText.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { withinWorkspaces } from "../workspace/TenantScope.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { type AuthenticatedRequest, CredentialInvalid } from "./Authenticator.ts"

const prefix = "mses_"
/** Nothing else that a key signs begins so. */
const purpose = "millrace session 1"
const longest = 1_000
/** Requests a minute of one person (decisions 2.2). */
const perMinute = 600
const hours = 12

const Claims = Schema.fromJsonString(
  Schema.Struct({
    user: Id("user"),
    email: Schema.String,
    workspace: Id("workspace"),
    /** Milliseconds since 1970. */
    until: Schema.Int
  })
)
const encodeClaims = Schema.encodeSync(Claims)
const decodeClaims = Schema.decodeResult(Claims)

const headerNeeded = new InvalidInput({
  code: "WORKSPACE_HEADER_REQUIRED",
  message: "X-Workspace-ID is required",
  details: []
})

const denied = new Forbidden({ code: "WORKSPACE_ACCESS_DENIED", message: "No access to this workspace", details: [] })

/** A person who owns a workspace. */
export interface SessionOwner {
  readonly userId: Id<"user">
  readonly email: string
  readonly workspaceId: Workspace["id"]
}

export class OwnSessions extends Context.Service<
  OwnSessions,
  {
    /** A session of twelve hours. Anyone who has it is the owner of the workspace until then. */
    readonly issue: (
      owner: SessionOwner
    ) => Effect.Effect<{ readonly token: Redacted.Redacted; readonly expiresAt: Timestamp.Timestamp }>
    /**
     * The person of a session in the workspace that is asked for: their own, as its owner, or a client portal of it, as an
     * admin. The request is counted under the person. Without a workspace it is their own, with all that they reach, where
     * `anyWorkspace` is set, and refused elsewhere.
     */
    readonly authenticate: (
      token: Redacted.Redacted,
      workspaceId: string | undefined,
      anyWorkspace: boolean
    ) => Effect.Effect<AuthenticatedRequest, CredentialInvalid | InvalidInput | Forbidden | StorageUnavailable>
  }
>()("@millrace/core/access/OwnSessions") {
  /** The first key signs; the others are former ones that still count. */
  static readonly layer = (
    key: Redacted.Redacted,
    ...previous: ReadonlyArray<Redacted.Redacted>
  ): Layer.Layer<OwnSessions, never, WorkspaceStore | RateLimiter | Digest> =>
    Layer.effect(
      OwnSessions,
      Effect.gen(function* () {
        const workspaces = yield* WorkspaceStore
        const limiter = yield* RateLimiter
        const signed = signedText(yield* Digest, [key, ...previous])

        const claimsOf = Effect.fnUntraced(function* (token: Redacted.Redacted) {
          const text = Redacted.value(token)
          const sealed = text.startsWith(prefix) && text.length <= longest ? text.slice(prefix.length) : ""
          const json = signed.open(purpose, sealed)
          if (Option.isNone(json)) return yield* new CredentialInvalid()
          const claims = decodeClaims(json.value)
          if (Result.isFailure(claims) || claims.success.until <= (yield* Clock.currentTimeMillis)) {
            return yield* new CredentialInvalid()
          }
          return claims.success
        })

        return OwnSessions.of({
          issue: Effect.fn("OwnSessions.issue")(function* ({ email, userId, workspaceId }) {
            const until = (yield* Clock.currentTimeMillis) + hours * 3_600_000
            const claims = encodeClaims({ user: userId, email, workspace: workspaceId, until })
            return {
              token: Redacted.make(prefix + signed.seal(purpose, claims)),
              expiresAt: Timestamp.fromMillis(until)
            }
          }),
          authenticate: Effect.fnUntraced(function* (token, asked, anyWorkspace) {
            const { email, user: userId, workspace: own } = yield* claimsOf(token)
            const decision = yield* limiter.arrive(`user:${userId}`, perMinute)
            const wanted = asked ?? (anyWorkspace ? own : undefined)
            if (wanted === undefined) return yield* headerNeeded
            const found = isId("workspace", wanted)
              ? yield* withinWorkspaces(wanted)(workspaces.get(wanted))
              : Option.none<Workspace>()
            const workspace = Option.getOrUndefined(found)
            const role = wanted === own ? "owner" : "admin"
            if (workspace === undefined || (wanted !== own && workspace.parentWorkspaceId !== own)) return yield* denied
            const named = { kind: "user", workspace, userId, email, role } as const
            if (asked !== undefined) return { principal: named, decision }
            const portals = yield* withinWorkspaces(own)(workspaces.portals(own))
            const others = portals.map((portal) => ({ workspace: portal, role: "admin" as const }))
            return { principal: { ...named, workspaces: [{ workspace, role }, ...others] }, decision }
          })
        })
      })
    )
}

/** Who checks the sessions of people; without one there are none, and every token is refused. */
export const SessionRequests = Context.Reference<Pick<OwnSessions["Service"], "authenticate"> | undefined>(
  "@millrace/core/access/OwnSessions/SessionRequests",
  { defaultValue: () => undefined }
)
