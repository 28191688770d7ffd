/**
 * Beginning a connection (decisions 6.3): an attempt, and the step that the person's browser goes on with.
 *
 * What could be lost is stored first: the attempt, whose connection it will be upstream, and each secret before the driver
 * goes on.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { permit, reach } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import { credentialOf } from "../access/Principal.ts"
import { Conflict, InvalidInput, type Forbidden, NotFound, type PlanLimitReached } from "../failure/Failure.ts"
import type { BeginConnect, ClientStep, Connection } from "../provider/Connect.ts"
import type { ProviderDriver } from "../provider/Provider.ts"
import { isProviderError, type ProviderError, ProviderUnavailable } from "../provider/ProviderError.ts"
import { Providers, type ProviderNotAvailable } from "../provider/Providers.ts"
import { CurrentPsu } from "../provider/Turns.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Ids.ts"
import { decode } from "../shared/StrictDecoding.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { natureOf, needsAnother, type Bank, type BankId } from "./Bank.ts"
import { bankRefusal, isLive, nextBankState, stateOf } from "./BankRemoval.ts"
import { BankRoom } from "./BankRoom.ts"
import { BankStore } from "./BankStore.ts"
import { CurrentConnectAddresses, landingOf, pageOf, webhookOf } from "./ConnectAddresses.ts"
import { existingFlow, flowOf, isHosted } from "./ConnectFlow.ts"
import { attemptErrorOf } from "./Connecting.ts"
import { attemptMinutes, type ConnectionAttempt } from "./ConnectionAttempt.ts"
import { attemptKeeper } from "./AttemptSecrets.ts"
import { ConnectionAttemptStore } from "./ConnectionAttemptStore.ts"
import { KnownInstitutions } from "./InstitutionNames.ts"
import { type ConnectionRequest, countriesOf, type KeptRequest } from "./ConnectionRequest.ts"
import { redirectFault } from "./RedirectUri.ts"
import { Subjects } from "./Subjects.ts"

/** A bank that is connected already, where another connection of its institution is asked for. */
export interface ExistingBank {
  readonly id: BankId
  readonly name: string
  readonly requiresReauth: boolean
}

interface StartedAttempt {
  readonly attempt: ConnectionAttempt
  /** The page of this installation on which a person goes through it; absent where it serves none. */
  readonly page: string | undefined
}

export type Started =
  | (StartedAttempt & { readonly step: ClientStep })
  | (StartedAttempt & {
      readonly step: undefined
      readonly existingBanks: ReadonlyArray<ExistingBank>
      /** Whether the plan has room for another one. */
      readonly canCreateAdditional: boolean
    })

export type StartFailure =
  | ProviderNotAvailable
  | ProviderError
  | PlanLimitReached
  | InvalidInput
  | Conflict
  | NotFound
  | Forbidden
  | StorageUnavailable

const stateLength = 43
const healthy: ReadonlySet<string> = new Set(["connected", "pending", "degraded"])

const existingOf = ({ connectionStatus, id, name }: Bank): ExistingBank => ({
  id,
  name,
  requiresReauth: connectionStatus !== undefined && !healthy.has(connectionStatus.status)
})

const invalid = (field: string, message: string) =>
  new InvalidInput({
    code: "INVALID_REQUEST",
    message: `Request is invalid: ${field} ${message}`,
    details: [{ field, message }]
  })

/** What upstreams refuse of a request is mostly the institution that it names. */
const refusedField = ({ brokerageSlug, institutionId }: ConnectionRequest): string =>
  institutionId !== undefined ? "institutionId" : brokerageSlug !== undefined ? "brokerageSlug" : "providerInstanceId"

/** The fields that the driver reads, decoded by its own Schema; those of others never reach it. */
const optionsOf = (
  { connectOptions }: ProviderDriver,
  request: ConnectionRequest
): Result.Result<BeginConnect["options"], InvalidInput> => {
  if (connectOptions === undefined) return Result.succeed({})
  const read = new Set(connectOptions.fields)
  const own = Object.fromEntries(
    Object.entries(request).filter(([name, value]) => read.has(name) && value !== undefined)
  )
  return Result.mapError(
    decode(connectOptions.schema as Schema.Codec<BeginConnect["options"], unknown>, own),
    (faults) => {
      const [first] = faults
      return new InvalidInput({
        code: "INVALID_REQUEST",
        message: `Request is invalid: ${first === undefined ? "wrong shape" : `${first.field} ${first.message}`}`,
        details: faults
      })
    }
  )
}

