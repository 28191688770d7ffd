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
import { EventStore } from "../event/EventStore.ts"
import { Conflict, NotFound, PlanLimitReached, type Forbidden } from "../failure/Failure.ts"
import { statusAfter } from "../provider/ConnectionHealth.ts"
import type { CompletedConnection, Connection, ConnectPayload } from "../provider/Connect.ts"
import type { ProviderDriver } from "../provider/Provider.ts"
import { ProviderUnavailable, type ProviderError } from "../provider/ProviderError.ts"
import { Providers, type ProviderNotAvailable } from "../provider/Providers.ts"
import { Ids } from "../shared/Ids.ts"
import { nextOrder } from "../shared/Order.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Leases, type Lease } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { plans } from "../workspace/Plan.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Account } from "./Account.ts"
import { AccountLists } from "./AccountList.ts"
import { natureOf, type Bank, type BankId } from "./Bank.ts"
import { bankConnected, bankReconnected, statusEvents } from "./BankEvents.ts"
import { BankStore, type BankConnection } from "./BankStore.ts"
import { attemptLease, type ConnectionAttempt } from "./ConnectionAttempt.ts"
import { ConnectionAttemptStore } from "./ConnectionAttemptStore.ts"
import { keptPatiently, Sessions } from "./Sessions.ts"
import { subjectOf } from "./Subject.ts"

export interface ConnectRequest {
  readonly instanceId: string
  /** Known to whoever began it; asking again with the same one is harmless. */
  readonly attemptId: string
  readonly payload: ConnectPayload
  /** The bank that is connected anew: it stays the same one also where the upstream gives it another reference. */
  readonly reconnects?: BankId
}

export interface Connected {
  readonly bank: Bank
  /** False when the connection was known already, or the attempt was completed before. */
  readonly created: boolean
  readonly accounts: ReadonlyArray<Account>
}

/** Seconds that one caller has for completing an attempt: far longer than requests to an upstream are waited for. */
const leaseSeconds = 120
/** Seconds in which the last transaction ends; it gives the lease back itself. */
const lastStepSeconds = 30

/** Subjects have no secrets of their own yet. */
const unkept = () =>
  Effect.fail(new ProviderUnavailable({ message: "Secrets of the upstream's user could not be kept", retryAfter: 60 }))

const refusal = (message: string) => new Conflict({ code: "INVALID_STATE", message, details: [] })
const busy = refusal("Another request is completing this attempt. Ask again in a few seconds")
const closed = ({ state }: ConnectionAttempt) =>
  refusal(
    state === "completed"
      ? "The bank of this attempt was removed. Start another attempt"
      : `This attempt is ${state}. Start another attempt`
  )

export class Connecting extends Context.Service<
  Connecting,
  {
    /**
     * Completes an attempt: verified upstream, stored with its secrets, accounts read. Repeating it returns the same bank
     * with `created: false`, and after a failure goes on where it stopped, without another exchange. A known connection is
     * connected anew: its bank gets the new secrets, where they work, and their health. `Conflict` where the attempt has failed, or
     * somebody else completes it now.
     */
    readonly complete: (
      caller: Caller,
      request: ConnectRequest
    ) => Effect.Effect<
      Connected,
      ProviderNotAvailable | ProviderError | PlanLimitReached | Conflict | NotFound | Forbidden | StorageUnavailable
    >
  }
