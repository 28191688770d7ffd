/** From a credential to a principal (specification 5, decisions 2.1 and 2.5). */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { ApiKeyStore } from "./ApiKeyStore.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { planNames, planWith } from "../workspace/Plan.ts"
import type { Decision } from "../rate/RollingWindow.ts"
import type { UserId, WorkspaceId } from "../workspace/Workspace.ts"
import { acrossTenants, withinWorkspaces } from "../workspace/TenantScope.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { isActive, isSecret, keyPrefixOf, secretPrefix, secretRandomLength, type ApiKey } from "./ApiKey.ts"
import { KeyLookup, type CountedKey, type RequestLimits } from "./KeyLookup.ts"
import { KeyMemory } from "./KeyMemory.ts"
import type { CredentialPrincipal } from "./Principal.ts"
import type { Scope } from "./Scope.ts"

/** Mistyped, unknown, expired or revoked: the caller is not told which (401). */
export class CredentialInvalid extends Schema.TaggedError<CredentialInvalid>()("CredentialInvalid", {}) {}

export interface NewKey {
  readonly workspaceId: WorkspaceId
  readonly createdBy: UserId
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly expiresAt: Timestamp.Timestamp | null
}

/** A request with a credential that is good. */
export interface AuthenticatedRequest {
  readonly principal: CredentialPrincipal
  /** Whether the budget of its workspace allows the request. */
  readonly decision: Decision
}

const limitsWith = (agreedRate: number): RequestLimits =>
  Object.fromEntries(
    planNames.map((name) => [name, planWith(agreedRate, name).requestsPerMinute])
  ) as unknown as RequestLimits

export class Authenticator extends Context.Service<
  Authenticator,
  {
    /** The principal of an API key. Looked up each time, so that revoking takes effect at once. */
    readonly apiKey: (
      secret: Redacted.Redacted<string>
    ) => Effect.Effect<CredentialPrincipal, CredentialInvalid | StorageUnavailable>
    /**
     * The principal of an API key as `apiKey` has it, and the request counted under its workspace, both in one step.
     * `agreedRate` is for plans whose rate is by agreement. A key that is not good counts nowhere.
     */
    readonly authenticate: (
      secret: Redacted.Redacted<string>,
      agreedRate: number
    ) => Effect.Effect<AuthenticatedRequest, CredentialInvalid | StorageUnavailable>
    /** Makes a key. The secret is in this answer and nowhere else. */
    readonly createKey: (
      request: NewKey
    ) => Effect.Effect<{ readonly key: ApiKey; readonly secret: Redacted.Redacted<string> }, StorageUnavailable>
  }
>()("@millrace/core/access/Authenticator") {
  static readonly layer: Layer.Layer<Authenticator, never, ApiKeyStore | KeyLookup | WorkspaceStore | Digest | Ids> =
    Layer.effect(
      Authenticator,
      Effect.gen(function* () {
        const keys = yield* ApiKeyStore
        const workspaces = yield* WorkspaceStore
        const keyLookup = yield* KeyLookup
        const digest = yield* Digest
        const ids = yield* Ids
        const memory = new KeyMemory()
        let agreed = Number.NaN
        let limits: RequestLimits = limitsWith(0)
        /** The same object as long as the rate is the same. */
        const limitsOf = (agreedRate: number): RequestLimits => {
          if (agreedRate !== agreed) limits = limitsWith(agreedRate)
          agreed = agreedRate
          return limits
        }

        /** Revoking takes effect at once: what is remembered of a key that was found is only that it was. */
        const lookUp = Effect.fnUntraced(function* <A>(
          secret: Redacted.Redacted<string>,
          find: (hash: string) => Effect.Effect<Option.Option<A>, StorageUnavailable>
        ) {
          const text = Redacted.value(secret)
          if (!isSecret(text)) return Option.none<A>()
          const hash = digest.sha256(text)
          const now = yield* Clock.currentTimeMillis
          if (memory.isUnknown(hash, now)) return Option.none<A>()
          const ask = acrossTenants("key look-up")(find(hash))
          const found = yield* memory.isSeen(hash) ? ask : memory.limitFirst(ask)
          if (Option.isSome(found)) memory.found(hash)
          else memory.missed(hash, now)
          return found
        })

        const authenticate = Effect.fnUntraced(function* (secret: Redacted.Redacted<string>, agreedRate: number) {
          const now = yield* Timestamp.now
          const found: Option.Option<CountedKey> = yield* lookUp(secret, (hash) =>
            keyLookup.lookup(hash, now, limitsOf(agreedRate))
          )
          if (Option.isNone(found)) return yield* new CredentialInvalid()
          const { decision, key, workspace } = found.value
          return { principal: { kind: "api_key", workspace, key }, decision } satisfies AuthenticatedRequest
        })

        const apiKey = Effect.fnUntraced(function* (secret: Redacted.Redacted<string>) {
          const key = yield* lookUp(secret, keys.byHash)
          if (Option.isNone(key) || !isActive(key.value, yield* Timestamp.now)) return yield* new CredentialInvalid()
          const { workspaceId } = key.value
          const workspace = yield* withinWorkspaces(workspaceId)(workspaces.get(workspaceId))
          if (Option.isNone(workspace)) return yield* new CredentialInvalid()
          return { kind: "api_key", workspace: workspace.value, key: key.value } satisfies CredentialPrincipal
        })

        const createKey = Effect.fn("Authenticator.createKey")(function* (request: NewKey) {
          const secret = secretPrefix + digest.randomText(secretRandomLength)
          const key: ApiKey = {
            id: yield* ids.next("apiKey"),
            workspaceId: request.workspaceId,
            keyPrefix: keyPrefixOf(secret),
            name: request.name,
            scopes: request.scopes,
            expiresAt: request.expiresAt,
            createdAt: yield* Timestamp.now,
            createdBy: request.createdBy,
            revokedAt: null
          }
          yield* withinWorkspaces(key.workspaceId)(keys.insert(key, digest.sha256(secret)))
          return { key, secret: Redacted.make(secret) }
        })

        return Authenticator.of({ apiKey, authenticate, createKey })
      })
    )
}