const checkRedirect = ({ redirectUri }: ConnectionRequest) => {
  const fault = redirectUri === undefined ? undefined : redirectFault(redirectUri)
  return fault === undefined ? Effect.void : Effect.fail(invalid("redirectUri", fault))
}

export class ConnectionStart extends Context.Service<
  ConnectionStart,
  {
    /**
     * Begins a connection. Where a live bank of the institution exists already, and another connection is not asked for
     * in so many words, it tells that bank instead of a step.
     */
    readonly start: (
      caller: Caller,
      /** With the name of the institution where an earlier attempt knew it. */
      request: ConnectionRequest & Pick<KeptRequest, "institutionName">
    ) => Effect.Effect<Started, StartFailure>
    /** Starts to reconnect a bank: completing it keeps the bank, its accounts and the ids of its records. */
    readonly reauth: (
      caller: Caller,
      id: BankId,
      request: Pick<ConnectionRequest, "redirectUri" | "language">
    ) => Effect.Effect<Started & { readonly step: ClientStep }, StartFailure>
    /**
     * Goes on with an attempt that asked which bank is meant: one of those that it told, or another one. The customer that it began
     * for is `caller`.
     */
    readonly choose: (
      caller: Caller,
      attempt: ConnectionAttempt,
      /** The state that its browser showed. */
      state: string,
      bankId: BankId | undefined
    ) => Effect.Effect<ClientStep, StartFailure>
    /** The banks that an attempt without a step asks about. */
    readonly existing: (attempt: ConnectionAttempt) => Effect.Effect<ReadonlyArray<ExistingBank>, StorageUnavailable>
  }
