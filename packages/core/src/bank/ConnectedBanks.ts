/** What an exchange gave becomes a bank, or the new connection of one that is there. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ActorRef } from "../access/ActorRef.ts"
import { EventStore } from "../event/EventStore.ts"
import { Conflict, NotFound, type PlanLimitReached } from "../failure/Failure.ts"
import type { CompletedConnection, Connection } from "../provider/Connect.ts"
import { statusAfter, statusUnread, withUnread } from "../provider/ConnectionHealth.ts"
import type { ObservedAccount, ProviderDriver, ProviderSession } from "../provider/Provider.ts"
import { isProviderError, type ProviderError, ProviderUnavailable } from "../provider/ProviderError.ts"
import { CurrentPsu } from "../provider/Turns.ts"
import { Ids } from "../shared/Ids.ts"
import { nextOrder } from "../shared/Order.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Leases, type Lease } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { Workspace, WorkspaceId } from "../workspace/Workspace.ts"
import type { Account } from "./Account.ts"
import { isKnownBy, matchAccounts } from "./AccountLineage.ts"
import { AccountLists } from "./AccountList.ts"
import type { Bank, BankId } from "./Bank.ts"
import { bankConnected, bankReconnected, bankRestored, statusEvents } from "./BankEvents.ts"
import { bankRefusal, isLive, nextBankState, stateOf } from "./BankRemoval.ts"
import { BankRoom } from "./BankRoom.ts"
import { BankStore } from "./BankStore.ts"
import type { ConnectionAttempt } from "./ConnectionAttempt.ts"
import { ConnectionAttemptStore } from "./ConnectionAttemptStore.ts"
import { saveWithRetry } from "./SaveWithRetry.ts"
import { Subjects } from "./Subjects.ts"

/** Seconds in which the last transaction ends; it gives the lease back itself. */
const lastStepSeconds = 30

/**
 * Seconds for which the accounts of a new connection are waited for. An attempt that waits longer is completed without
 * them: anyone who connected the bank waits for that.
 */
const accountsSeconds = 15

/** Somebody else is at the attempt. */
export const busy = new Conflict({
  code: "INVALID_STATE",
  message: "Another request is completing this attempt. Ask again in a few seconds",
  details: []
})

/** The accounts, or why they are not there: `undefined` where they take too long. */
const listing = ({ listAccounts, unreadAccounts = Effect.succeed([]) }: ProviderSession) =>
  Effect.flatMap(listAccounts, (accounts) => Effect.map(unreadAccounts, (unread) => ({ accounts, unread }))).pipe(
    Effect.timeoutOption(Duration.seconds(accountsSeconds)),
    Effect.map((read) => (Option.isSome(read) ? read.value : { error: undefined })),
    Effect.catchIf(isProviderError, (error) => Effect.succeed({ error }))
  )

export interface Exchanged {
  readonly workspace: Workspace
  readonly driver: ProviderDriver
  readonly attempt: ConnectionAttempt
  readonly completed: CompletedConnection
  /** Of the attempt. */
  readonly lease: Lease
  /** The bank that is reconnected, also where the upstream gives it another reference. */
  readonly reconnects: BankId | undefined
  readonly cause: ActorRef
}

/** A reauth that ended at another bank: nothing of ours has changed. */
const otherInstitution = (bank: Bank, { institution }: CompletedConnection) => {
  const message = `${bank.name} is to be connected again, and the person signed in at ${institution.name}. Sign in at ${bank.name}, or connect ${institution.name} as a bank of its own`
  return new Conflict({ code: "INSTITUTION_MISMATCH", message, details: [] })
}

/**
 * Whether a connection is of the institution of a bank. Where the upstream calls it by the reference that the bank has, it is the
 * same connection, also where the upstream has since given the institution another id.
 */
const isOfInstitution = (bank: Bank, ref: string | undefined, { connection, institution }: CompletedConnection) =>
  ref === connection.ref || bank.institutionId === undefined || bank.institutionId === institution.id

export interface StoredBank {
  readonly bank: Bank
  readonly created: boolean
  /** Those that were read with it, and else those that it had. */
  readonly accounts: ReadonlyArray<Account>
}

