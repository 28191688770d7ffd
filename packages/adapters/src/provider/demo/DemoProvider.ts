/**
 * The built-in demo provider: a few institutions with about two years of varied, repeatable history that
 * moves on with the clock, and scripted incidents.
 *
 * All data are a pure function of the seed, the connection's reference and the present instant. The driver
 * keeps nothing, so a restarted server sees the same bank, and two calls at one instant are equal.
 */
import {
  type BeginConnect,
  type Capabilities,
  CheckpointInvalid,
  type CompleteConnect,
  type CompletedConnection,
  type Connection,
  ConnectionGone,
  type Institution,
  InvalidConnectPayload,
  MutationDuringPagination,
  type ProviderDriver,
  type ProviderError,
  type ProviderFactory,
  type PullRequest
} from "@millrace/core/provider"
import { Timestamp } from "@millrace/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { observedAccounts } from "./Accounts.ts"
import { type DemoConnection, fromInput, fromRef, toRef, worldKey } from "./DemoConnection.ts"
import { health, incident } from "./Incident.ts"
import { defaultInstitution, institutionOf, institutions, type InstitutionId, isInstitution } from "./Institutions.ts"
import { page } from "./Pages.ts"
import { slowPage } from "./Scenario.ts"
import { readCheckpoint, readPosition } from "./Token.ts"
import { world } from "./World.ts"

export interface DemoOptions {
  /** Another seed is another set of people and banks. */
  readonly seed?: string
  /** `demo:default` when absent. */
  readonly instanceId?: string
}

const attemptMillis = 30 * 60_000

const capabilities: Capabilities = {
  connectFlow: "portal",
  dataTypes: {
    transactions: {
      changeModel: "delta",
      scope: "connection",
      idTrust: "perStatus",
      historyDays: 730,
      overlapDays: 10
    },
    trades: { changeModel: "snapshotWindow", scope: "account", idTrust: "stable", historyDays: 730, overlapDays: 10 },
    holdings: { changeModel: "snapshotFull", scope: "account", idTrust: "stable", historyDays: 0, overlapDays: 0 },
    orders: { changeModel: "snapshotFull", scope: "account", idTrust: "stable", historyDays: 0, overlapDays: 0 },
    loans: { changeModel: "snapshotFull", scope: "account", idTrust: "stable", historyDays: 0, overlapDays: 0 }
  },
  history: { defaultDays: 730, maxDays: 730 },
  pendingModel: "linked",
  reconnectKeepsIds: true,
  removal: "sync",
  freshnessSeconds: 300,
  webhooks: false
}

const describe = (id: InstitutionId): Institution => {
  const { countryCodes, name } = institutionOf(id)
  return { id, name, countryCodes, status: "ok" }
}

const everyInstitution: ReadonlyArray<Institution> = Object.keys(institutions).filter(isInstitution).map(describe)

const institutionAsked = (id: string | undefined): Effect.Effect<InstitutionId, InvalidConnectPayload> => {
  const asked = id ?? defaultInstitution
  return isInstitution(asked)
    ? Effect.succeed(asked)
    : Effect.fail(new InvalidConnectPayload({ message: "institutionId is not an institution of the demo provider" }))
}

const opened = (connection: Connection): Effect.Effect<DemoConnection, ConnectionGone> => {
  const found = fromRef(connection.ref)
  return found === undefined
    ? Effect.fail(new ConnectionGone({ message: "The demo bank does not know this connection." }))
    : Effect.succeed(found)
}

const beginConnect = Effect.fn("DemoProvider.beginConnect")(function* (request: BeginConnect) {
  const reconnected = request.reconnect === undefined ? undefined : fromRef(request.reconnect.ref)?.institution
  const institution = yield* institutionAsked(request.institutionId ?? reconnected)
  const query = new URLSearchParams({ attemptId: request.attemptId, institutionId: institution })
  // Our own page at the demo bank knows the browser by the state that it is to come back with.
  const back = request.redirectUri === undefined ? undefined : URL.parse(request.redirectUri)
  const state = back?.searchParams.get("state")
  if (state !== undefined && state !== null) query.set("state", state)
  const now = yield* Clock.currentTimeMillis
  return {
    kind: "popup",
    url: `/connect/demo?${query.toString()}`,
    expiresAt: Timestamp.fromMillis(now + attemptMillis)
  } as const
})

