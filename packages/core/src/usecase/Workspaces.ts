/** Workspaces: making one with its owner, reading and changing it (decisions 5.1). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { permit } from "../access/Access.ts"
import { Authenticator } from "../access/Authenticator.ts"
import type { Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/catalogue.generated.ts"
import { allScopes } from "../access/Scope.ts"
import { makeEnrichmentChanges } from "../enrichment/EnrichmentChanges.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import type { Kinds } from "../enrichment/Kinds.ts"
import { type Detail, type Forbidden, NotFound, PreconditionFailed, Unprocessable } from "../failure/Failure.ts"
import type { Currency } from "../shared/Currency.ts"
import { Ids } from "../shared/Ids.ts"
import { zoneOf } from "../shared/TimeZone.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { Tasks } from "../task/Tasks.ts"
import type { PlanName } from "../workspace/Plan.ts"
import type { User, Workspace, WorkspaceId } from "../workspace/Workspace.ts"
import { withinWorkspaces } from "../workspace/Reach.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

export interface NewWorkspace {
  readonly name: string
  readonly plan: PlanName
  readonly timezone: string
  readonly baseCurrency: Currency
  readonly ownerEmail: string
}

/** What a person changes of a workspace; what is absent stays. */
export interface WorkspaceChange {
  readonly name?: string
  readonly icon?: string | null
  /** IANA name. */
  readonly timezone?: string
  /** BCP 47. */
  readonly locale?: string
  readonly baseCurrency?: Currency
}

const isLocale = (locale: string): boolean => Result.isSuccess(Result.try(() => Intl.getCanonicalLocales(locale)))

/** The parts of a change that cannot be. */
const faultsOf = ({ locale, timezone }: WorkspaceChange): ReadonlyArray<Detail> => [
  ...(timezone === undefined || zoneOf(timezone) !== undefined
    ? []
    : [{ field: "timezone", message: "must be the name of a time zone, such as Europe/Berlin" }]),
  ...(locale === undefined || isLocale(locale)
    ? []
    : [{ field: "locale", message: "must be a language tag, such as en or de-CH" }])
]

const changed = (before: Workspace, change: WorkspaceChange, updatedAt: Timestamp.Timestamp): Workspace => {
  const { icon: _, ...kept } = before
  const icon = change.icon === undefined ? before.icon : (change.icon ?? undefined)
  return {
    ...kept,
    name: change.name ?? before.name,
    ...(icon === undefined ? {} : { icon }),
    timezone: (change.timezone === undefined ? undefined : zoneOf(change.timezone)) ?? before.timezone,
    locale: change.locale ?? before.locale,
    baseCurrency: change.baseCurrency ?? before.baseCurrency,
    updatedAt,
    version: before.version + 1
  }
}

export class Workspaces extends Context.Service<
  Workspaces,
  {
    /** A workspace, its owner, and the owner's key with every scope. The secret is shown this once. */
    readonly found: (
      request: NewWorkspace
    ) => Effect.Effect<
      { readonly workspace: Workspace; readonly owner: User; readonly secret: Redacted.Redacted<string> },
      StorageUnavailable
    >
    /** The workspace of the caller. Any other one is not found. */
    readonly get: (
      caller: Caller,
      id: WorkspaceId
    ) => Effect.Effect<Workspace, NotFound | Forbidden | StorageUnavailable>
    /**
     * Changes what is given. After another base currency or time zone, enrichments work out again what they say of the
     * whole history: sums are of that currency, and days of that zone.
     */
    readonly update: (
      caller: Caller,
      id: WorkspaceId,
      change: WorkspaceChange,
      /** The version the caller has read, when it said so. */
      ifVersion: number | undefined
    ) => Effect.Effect<Workspace, NotFound | Unprocessable | PreconditionFailed | Forbidden | StorageUnavailable>
  }
>()("@millrace/core/usecase/Workspaces") {
  static readonly layer: Layer.Layer<
    Workspaces,
    never,
    WorkspaceStore | Authenticator | Transactor | Ids | EnrichmentStore | Kinds | Tasks
  > = Layer.effect(
    Workspaces,
    Effect.gen(function* () {
      const store = yield* WorkspaceStore
      const authenticator = yield* Authenticator
      const { atomically } = yield* Transactor
      const ids = yield* Ids
      const enrichments = yield* EnrichmentStore
      const { begin, revised } = yield* makeEnrichmentChanges

      const own = Effect.fnUntraced(function* (caller: Caller, operation: OperationId, id: WorkspaceId) {
        yield* permit(caller, operation)
        const found = id === caller.principal.workspace.id ? yield* store.get(id) : Option.none()
        return yield* Option.match(found, {
          onNone: () => Effect.fail(new NotFound({ resource: "Workspace" })),
          onSome: Effect.succeed
        })
      })

      const workOutAgain = Effect.fnUntraced(function* (workspaceId: WorkspaceId, updatedAt: Timestamp.Timestamp) {
        for (const before of yield* enrichments.list([workspaceId])) {
          const after = yield* revised(before, { ...before, updatedAt, version: before.version + 1 })
          if (yield* enrichments.update(after)) yield* begin(after)
        }
      })

      return Workspaces.of({
        found: Effect.fn("Workspaces.found")(function* (request) {
          const now = yield* Timestamp.now
          const workspace: Workspace = {
            id: yield* ids.next("workspace"),
            name: request.name,
            plan: request.plan,
            timezone: request.timezone,
            locale: "en",
            baseCurrency: request.baseCurrency,
            createdAt: now,
            updatedAt: now,
            version: 1
          }
          const owner: User = { id: yield* ids.next("user"), email: request.ownerEmail, createdAt: now }
          return yield* atomically(
            Effect.gen(function* () {
              yield* store.create(workspace, owner)
              const { secret } = yield* authenticator.createKey({
                workspaceId: workspace.id,
                createdBy: owner.id,
                name: "Owner",
                scopes: allScopes,
                expiresAt: null
              })
              return { workspace, owner, secret }
            })
          ).pipe(withinWorkspaces(workspace.id))
        }),
        get: Effect.fn("Workspaces.get")((caller, id) =>
          withinWorkspaces(caller.principal.workspace.id)(own(caller, "getWorkspace", id))
        ),
        update: Effect.fn("Workspaces.update")(function* (caller, id, change, ifVersion) {
          const details = faultsOf(change)
          return yield* atomically(
            Effect.gen(function* () {
              const before = yield* own(caller, "updateWorkspace", id)
              if (ifVersion !== undefined && ifVersion !== before.version) return yield* new PreconditionFailed()
              if (details.length > 0) {
                const [{ field, message }] = details as readonly [Detail]
                return yield* new Unprocessable({ code: "VALIDATION_FAILED", message: `${field} ${message}`, details })
              }
              const now = yield* Timestamp.now
              const after = changed(before, change, now)
              if (!(yield* store.update(after))) return yield* new PreconditionFailed()
              if (after.baseCurrency !== before.baseCurrency || after.timezone !== before.timezone) {
                yield* workOutAgain(id, now)
              }
              return after
            })
          ).pipe(withinWorkspaces(caller.principal.workspace.id))
        })
      })
    })
  )
}