export class ConnectedBanks extends Context.Service<
  ConnectedBanks,
  {
    /** The bank of the workspace that is to be reconnected; fails where it is gone, or cannot come back (decisions 6.1). */
    readonly renewed: (
      workspaceId: WorkspaceId,
      instanceId: string,
      id: BankId
    ) => Effect.Effect<Bank, NotFound | Conflict | StorageUnavailable>
    /** Opens what an exchange gave, before a bank has it: secrets that rotate are kept with the attempt. */
    readonly open: (
      attempt: ConnectionAttempt,
      driver: ProviderDriver,
      completed: CompletedConnection
    ) => Effect.Effect<
      { readonly session: ProviderSession; readonly current: () => Connection },
      ProviderError | StorageUnavailable
    >
    /** Keeps what the exchange gave with its attempt, with retries. */
    readonly keep: (
      attempt: ConnectionAttempt,
      completed: CompletedConnection
    ) => Effect.Effect<void, StorageUnavailable>
    /**
     * Makes the bank or reconnects it, with its accounts, in one transaction with the end of the attempt: anyone who sees
     * the end sees the accounts. Where they cannot be read in time, the status of the bank says so.
     */
    readonly store: (
      exchanged: Exchanged
    ) => Effect.Effect<StoredBank, ProviderError | PlanLimitReached | Conflict | NotFound | StorageUnavailable>
  }
