/**
 * Completing a connection: what the person's browser brought back becomes a bank with accounts.
 *
 * A payload may be a token that works once. So nothing that could be known before is found out after its exchange; what
 * the exchange gave is stored before anything else is done; and every later step can be taken again from there. What no
 * storage can keep is lost alone: the answer of an upstream to a process that dies before it has it. Then the token is
 * refused the next time, the attempt has failed, and the person begins another one.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { permit } from "../access/Access.ts"
import type { ActorRef } from "../access/ActorRef.ts"
import type { Caller } from "../access/Caller.ts"
import { credentialOf } from "../access/Principal.ts"
import { Conflict, type Forbidden, InvalidInput, type NotFound, type PlanLimitReached } from "../failure/Failure.ts"
import type { ConnectPayload } from "../provider/Connect.ts"
import type { ProviderDriver } from "../provider/Provider.ts"
import { isProviderError, type ProviderError, failureOf } from "../provider/ProviderError.ts"
import { Providers, type ProviderNotAvailable } from "../provider/Providers.ts"
import { CurrentPsu } from "../provider/Turns.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Leases, type Lease } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { type Account, isOwnAccount } from "./Account.ts"
import { attemptKeeper } from "./AttemptSecrets.ts"
import { type Bank, type BankId, needsAnother } from "./Bank.ts"
import { BankRoom } from "./BankRoom.ts"
import { BankStore } from "./BankStore.ts"
import {
  attemptAsOf,
  type AttemptError,
  attemptLease,
  attemptMinutes,
  type ConnectionAttempt,
  lateHours,
  lateUntil,
  nextAttemptState
} from "./ConnectionAttempt.ts"
import { ConnectionAttemptStore } from "./ConnectionAttemptStore.ts"
import { busy, ConnectedBanks } from "./ConnectedBanks.ts"
import { ConnectionChecks } from "./ConnectionChecks.ts"
import { logAndIgnore } from "./LogAndIgnore.ts"
import { Subjects } from "./Subjects.ts"

export interface ConnectRequest {
  readonly instanceId: string
  /**
   * Known to the one who began it; asking again with the same one is harmless. Without one it is the newest that the same
   * credential began at the instance, or else one of its own.
   */
  readonly attemptId?: string
  /** Fails unless an attempt of that id was started: a misspelt one begins no other. */
  readonly started?: boolean
  readonly payload: ConnectPayload
  /** The bank that is reconnected: it stays the same one also where the upstream gives it another reference. */
  readonly reconnects?: BankId
}

export interface Connected {
  readonly bank: Bank
  /** False when the connection was known already, or the attempt was completed before. */
  readonly created: boolean
  readonly accounts: ReadonlyArray<Account>
}

export type ConnectFailure =
  | ProviderNotAvailable
  | ProviderError
  | PlanLimitReached
  | Conflict
  | NotFound
  | InvalidInput
  | Forbidden
  | StorageUnavailable

/** Seconds that one caller has for completing an attempt: far longer than requests to an upstream are waited for. */
const leaseSeconds = 120

const refusal = (message: string) => new Conflict({ code: "INVALID_STATE", message, details: [] })

const invalid = (code: "ATTEMPT_NOT_FOUND" | "ATTEMPT_EXPIRED", message: string) =>
  new InvalidInput({ code, message, details: [{ field: "attemptId", message }] })

const closed = ({ error, state }: ConnectionAttempt) => {
  if (state === "expired") {
    return invalid("ATTEMPT_EXPIRED", "The time of this attempt is over. Start another attempt")
  }
  if (error?.code === "INSTITUTION_MISMATCH") {
    return new Conflict({ code: error.code, message: error.message, details: [] })
  }
  const why = error === undefined ? "" : `: ${error.message.replace(/\.$/, "")}`
  return refusal(
    state === "completed"
      ? "The bank of this attempt was removed. Start another attempt"
      : `This attempt is ${state}${why}. Start another attempt`
  )
}

/** What the owner of an attempt learns of an error that ended it. */
export const attemptErrorOf = (error: ProviderError): AttemptError => {
  const { code, recovery } = failureOf(error)
  return { code, message: error.message, ...(recovery === undefined ? {} : { recovery }) }
}

/** Who hands a payload over: somebody who learns what comes of it, or a task that goes on with what is kept. */
type HandedBy = "caller" | "task"

/**
 * The attempt cannot be completed any more. A person who pasted a wrong token may paste another one, but a task has nobody who could:
 * the error is kept, so that the person can read it later. What else is refused was given by the upstream for this attempt.
 */
const isFinal = (error: ProviderError, { capabilities }: ProviderDriver, by: HandedBy): boolean =>
  (error._tag === "InvalidConnectPayload" && (by === "task" || capabilities.connectFlow !== "token")) ||
  error._tag === "UserCancelled" ||
  error._tag === "DuplicateConnection"