>()("@millrace/core/bank/ConnectionStart") {
  static readonly layer: Layer.Layer<
    ConnectionStart,
    never,
    BankStore | BankRoom | ConnectionAttemptStore | Subjects | Providers | Ids | Digest | Transactor
  > = Layer.effect(
    ConnectionStart,
    Effect.gen(function* () {
      const banks = yield* BankStore
      const room = yield* BankRoom
      const attempts = yield* ConnectionAttemptStore
      const keeperOf = yield* attemptKeeper
      const subjects = yield* Subjects
      const providers = yield* Providers
      const ids = yield* Ids
      const digest = yield* Digest
      const { atomically } = yield* Transactor
      const names = yield* KnownInstitutions
      const addresses = yield* CurrentConnectAddresses

      const pageFor = (state: string) => (addresses === undefined ? undefined : pageOf(addresses, state))

      /** The attempt, stored before anybody is asked, and the state by which its browser is known. */
      const begin = Effect.fnUntraced(function* (caller: Caller, request: KeptRequest, reconnects?: BankId) {
        const [id, now] = [yield* ids.next("connectionAttempt"), yield* Timestamp.now]
        const state = digest.randomText(stateLength)
        const { institutionId, providerInstanceId: instanceId, redirectUri } = request
        const begun: ConnectionAttempt = {
          id,
          workspaceId: caller.principal.workspace.id,
          instanceId,
          attemptId: id,
          state: "open",
          expiresAt: Timestamp.fromMillis(Timestamp.toMillis(now) + attemptMinutes.most * 60_000),
          credential: credentialOf(caller.principal),
          createdBy: caller.cause,
          stateHash: digest.sha256(state),
          ...(reconnects === undefined ? {} : { reconnects }),
          ...(institutionId === undefined ? {} : { institutionId }),
          ...(redirectUri === undefined ? {} : { redirectUri }),
          createdAt: now,
          updatedAt: now
        }
        const attempt = yield* atomically(
          Effect.andThen(subjects.begin(begun.workspaceId, instanceId), attempts.begin(begun))
        )
        if (reconnects !== undefined) yield* attempts.supersede({ ...attempt, reconnects }, now)
        const institutionName =
          institutionId === undefined ? undefined : (names.nameOf(instanceId, institutionId) ?? request.institutionName)
        yield* attempts.keep(
          id,
          "request",
          institutionName === undefined ? request : { ...request, institutionName },
          now
        )
        return { attempt, state }
      })

      const fail = (attempt: ConnectionAttempt, error: ProviderError) =>
        Effect.flatMap(Timestamp.now, (now) =>
          Effect.ignore(attempts.move(attempt.id, "abort", now, { error: attemptErrorOf(error) }))
        )

      /** Asks the upstream for the step; what it says of secrets is kept as it comes. */
      const ask = Effect.fnUntraced(function* (
        driver: ProviderDriver,
        attempt: ConnectionAttempt,
        request: ConnectionRequest,
        state: string | undefined,
        bank: Bank | undefined
      ) {
        const { instanceId, workspaceId } = attempt
        const options = yield* Effect.fromResult(optionsOf(driver, request))
        const psu = yield* CurrentPsu
        const connection =
          bank === undefined || needsAnother(bank)
            ? undefined
            : Option.getOrUndefined(yield* banks.connection(bank.id))?.connection
        const noteBegun = (begunAs: "another" | "repair") =>
          Effect.flatMap(Timestamp.now, (now) => attempts.keep(attempt.id, "request", { ...request, begunAs }, now))
        if (bank !== undefined) yield* noteBegun(connection === undefined ? "another" : "repair")
        const institutionId = request.institutionId ?? bank?.institutionId
        const redirectUri =
          addresses === undefined || state === undefined ? request.redirectUri : landingOf(addresses, instanceId, state)
        const webhookUrl =
          addresses === undefined || !driver.capabilities.webhooks ? undefined : webhookOf(addresses, instanceId)
        const { countryCodes, email, language } = request
        const begun = Effect.fnUntraced(function* (reconnect: Connection | undefined) {
          return yield* driver.beginConnect({
            attemptId: attempt.attemptId,
            subject: yield* subjects.of(workspaceId, instanceId),
            options,
            ...(email === undefined ? {} : { email }),
            ...(institutionId === undefined ? {} : { institutionId }),
            ...(countryCodes === undefined ? {} : { countryCodes: countriesOf(countryCodes) }),
            ...(language === undefined ? {} : { language }),
            ...(redirectUri === undefined ? {} : { redirectUri }),
            ...(webhookUrl === undefined ? {} : { webhookUrl }),
            ...(reconnect === undefined ? {} : { reconnect }),
            ...(psu === undefined ? {} : { psu }),
            keepSubject: subjects.keeper(workspaceId, instanceId),
            keepAttempt: keeperOf(attempt.id)
          })
        })
        // The upstream may have lost the connection, or the customer that it belonged to, since anybody looked.
        const another = connection === undefined ? Effect.void : noteBegun("another")
        const step = yield* begun(connection).pipe(
          Effect.catchTag("ConnectionGone", () => Effect.andThen(another, begun(undefined))),
          // Anyone who starts now cannot reconnect: what is lost again is the provider's trouble.
          Effect.catchTag("ConnectionGone", ({ message }) => Effect.fail(new ProviderUnavailable({ message }))),
          Effect.tapError((error) => (isProviderError(error) ? fail(attempt, error) : Effect.void)),
          Effect.catchTag("InvalidConnectPayload", ({ message }) =>
            Effect.fail(invalid(refusedField(request), `is refused by the provider: ${message}`))
          )
        )
        const now = yield* Timestamp.now
        const minutes = isHosted(step.kind) ? attemptMinutes.hosted : attemptMinutes.most
        const latest = Timestamp.fromMillis(Timestamp.toMillis(attempt.createdAt) + minutes * 60_000)
        const expiresAt = step.expiresAt < latest ? step.expiresAt : latest
        const shown: ClientStep =
          "url" in step && step.url.startsWith("/") && addresses !== undefined
            ? { ...step, url: addresses.base + step.url, expiresAt }
            : { ...step, expiresAt }
        yield* attempts.keep(attempt.id, "step", shown, now)
        const flow = flowOf(driver.kind, step.kind)
        const reconnects = bank === undefined ? {} : { reconnects: bank.id }
        yield* attempts.setStep(attempt.id, { flow, expiresAt, ...reconnects }, now)
        return { attempt: { ...attempt, flow, expiresAt, ...reconnects }, step: shown }
      })

      const ofInstitution = Effect.fnUntraced(function* (
        workspaceId: ConnectionAttempt["workspaceId"],
        { brokerageSlug, institutionId, providerInstanceId }: ConnectionRequest
      ) {
        const wanted = [institutionId, brokerageSlug].filter((id) => id !== undefined)
        if (wanted.length === 0) return []
        return (yield* banks.list([workspaceId])).filter(
          (bank) =>
            isLive(bank) &&
            natureOf(bank) === "connected" &&
            bank.providerInstanceId === providerInstanceId &&
            bank.institutionId !== undefined &&
            wanted.includes(bank.institutionId)
        )
      })

      const hasRoom = (caller: Caller) =>
        room.need(caller.principal.workspace).pipe(
          Effect.as(true),
          Effect.catchTag("PlanLimitReached", () => Effect.succeed(false))
        )

      const start = Effect.fn("ConnectionStart.start")(function* (
        caller: Caller,
        request: ConnectionRequest & Pick<KeptRequest, "institutionName">
      ) {
        yield* permit(caller, "startConnection")
        const driver = yield* providers.get(request.providerInstanceId)
        yield* checkRedirect(request)
        yield* Effect.fromResult(optionsOf(driver, request))
        const { workspace } = caller.principal
        const known = request.forceNewConnection === true ? [] : yield* ofInstitution(workspace.id, request)
        if (known.length > 0) {
          const { attempt, state } = yield* begin(caller, request)
          const { expiresAt } = attempt
          yield* attempts.setStep(attempt.id, { flow: existingFlow, expiresAt }, yield* Timestamp.now)
          return {
            attempt: { ...attempt, flow: existingFlow },
            page: pageFor(state),
            step: undefined,
            existingBanks: known.map(existingOf),
            canCreateAdditional: yield* hasRoom(caller)
          }
        }
        yield* room.need(workspace)
        const { attempt, state } = yield* begin(caller, request)
        return { ...(yield* ask(driver, attempt, request, state, undefined)), page: pageFor(state) }
      })

      const renewable = Effect.fnUntraced(function* (bank: Bank) {
        const { providerInstanceId } = bank
        if (providerInstanceId !== undefined && natureOf(bank) === "connected") return providerInstanceId
        return yield* new Conflict({
          code: "INVALID_STATE",
          message: "Bank is made of files: nothing of it can be reconnected",
          details: []
        })
      })

      const reauth = Effect.fn("ConnectionStart.reauth")(function* (
        caller: Caller,
        id: BankId,
        { language, redirectUri }: Pick<ConnectionRequest, "redirectUri" | "language">
      ) {
        const found = yield* banks.get(caller.principal.workspace.id, id)
        const bank = yield* reach(caller, "reauthConnection", "Bank", found)
        const life = stateOf(bank)
        if (life === "deleted") return yield* new NotFound({ resource: "Bank" })
        if (nextBankState(life, "reconnect") !== "live") return yield* bankRefusal(life, "reconnect")
        const driver = yield* providers.get(yield* renewable(bank))
        const request: ConnectionRequest = {
          providerInstanceId: driver.instanceId,
          ...(language === undefined ? {} : { language }),
          ...(redirectUri === undefined ? {} : { redirectUri })
        }
        yield* checkRedirect(request)
        const { attempt, state } = yield* begin(caller, request, bank.id)
        return { ...(yield* ask(driver, attempt, request, state, bank)), page: pageFor(state) }
      })

      const requestOf = Effect.fnUntraced(function* (attempt: ConnectionAttempt) {
        return Option.getOrElse(yield* attempts.part(attempt.id, "request"), (): KeptRequest => ({
          providerInstanceId: attempt.instanceId
        }))
      })

      const choose = Effect.fn("ConnectionStart.choose")(function* (
        caller: Caller,
        attempt: ConnectionAttempt,
        state: string,
        bankId: BankId | undefined
      ) {
        yield* permit(caller, "startConnection")
        const held = yield* attempts.part(attempt.id, "step")
        // Anyone who goes back to the question has answered it.
        if (Option.isSome(held)) return held.value
        const driver = yield* providers.get(attempt.instanceId)
        const request = yield* requestOf(attempt)
        const bank =
          bankId === undefined
            ? undefined
            : (yield* ofInstitution(attempt.workspaceId, request)).find(({ id }) => id === bankId)
        if (bankId !== undefined && bank === undefined) {
          return yield* invalid("bankId", "is none of the banks that this attempt asks about")
        }
        if (bank === undefined) yield* room.need(caller.principal.workspace)
        return (yield* ask(driver, attempt, request, state, bank)).step
      })

      return ConnectionStart.of({
        start,
        reauth,
        choose,
        existing: Effect.fn("ConnectionStart.existing")(function* (attempt) {
          return (yield* ofInstitution(attempt.workspaceId, yield* requestOf(attempt))).map(existingOf)
        })
      })
    })
  )
}