>()("@millrace/core/bank/ConnectedBanks") {
  static readonly layer: Layer.Layer<
    ConnectedBanks,
    never,
    BankStore | BankRoom | ConnectionAttemptStore | AccountLists | Subjects | Leases | EventStore | Ids | Transactor
  > = Layer.effect(
    ConnectedBanks,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const attempts = yield* ConnectionAttemptStore
      const lists = yield* AccountLists
      const room = yield* BankRoom
      const subjects = yield* Subjects
      const leases = yield* Leases
      const events = yield* EventStore
      const ids = yield* Ids
      const { atomically } = yield* Transactor

      const renewed = Effect.fnUntraced(function* (workspaceId: WorkspaceId, instanceId: string, id: BankId) {
        const bank = Option.filter(
          yield* banks.get(workspaceId, id),
          ({ providerInstanceId }) => providerInstanceId === instanceId
        )
        if (Option.isNone(bank)) return yield* new NotFound({ resource: "Bank" })
        const state = stateOf(bank.value)
        return nextBankState(state, "reconnect") === "live" ? bank.value : yield* bankRefusal(state, "reconnect")
      })

      const keep = (attempt: ConnectionAttempt, completed: CompletedConnection) =>
        saveWithRetry(Effect.flatMap(Timestamp.now, (now) => attempts.keepExchange(attempt.id, completed, now)))

      const open = Effect.fnUntraced(function* (
        attempt: ConnectionAttempt,
        driver: ProviderDriver,
        completed: CompletedConnection
      ) {
        let current: Connection = completed.connection
        const psu = yield* CurrentPsu
        const session = yield* driver.open({
          connection: current,
          subject: yield* subjects.of(attempt.workspaceId, driver.instanceId),
          ...(psu === undefined ? {} : { psu }),
          keep: (secrets) => {
            const newer = { ref: current.ref, secrets: { ...current.secrets, ...secrets } }
            return Effect.mapError(
              Effect.tap(keep(attempt, { ...completed, connection: newer }), () =>
                Effect.sync(() => {
                  current = newer
                })
              ),
              () =>
                new ProviderUnavailable({ message: "New secrets of the connection could not be kept", retryAfter: 60 })
            )
          }
        })
        return { session, current: () => current }
      })

      /**
       * The bank of the institution that has exactly these accounts: the same person has signed in again, and the upstream made
       * another connection of it.
       */
      const withAccounts = Effect.fnUntraced(function* (
        workspaceId: WorkspaceId,
        instanceId: string,
        { institution }: CompletedConnection,
        observed: ReadonlyArray<ObservedAccount>
      ) {
        if (observed.length === 0) return Option.none<Bank>()
        for (const bank of yield* banks.list([workspaceId])) {
          if (!isLive(bank) || bank.providerInstanceId !== instanceId || bank.institutionId !== institution.id) continue
          const held = (yield* banks.accounts(bank.id)).filter(({ state }) => state === "open")
          if (held.length !== observed.length) continue
          const matched = matchAccounts(held, observed)
          const isSame = observed.every((one) => {
            const account = matched.get(one)
            return account !== undefined && isKnownBy(account, one)
          })
          if (isSame) return Option.some(bank)
        }
        return Option.none<Bank>()
      })

      const store = Effect.fn("ConnectedBanks.store")(function* (exchanged: Exchanged) {
        const { attempt, cause, completed, driver, lease, reconnects, workspace } = exchanged
        const { instanceId } = driver
        const { current, session } = yield* open(attempt, driver, completed)
        const inspected = yield* session.inspect
        const { consentExpiresAt } = completed
        const health = consentExpiresAt === undefined ? inspected : { consentExpiresAt, ...inspected }
        const looked = statusAfter(undefined, health, yield* Timestamp.now)
        const listed = looked.connected ? yield* listing(session) : undefined
        const now = yield* Timestamp.now
        const status =
          listed === undefined
            ? looked
            : "accounts" in listed
              ? statusAfter(undefined, withUnread(health, listed.unread), now)
              : statusUnread(looked, listed.error, now)
        const connection = { instanceId, connection: current() }
        const request = yield* attempts.part(attempt.id, "request")
        const isForced = Option.isSome(request) && request.value.forceNewConnection === true
        const lastStep = `${lease.holder} last step`
        return yield* atomically(
          Effect.gen(function* () {
            yield* Effect.catchTag(leases.fence(lease), "LeaseLost", () => Effect.fail(busy))
            // One at a time in a workspace: two attempts could be of one connection, or of the last room in the plan.
            const alone = yield* leases.take([`connections:${workspace.id}`], lastStep, lastStepSeconds)
            if (Option.isNone(alone)) return yield* busy
            const of = { workspaceId: workspace.id, cause }
            const { ref } = completed.connection
            const meant =
              reconnects === undefined
                ? Option.none<Bank>()
                : Option.some(yield* renewed(workspace.id, instanceId, reconnects))
            if (Option.isSome(meant)) {
              const held = Option.getOrUndefined(yield* banks.connection(meant.value.id))?.connection.ref
              if (!isOfInstitution(meant.value, held, completed)) return yield* otherInstitution(meant.value, completed)
            }
            const byReference = yield* banks.byConnection(workspace.id, instanceId, ref)
            const byAccounts =
              Option.isSome(byReference) || Option.isSome(meant) || isForced || listed === undefined
                ? Option.none<Bank>()
                : yield* withAccounts(workspace.id, instanceId, completed, "accounts" in listed ? listed.accounts : [])
            const live = Option.orElse(
              Option.orElse(byReference, () => meant),
              () => byAccounts
            )
            // One that was deleted comes back where the same connection does.
            const known = Option.isSome(live)
              ? live
              : yield* banks.byConnection(workspace.id, instanceId, ref, "deleted")
            const bank: Bank = Option.isSome(known)
              ? known.value
              : {
                  id: yield* ids.next("bank"),
                  workspaceId: workspace.id,
                  name: completed.institution.name,
                  source: driver.kind,
                  type: completed.bankType,
                  order: nextOrder(yield* room.need(workspace)),
                  connectionStatus: status,
                  institutionId: completed.institution.id,
                  providerInstanceId: instanceId,
                  createdAt: now,
                  updatedAt: now
                }
            const state = Option.isSome(known) ? stateOf(known.value) : undefined
            if (state !== undefined && nextBankState(state, "reconnect") !== "live") {
              return yield* bankRefusal(state, "reconnect")
            }
            // It took no room while it was deleted.
            if (state === "deleted") yield* room.need(workspace)
            if (Option.isNone(known)) {
              yield* banks.insert(bank, connection)
              yield* events.append([bankConnected.of({ ...of, subjectId: bank.id, data: { bank } })])
            } else if (status.connected) {
              // Nobody joins accounts of it meanwhile.
              yield* banks.hold(workspace.id, bank.id)
              if (state !== "live") {
                yield* banks.setLife(bank.id, {}, now)
                yield* events.append([bankRestored.of({ ...of, subjectId: bank.id, data: { bankId: bank.id } })])
              }
              yield* banks.replaceConnection(bank.id, connection, status, now)
              const before = bank.connectionStatus
              yield* events.append([
                bankReconnected.of({ ...of, subjectId: bank.id, data: { bankId: bank.id } }),
                ...(before === undefined ? [] : statusEvents(bank, before, status, cause))
              ])
            }
            if (!(yield* attempts.move(attempt.id, "store", now, { bankId: bank.id }))) return yield* busy
            yield* leases.free(lastStep)
            // Useless secrets, such as those of an attempt that a newer one has outrun, replace no others.
            if (Option.isSome(known) && !status.connected) {
              return { bank, created: false, accounts: yield* banks.accounts(bank.id) }
            }
            const accounts =
              listed !== undefined && "accounts" in listed
                ? (yield* lists.write(bank, listed.accounts, listed.unread, cause)).accounts
                : yield* banks.accounts(bank.id)
            const { deletedAt: _, removal: _r, ...kept } = bank
            return {
              bank: { ...kept, connectionStatus: status, updatedAt: now },
              created: Option.isNone(known),
              accounts
            }
          })
        )
      })

      return ConnectedBanks.of({ keep, open, renewed, store })
    })
  )
}
