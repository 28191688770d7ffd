/**
 * Browsers that come back from a bank, and callbacks that say how an attempt ended: neither has a credential here. A
 * browser is known by the state that its attempt was begun with.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Caller } from "../access/Caller.ts"
import type { Capabilities } from "../provider/Capabilities.ts"
import type { ClientStep, ConnectPayload } from "../provider/Connect.ts"
import { Providers } from "../provider/Providers.ts"
import { Digest } from "../shared/Digest.ts"
import { isId } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { acrossTenants, withinWorkspaces } from "../workspace/TenantScope.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { BankId } from "./Bank.ts"
import { BankStore } from "./BankStore.ts"
import { callerOfAttempt } from "./CallerOfAttempt.ts"
import { type Connected, Connecting, type ConnectFailure } from "./Connecting.ts"
import { attemptAsOf, type AttemptError, type ConnectionAttempt, lateUntil } from "./ConnectionAttempt.ts"
import { ConnectionAttemptStore } from "./ConnectionAttemptStore.ts"
import type { KeptRequest } from "./ConnectionRequest.ts"
import { type ExistingBank, ConnectionStart, type StartFailure } from "./ConnectionStart.ts"

/** An attempt whose browser, or whose upstream, is there. */
export interface ReturnedAttempt {
  readonly attempt: ConnectionAttempt
  readonly workspace: Workspace
  /** The bank that it connects again, or has made. */
  readonly bankName?: string
  /** The institution that was chosen before, where its name is known. */
  readonly institutionName?: string
  /** Whom it goes through; absent where that is no longer configured. */
  readonly provider?: { readonly name: string; readonly capabilities: Capabilities }
}

/** How an attempt ended at the upstream, as a browser or a callback says. */
export type ConnectResult =
  | { readonly result: "connected"; readonly payload: ConnectPayload }
  | { readonly result: "cancelled" | "failed" }

const errors: Readonly<Record<"cancelled" | "failed", AttemptError>> = {
  cancelled: { code: "CONNECTION_CANCELLED", message: "The person stopped before the bank was connected" },
  failed: { code: "CONNECTION_FAILED", message: "The bank or the provider could not connect the person" }
}

const within =
  ({ workspace }: ReturnedAttempt) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    withinWorkspaces(workspace.id)(effect)

const callerOf = ({ attempt, workspace }: ReturnedAttempt): Caller => callerOfAttempt(workspace, attempt, attempt.id)

export class ConnectReturns extends Context.Service<
  ConnectReturns,
  {
    /** The attempt of a browser; none for a state that nobody was given. */
    readonly byState: (state: string) => Effect.Effect<Option.Option<ReturnedAttempt>, StorageUnavailable>
    /** What the browser is shown; none while it has to be chosen first. */
    readonly step: (returned: ReturnedAttempt) => Effect.Effect<Option.Option<ClientStep>, StorageUnavailable>
    /** The banks among which the person chooses. */
    readonly existing: (returned: ReturnedAttempt) => Effect.Effect<ReadonlyArray<ExistingBank>, StorageUnavailable>
    readonly choose: (
      returned: ReturnedAttempt,
      state: string,
      bankId: BankId | undefined
    ) => Effect.Effect<ClientStep, StartFailure>
    /**
     * Keeps what a browser or a callback said of how it ended: a success is completed by anyone who asks next, and by a task
     * where nobody does.
     */
    readonly told: (returned: ReturnedAttempt, result: ConnectResult) => Effect.Effect<void, StorageUnavailable>
    /** Begins again what the attempt began, for the same caller. Its page; none where the program serves no pages. */
    readonly again: (returned: ReturnedAttempt) => Effect.Effect<string | undefined, StartFailure>
    /** Completes the attempt of a browser, for the one who began it. */
    readonly complete: (returned: ReturnedAttempt, payload: ConnectPayload) => Effect.Effect<Connected, ConnectFailure>
    /** The same from what is kept of it; `undefined` where that is nothing. */
    readonly goOn: (returned: ReturnedAttempt) => Effect.Effect<Connected | undefined, ConnectFailure>
    /** The attempt that a callback names by the id that the upstream was given. */
    readonly byAttempt: (
      instanceId: string,
      attemptId: string
    ) => Effect.Effect<Option.Option<ReturnedAttempt>, StorageUnavailable>
  }