const completeConnect = Effect.fn("DemoProvider.completeConnect")(function* (
  request: CompleteConnect
): Effect.fn.Return<CompletedConnection, ProviderError> {
  const { payload } = request
  if (payload.kind !== "provider_connection_id") {
    return yield* new InvalidConnectPayload({ message: "the demo provider is completed with a connectionId" })
  }
  const institution = yield* institutionAsked(payload.institutionId)
  const now = yield* Clock.currentTimeMillis
  const input = fromInput(payload.connectionId, institution, now)
  if (Result.isFailure(input)) return yield* new InvalidConnectPayload({ message: input.failure })
  return {
    connection: { ref: toRef(input.success), secrets: {} },
    institution: describe(institution),
    bankType: institutionOf(institution).bankType
  }
})

const pull = Effect.fn("DemoProvider.pull")(function* (seed: string, connection: Connection, request: PullRequest) {
  const own = yield* opened(connection)
  const now = yield* Clock.currentTimeMillis
  const key = worldKey(seed, own)
  const since = request.checkpoint === undefined ? undefined : readCheckpoint(key, request.checkpoint, now)
  if (request.checkpoint !== undefined && since === undefined) {
    return yield* new CheckpointInvalid({ message: "The checkpoint is not one of this connection." })
  }
  const position =
    request.position === undefined ? { begunAt: now, offset: 0 } : readPosition(key, request, request.position, now)
  if (position === undefined) {
    return yield* new MutationDuringPagination({ message: "The position is not one of this run." })
  }
  const trouble = incident(own, now, { begunAt: position.begunAt, checkpointAt: since?.at })
  if (trouble !== undefined) return yield* trouble
  if (own.scenario === "slow") yield* Effect.sleep(slowPage)
  return yield* page(world(seed, own, position.begunAt), request, position, since)
})

/** Needs nothing but the clock of the caller. */
export const make = (options: DemoOptions = {}): ProviderDriver => {
  const seed = options.seed ?? "millrace"
  return {
    kind: "demo",
    instanceId: options.instanceId ?? "demo:default",
    name: "Demo",
    countryCodes: ["JP", "KW", "US"],
    capabilities,
    listInstitutions: ({ countryCodes, limit, text }) => {
      const wanted = text.trim().toLowerCase()
      return Effect.succeed(
        everyInstitution
          .filter(
            (one) =>
              one.name.toLowerCase().includes(wanted) &&
              (countryCodes.length === 0 || one.countryCodes.some((code) => countryCodes.includes(code)))
          )
          .slice(0, limit)
      )
    },
    beginConnect,
    completeConnect,
    open: ({ connection }) =>
      Effect.succeed({
        inspect: Effect.gen(function* () {
          const own = fromRef(connection.ref)
          if (own === undefined) {
            return {
              status: "disconnected",
              errorCode: "CONNECTION_GONE",
              errorMessage: "The demo bank does not know this connection."
            } as const
          }
          return health(own, yield* Clock.currentTimeMillis)
        }).pipe(Effect.withSpan("DemoProvider.inspect")),
        listAccounts: Effect.gen(function* () {
          const own = yield* opened(connection)
          return observedAccounts(world(seed, own, yield* Clock.currentTimeMillis))
        }).pipe(Effect.withSpan("DemoProvider.listAccounts")),
        pull: (request) => pull(seed, connection, request),
        // Nothing is kept, so there is nothing to take away.
        revoke: Effect.succeed("done" as const)
      })
  }
}

const Config = Schema.Struct({
  /** From which everything that the banks show follows. */
  seed: Schema.optionalKey(
    Schema.String.check(Schema.isBetweenLength(1, 100)).annotate({
      description: "from which all data of its banks follows"
    })
  )
})

export const factory: ProviderFactory<typeof Config.Type> = {
  kind: "demo",
  label: "Demo",
  Config,
  make: ({ config, instanceId }) => Effect.succeed(make({ instanceId, ...config }))
}