const nobody: AttemptError = { code: "ATTEMPT_EXPIRED", message: "Nobody could take the connection over in time" }

/** What no other try mends. */
const lasting: ReadonlySet<ConnectFailure["_tag"]> = new Set([
  "PlanLimitReached",
  "NotFound",
  "ReauthRequired",
  "ConsentRequired",
  "ConnectionGone"
])

export class Connecting extends Context.Service<
  Connecting,
  {
    /**
     * Completes an attempt: verified upstream, stored with its secrets and, where the upstream lists them in time, its
     * accounts; else the status of the bank says that they have not been read. Repeating it returns the same bank
     * with `created: false`, and after a failure goes on where it stopped, without another exchange. A known connection is
     * reconnected: its bank gets the new secrets, where they work, and their health. `Conflict` where the attempt has
     * failed, or somebody else completes it now; `InvalidInput` where it is unknown or its time is over.
     */
    readonly complete: (caller: Caller, request: ConnectRequest) => Effect.Effect<Connected, ConnectFailure>
    /**
     * Goes on with an attempt that somebody left: from what its exchange gave, or with the payload that its callback
     * brought. What nobody can take over within its time, such as a connection without room in the plan, is taken back
     * upstream. `undefined` where there is nothing to go on with.
     */
    readonly goOn: (caller: Caller, attempt: ConnectionAttempt) => Effect.Effect<Connected | undefined, ConnectFailure>
  }