>()("@millrace/core/bank/ConnectReturns") {
  static readonly layer: Layer.Layer<
    ConnectReturns,
    never,
    BankStore | ConnectionAttemptStore | Connecting | ConnectionStart | WorkspaceStore | Providers | Digest
  > = Layer.effect(
    ConnectReturns,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const attempts = yield* ConnectionAttemptStore
      const connecting = yield* Connecting
      const starting = yield* ConnectionStart
      const workspaces = yield* WorkspaceStore
      const digest = yield* Digest
      const { all: drivers } = yield* Providers

      const found = Effect.fnUntraced(function* (one: Option.Option<ConnectionAttempt>) {
        if (Option.isNone(one)) return Option.none<ReturnedAttempt>()
        const { workspaceId } = one.value
        const workspace = yield* withinWorkspaces(workspaceId)(workspaces.get(workspaceId))
        const attempt = attemptAsOf(one.value, yield* Timestamp.now)
        const driver = drivers.find(({ instanceId }) => instanceId === attempt.instanceId)
        const bankId = attempt.bankId ?? attempt.reconnects
        const bank =
          bankId === undefined
            ? undefined
            : Option.getOrUndefined(yield* withinWorkspaces(workspaceId)(banks.get(workspaceId, bankId)))
        const asked =
          attempt.institutionId === undefined
            ? undefined
            : Option.getOrUndefined(yield* withinWorkspaces(workspaceId)(attempts.part(attempt.id, "request")))
        const institutionName = asked?.institutionName
        return Option.map(workspace, (of): ReturnedAttempt => ({
          attempt,
          workspace: of,
          ...(bank === undefined ? {} : { bankName: bank.name }),
          ...(institutionName === undefined ? {} : { institutionName }),
          ...(driver === undefined ? {} : { provider: driver })
        }))
      })

      return ConnectReturns.of({
        byState: Effect.fn("ConnectReturns.byState")(function* (state) {
          return yield* found(yield* acrossTenants("connect returns")(attempts.byState(digest.sha256(state))))
        }),
        byAttempt: Effect.fn("ConnectReturns.byAttempt")(function* (instanceId, attemptId) {
          // Anyone who chose an id of their own has no state and no callbacks.
          if (!isId("connectionAttempt", attemptId)) return Option.none()
          const one = yield* acrossTenants("connect returns")(attempts.get(attemptId))
          return yield* found(Option.filter(one, (attempt) => attempt.instanceId === instanceId))
        }),
        step: (returned) => within(returned)(attempts.part(returned.attempt.id, "step")),
        existing: (returned) => within(returned)(starting.existing(returned.attempt)),
        choose: (returned, state, bankId) =>
          within(returned)(starting.choose(callerOf(returned), returned.attempt, state, bankId)),
        again: Effect.fn("ConnectReturns.again")(function* (returned) {
          const { attempt } = returned
          const asked = Option.getOrElse(
            yield* within(returned)(attempts.part(attempt.id, "request")),
            (): KeptRequest => ({
              providerInstanceId: attempt.instanceId,
              ...(attempt.institutionId === undefined ? {} : { institutionId: attempt.institutionId }),
              ...(attempt.redirectUri === undefined ? {} : { redirectUri: attempt.redirectUri })
            })
          )
          const { begunAs: _, ...request } = asked
          const caller = callerOf(returned)
          const begun =
            attempt.reconnects === undefined
              ? starting.start(caller, request)
              : starting.reauth(caller, attempt.reconnects, request)
          return (yield* within(returned)(Effect.map(begun, ({ page }) => ({ page })))).page
        }),
        told: Effect.fn("ConnectReturns.told")(function* (returned, result) {
          const { attempt } = returned
          const now = yield* Timestamp.now
          yield* within(returned)(
            result.result === "connected"
              ? lateUntil(attempt) <= now
                ? Effect.void
                : attempts.keep(attempt.id, "payload", result.payload, now)
              : attempts.move(attempt.id, "abort", now, { error: errors[result.result] })
          )
        }),
        complete: (returned, payload) =>
          within(returned)(
            connecting.complete(callerOf(returned), {
              instanceId: returned.attempt.instanceId,
              attemptId: returned.attempt.attemptId,
              started: true,
              payload
            })
          ),
        goOn: (returned) => within(returned)(connecting.goOn(callerOf(returned), returned.attempt))
      })
    })
  )
}