>()("@millrace/core/bank/Connecting") {
  static readonly layer: Layer.Layer<
    Connecting,
    never,
    BankStore | ConnectionAttemptStore | AccountLists | Sessions | Leases | Providers | EventStore | Ids | Transactor
  > = Layer.effect(
    Connecting,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const attempts = yield* ConnectionAttemptStore
      const lists = yield* AccountLists
      const sessions = yield* Sessions
      const leases = yield* Leases
      const providers = yield* Providers
      const events = yield* EventStore
      const ids = yield* Ids
      const { atomically } = yield* Transactor

      /** The banks of the workspace, when its plan has room for another one. */
      const withRoom = Effect.fnUntraced(function* (workspace: Workspace) {
        const all = yield* banks.list([workspace.id])
        const limit = plans[workspace.plan].banks
        if (limit !== undefined && all.filter((bank) => natureOf(bank) === "connected").length >= limit) {
          return yield* new PlanLimitReached({ what: "banks", limit })
        }
        return all
      })

      /** The bank that the request says to connect anew. */
      const renewed = Effect.fnUntraced(function* (workspace: Workspace, { instanceId, reconnects }: ConnectRequest) {
        if (reconnects === undefined) return Option.none<Bank>()
        const bank = Option.filter(
          yield* banks.get(workspace.id, reconnects),
          ({ deletedAt, providerInstanceId }) => deletedAt === undefined && providerInstanceId === instanceId
        )
        return Option.isSome(bank) ? bank : yield* new NotFound({ resource: "Bank" })
      })

      /** Fails where the plan has no room for what the request would connect; what is connected anew needs none. */
      const checkRoom = Effect.fnUntraced(function* (workspace: Workspace, request: ConnectRequest) {
        const { instanceId, payload } = request
        if (Option.isSome(yield* renewed(workspace, request))) return
        const known =
          payload.kind === "provider_connection_id" &&
          Option.isSome(yield* banks.byConnection(workspace.id, instanceId, payload.connectionId))
        if (!known) yield* withRoom(workspace)
      })

      /** Storage that is away for a moment must not cost what cannot be had again. */
      const keep = (attempt: ConnectionAttempt, completed: CompletedConnection) =>
        keptPatiently(Effect.flatMap(Timestamp.now, (now) => attempts.keepExchange(attempt.id, completed, now)))

      const exchange = Effect.fnUntraced(function* (
        driver: ProviderDriver,
        attempt: ConnectionAttempt,
        request: ConnectRequest
      ) {
        const held = yield* attempts.exchange(attempt.id)
        if (Option.isSome(held)) return held.value
        const { attemptId, payload } = request
        const subject = subjectOf(attempt.workspaceId, attempt.instanceId)
        // Whoever asked may go away meanwhile.
        return yield* Effect.uninterruptible(
          driver.completeConnect({ attemptId, subject, attemptSecrets: {}, payload, keepSubject: unkept }).pipe(
            Effect.tapError((error) =>
              error._tag === "InvalidConnectPayload"
                ? Effect.flatMap(Timestamp.now, (now) => attempts.move(attempt.id, "refuse", now))
                : Effect.void
            ),
            Effect.tap((completed) => keep(attempt, completed))
          )
        )
      })

      /** Makes the bank or connects it anew, in one transaction with the end of the attempt. */
      const store = Effect.fnUntraced(function* (
        workspace: Workspace,
        driver: ProviderDriver,
        request: ConnectRequest,
        lease: Lease,
        attempt: ConnectionAttempt,
        completed: CompletedConnection,
        cause: ActorRef
      ) {
        const { instanceId } = driver
        // A bank that is not there yet has no other place for secrets that rotate than the attempt.
        let current: Connection = completed.connection
        const session = yield* driver.open({
          connection: current,
          subject: subjectOf(workspace.id, instanceId),
          keep: (secrets) => {
            const newer = { ref: current.ref, secrets: { ...current.secrets, ...secrets } }
            return Effect.mapError(
              Effect.tap(keep(attempt, { ...completed, connection: newer }), () =>
                Effect.sync(() => (current = newer))
              ),
              () =>
                new ProviderUnavailable({ message: "New secrets of the connection could not be kept", retryAfter: 60 })
            )
          }
        })
        const health = yield* session.inspect
        const connection: BankConnection = { instanceId, connection: current }
        const { consentExpiresAt } = completed
        const now = yield* Timestamp.now
        const status = statusAfter(
          undefined,
          consentExpiresAt === undefined ? health : { consentExpiresAt, ...health },
          now
        )
        const lastStep = `${lease.holder} last step`
        return yield* atomically(
          Effect.gen(function* () {
            yield* Effect.catchTag(leases.fence(lease), "LeaseLost", () => Effect.fail(busy))
            // One at a time in a workspace: two attempts could be of one connection, or of the last room in the plan.
            const alone = yield* leases.take([`connections:${workspace.id}`], lastStep, lastStepSeconds)
            if (Option.isNone(alone)) return yield* busy
            const of = { workspaceId: workspace.id, cause }
            const byReference = yield* banks.byConnection(workspace.id, instanceId, completed.connection.ref)
            const known = Option.isSome(byReference) ? byReference : yield* renewed(workspace, request)
            const bank: Bank = Option.isSome(known)
              ? known.value
              : {
                  id: yield* ids.next("bank"),
                  workspaceId: workspace.id,
                  name: completed.institution.name,
                  source: driver.kind,
                  type: completed.bankType,
                  order: nextOrder(yield* withRoom(workspace)),
                  connectionStatus: status,
                  institutionId: completed.institution.id,
                  providerInstanceId: instanceId,
                  createdAt: now,
                  updatedAt: now
                }
            if (Option.isNone(known)) {
              yield* banks.insert(bank, connection)
              yield* events.append([bankConnected.of({ ...of, subjectId: bank.id, data: { bank } })])
            } else if (status.connected) {
              yield* banks.replaceConnection(bank.id, connection, status, now)
              const before = bank.connectionStatus
              yield* events.append([
                bankReconnected.of({ ...of, subjectId: bank.id, data: { bankId: bank.id } }),
                ...(before === undefined ? [] : statusEvents(bank, before, status, cause))
              ])
            }
            if (!(yield* attempts.move(attempt.id, "store", now, bank.id))) return yield* busy
            yield* leases.free(lastStep)
            // Secrets of no use, such as those of an attempt that a newer one has outrun, replace no others.
            if (Option.isSome(known) && !status.connected) return { bank, created: false, connection: undefined }
            return {
              bank: { ...bank, connectionStatus: status, updatedAt: now },
              created: Option.isNone(known),
              connection
            }
          })
        )
      })

      /** What an attempt that was completed before made. */
      const again = Effect.fnUntraced(function* (attempt: ConnectionAttempt, cause: ActorRef) {
        const { bankId, workspaceId } = attempt
        const bank = bankId === undefined ? Option.none<Bank>() : yield* banks.get(workspaceId, bankId)
        if (Option.isNone(bank) || bank.value.deletedAt !== undefined) return yield* closed(attempt)
        const held = yield* banks.accounts(bank.value.id)
        const connection = yield* banks.connection(bank.value.id)
        // Whoever completed it may have stopped before the accounts were read.
        const accounts =
          held.length > 0 || Option.isNone(connection)
            ? held
            : (yield* lists.read(bank.value, yield* sessions.open(bank.value), Effect.void, cause)).accounts
        return { bank: bank.value, created: false, accounts } satisfies Connected
      })

      const completeWith = Effect.fnUntraced(function* (
        caller: Caller,
        driver: ProviderDriver,
        request: ConnectRequest,
        begun: ConnectionAttempt,
        lease: Lease
      ) {
        const { workspace } = caller.principal
        const { cause } = caller
        const attempt = Option.getOrElse(yield* attempts.get(begun.id), () => begun)
        if (attempt.state === "completed") return yield* again(attempt, cause)
        const held = Option.isSome(yield* attempts.exchange(attempt.id))
        // Asked before anything is used up upstream.
        if (!held) yield* checkRoom(workspace, request)
        if (!(yield* attempts.move(attempt.id, "complete", yield* Timestamp.now))) return yield* closed(attempt)
        const { bank, connection, created } = yield* exchange(driver, attempt, request).pipe(
          Effect.flatMap((completed) => store(workspace, driver, request, lease, attempt, completed, cause)),
          Effect.tapError(() =>
            Effect.ignore(
              atomically(
                Effect.andThen(
                  leases.fence(lease),
                  Effect.flatMap(Timestamp.now, (now) => attempts.move(attempt.id, "giveUp", now))
                )
              )
            )
          )
        )
        const accounts =
          connection === undefined
            ? yield* banks.accounts(bank.id)
            : (yield* lists.read(bank, yield* sessions.open(bank), Effect.void, cause)).accounts
        return { bank, created, accounts } satisfies Connected
      })

      const complete = Effect.fn("Connecting.complete")(function* (caller: Caller, request: ConnectRequest) {
        yield* permit(caller, "completeConnection")
        const { id: workspaceId } = caller.principal.workspace
        const { attemptId, instanceId } = request
        const driver = yield* providers.get(instanceId)
        const now = yield* Timestamp.now
        const attempt = yield* attempts.begin({
          id: yield* ids.next("connectionAttempt"),
          workspaceId,
          instanceId,
          attemptId,
          state: "open",
          createdAt: now,
          updatedAt: now
        })
        const holder = yield* ids.next("request")
        return yield* Effect.acquireUseRelease(
          leases.take([attemptLease(attempt.id)], holder, leaseSeconds),
          (taken) =>
            Option.isNone(taken) ? Effect.fail(busy) : completeWith(caller, driver, request, attempt, taken.value[0]!),
          () => Effect.ignore(leases.free(holder))
        )
      })

      return Connecting.of({ complete })
    })
  )
}