>()("@millrace/core/bank/Connecting") {
  static readonly layer: Layer.Layer<
    Connecting,
    never,
    | BankStore
    | BankRoom
    | ConnectedBanks
    | ConnectionAttemptStore
    | ConnectionChecks
    | Subjects
    | Leases
    | Providers
    | Ids
    | Transactor
  > = Layer.effect(
    Connecting,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const connected = yield* ConnectedBanks
      const attempts = yield* ConnectionAttemptStore
      const keeperOf = yield* attemptKeeper
      const checks = yield* ConnectionChecks
      const room = yield* BankRoom
      const subjects = yield* Subjects
      const leases = yield* Leases
      const providers = yield* Providers
      const ids = yield* Ids
      const { atomically } = yield* Transactor

      /** Fails where the plan has no room for what the request would connect; what is reconnected needs none. */
      const checkRoom = Effect.fnUntraced(function* (
        { principal: { workspace } }: Caller,
        { instanceId, payload }: ConnectRequest,
        reconnects: BankId | undefined
      ) {
        if (reconnects !== undefined) return void (yield* connected.renewed(workspace.id, instanceId, reconnects))
        const known =
          payload.kind === "provider_connection_id" &&
          Option.isSome(yield* banks.byConnection(workspace.id, instanceId, payload.connectionId))
        if (!known) yield* room.need(workspace)
      })

      const exchange = Effect.fnUntraced(function* (
        driver: ProviderDriver,
        attempt: ConnectionAttempt,
        given: ConnectPayload,
        reconnects: BankId | undefined,
        cause: ActorRef,
        by: HandedBy
      ) {
        // What was chosen when it began holds, whatever the browser brings back.
        const institutionId = attempt.institutionId ?? given.institutionId
        const payload = institutionId === undefined ? given : { ...given, institutionId }
        const { instanceId, workspaceId } = attempt
        const subject = yield* subjects.of(workspaceId, instanceId)
        const attemptSecrets = Option.getOrElse(yield* attempts.part(attempt.id, "secrets"), () => ({}))
        const renewed = reconnects === undefined ? Option.none() : yield* banks.get(workspaceId, reconnects)
        // What the person brings back is of the sort that was begun, whatever has become of the bank meanwhile.
        const begunAs = Option.getOrUndefined(yield* attempts.part(attempt.id, "request"))?.begunAs
        const isRepair =
          Option.isSome(renewed) && (begunAs === undefined ? !needsAnother(renewed.value) : begunAs === "repair")
        const reconnect = isRepair
          ? Option.getOrUndefined(yield* banks.connection(renewed.value.id))?.connection
          : undefined
        const psu = yield* CurrentPsu
        // Anyone who asked may go away meanwhile.
        return yield* Effect.uninterruptible(
          driver
            .completeConnect({
              attemptId: attempt.attemptId,
              subject,
              attemptSecrets,
              payload,
              ...(reconnect === undefined ? {} : { reconnect }),
              ...(psu === undefined ? {} : { psu }),
              keepSubject: subjects.keeper(workspaceId, instanceId),
              keepAttempt: keeperOf(attempt.id)
            })
            .pipe(
              // Then the bank says so, and anyone who starts again gets another connection for it.
              Effect.tapError((error) =>
                isRepair && error._tag === "ConnectionGone"
                  ? logAndIgnore(renewed.value, checks.failed(renewed.value, error, { guard: Effect.void, cause }))
                  : Effect.void
              ),
              Effect.tapError((error) =>
                isFinal(error, driver, by) || (isRepair && error._tag === "ConnectionGone")
                  ? Effect.flatMap(Timestamp.now, (now) =>
                      attempts.move(attempt.id, "refuse", now, { error: attemptErrorOf(error) })
                    )
                  : Effect.void
              ),
              Effect.tap((completed) => connected.keep(attempt, completed))
            )
        )
      })

      /** Nobody joins accounts of the bank meanwhile. */
      const holding = ({ id, workspaceId }: Bank) => Effect.asVoid(banks.hold(workspaceId, id))

      /** What an attempt that was completed before made. */
      const again = Effect.fnUntraced(function* (caller: Caller, attempt: ConnectionAttempt) {
        const { bankId, workspaceId } = attempt
        const bank = bankId === undefined ? Option.none<Bank>() : yield* banks.get(workspaceId, bankId)
        if (Option.isNone(bank) || bank.value.deletedAt !== undefined) return yield* closed(attempt)
        const held = yield* banks.accounts(bank.value.id)
        if (held.length > 0 || Option.isNone(yield* banks.connection(bank.value.id))) {
          return { bank: bank.value, created: false, accounts: held.filter(isOwnAccount) } satisfies Connected
        }
        // They could not be read in time when it was completed.
        yield* checks
          .refresh(bank.value, { guard: holding(bank.value), cause: caller.cause })
          .pipe(Effect.catchIf(isProviderError, () => Effect.void))
        const now = Option.getOrElse(yield* banks.get(workspaceId, bank.value.id), () => bank.value)
        return {
          bank: now,
          created: false,
          accounts: (yield* banks.accounts(now.id)).filter(isOwnAccount)
        } satisfies Connected
      })

      /** Takes back upstream what an exchange gave and no bank can have. */
      const takeBack = Effect.fnUntraced(function* (
        driver: ProviderDriver,
        attempt: ConnectionAttempt,
        lease: Lease,
        error: AttemptError
      ) {
        const held = yield* attempts.exchange(attempt.id)
        if (Option.isSome(held)) {
          const known = yield* banks.byConnection(attempt.workspaceId, attempt.instanceId, held.value.connection.ref)
          // What a bank of ours stands on is no one's to take back.
          if (Option.isNone(known)) yield* (yield* connected.open(attempt, driver, held.value)).session.revoke
        }
        yield* atomically(
          Effect.gen(function* () {
            yield* Effect.catchTag(leases.fence(lease), "LeaseLost", () => Effect.fail(busy))
            const now = yield* Timestamp.now
            yield* attempts.dropExchange(attempt.id, now)
            yield* attempts.move(attempt.id, "giveUp", now)
            yield* attempts.move(attempt.id, "abort", now, { error })
          })
        )
      })

      const completeWith = Effect.fnUntraced(function* (
        caller: Caller,
        driver: ProviderDriver,
        request: ConnectRequest,
        begun: ConnectionAttempt,
        lease: Lease,
        by: HandedBy
      ) {
        const { workspace } = caller.principal
        const { cause } = caller
        const now = yield* Timestamp.now
        const attempt = attemptAsOf(
          Option.getOrElse(yield* attempts.get(begun.id), () => begun),
          now
        )
        if (attempt.state === "completed") return yield* again(caller, attempt)
        const held = yield* attempts.exchange(attempt.id)
        const reconnects = attempt.reconnects ?? request.reconnects
        if (Option.isNone(held)) {
          const isLate = attempt.state === "expired" && lateUntil(attempt) <= now
          if (isLate || nextAttemptState(attempt.state, "complete") === undefined) return yield* closed(attempt)
          // Asked before anything is used up upstream.
          yield* checkRoom(caller, request, reconnects)
        }
        const isMoved = yield* atomically(
          Effect.gen(function* () {
            if (!(yield* attempts.move(attempt.id, "complete", now))) return false
            // Anyone who handed it over may not come again: then a task goes on with it.
            if (Option.isNone(held) && reconnects === attempt.reconnects) {
              yield* attempts.keep(attempt.id, "payload", request.payload, now)
            }
            return true
          })
        )
        if (!isMoved) return yield* closed(attempt)
        const exchanged = Option.isSome(held)
          ? Effect.succeed(held.value)
          : exchange(driver, attempt, request.payload, reconnects, cause, by)
        const { accounts, bank, created } = yield* exchanged.pipe(
          Effect.flatMap((completed) =>
            connected.store({ workspace, driver, attempt, completed, lease, reconnects, cause })
          ),
          Effect.tapError((error) =>
            Effect.ignore(
              atomically(
                Effect.andThen(
                  leases.fence(lease),
                  Effect.flatMap(Timestamp.now, (at) =>
                    Effect.andThen(
                      // A task would only hand the refused token over again.
                      error._tag === "InvalidConnectPayload" ? attempts.dropPart(attempt.id, "payload") : Effect.void,
                      attempts.move(attempt.id, "giveUp", at)
                    )
                  )
                )
              )
            )
          ),
          // What no bank takes is ended upstream. Where that fails now, the task that goes on with the attempt does it.
          Effect.tapError((error) =>
            error._tag === "Conflict" && error.code === "INSTITUTION_MISMATCH"
              ? Effect.ignore(takeBack(driver, attempt, lease, { code: error.code, message: error.message }))
              : Effect.void
          )
        )
        return { bank, created, accounts: accounts.filter(isOwnAccount) } satisfies Connected
      })

      /** The attempt that a request means; one of its own, where it means none. */
      const meant = Effect.fnUntraced(function* (caller: Caller, request: ConnectRequest) {
        const { id: workspaceId } = caller.principal.workspace
        const { attemptId, instanceId, started = false } = request
        const now = yield* Timestamp.now
        if (attemptId === undefined || started) {
          const found =
            attemptId === undefined
              ? yield* attempts.newest(
                  workspaceId,
                  instanceId,
                  credentialOf(caller.principal),
                  Timestamp.fromMillis(Timestamp.toMillis(now) - lateHours * 3_600_000)
                )
              : yield* attempts.named(workspaceId, instanceId, attemptId)
          if (Option.isSome(found)) return found.value
          if (attemptId !== undefined) {
            return yield* invalid(
              "ATTEMPT_NOT_FOUND",
              `There is no attempt of this id at ${instanceId}. Use the attemptId that startConnection returned`
            )
          }
        }
        const id = yield* ids.next("connectionAttempt")
        const begun: ConnectionAttempt = {
          id,
          workspaceId,
          instanceId,
          attemptId: attemptId ?? id,
          state: "open",
          expiresAt: Timestamp.fromMillis(Timestamp.toMillis(now) + attemptMinutes.most * 60_000),
          credential: credentialOf(caller.principal),
          createdBy: caller.cause,
          ...(request.reconnects === undefined ? {} : { reconnects: request.reconnects }),
          createdAt: now,
          updatedAt: now
        }
        return yield* atomically(Effect.andThen(subjects.begin(workspaceId, instanceId), attempts.begin(begun)))
      })

      /** Runs as the only one at the attempt. */
      const alone = <A, E>(
        attempt: ConnectionAttempt,
        use: (lease: Lease) => Effect.Effect<A, E>
      ): Effect.Effect<A, E | Conflict | StorageUnavailable> =>
        Effect.flatMap(ids.next("request"), (holder) =>
          Effect.acquireUseRelease(
            leases.take([attemptLease(attempt.id)], holder, leaseSeconds),
            (taken): Effect.Effect<A, E | Conflict> =>
              Option.isNone(taken) ? Effect.fail(busy) : use(taken.value[0]!),
            () => Effect.ignore(leases.free(holder))
          )
        )

      const complete = Effect.fn("Connecting.complete")(function* (caller: Caller, request: ConnectRequest) {
        yield* permit(caller, "completeConnection")
        const driver = yield* providers.get(request.instanceId)
        const attempt = yield* meant(caller, request)
        return yield* alone(attempt, (lease) => completeWith(caller, driver, request, attempt, lease, "caller"))
      })

      const goOn = Effect.fn("Connecting.goOn")(function* (caller: Caller, attempt: ConnectionAttempt) {
        const driver = yield* providers.get(attempt.instanceId)
        const { attemptId, instanceId } = attempt
        return yield* alone(
          attempt,
          Effect.fnUntraced(function* (lease) {
            const told = yield* attempts.part(attempt.id, "payload")
            if (Option.isNone(told) && Option.isNone(yield* attempts.exchange(attempt.id))) return undefined
            const payload: ConnectPayload = Option.getOrElse(told, () => ({
              kind: "provider_connection_id",
              connectionId: ""
            }))
            const request: ConnectRequest = { instanceId, attemptId, payload }
            return yield* completeWith(caller, driver, request, attempt, lease, "task").pipe(
              Effect.tapError(
                Effect.fnUntraced(function* ({ _tag }) {
                  const late = lateUntil(attempt) <= (yield* Timestamp.now)
                  if (late && lasting.has(_tag)) yield* takeBack(driver, attempt, lease, nobody)
                })
              )
            )
          })
        )
      })

      return Connecting.of({ complete, goOn })
    })
  )
}
