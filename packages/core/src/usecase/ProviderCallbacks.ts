/**
 * Callbacks of providers (decisions 5.9): believed by their signature alone, taken in once and durably, and answered at
 * once. They schedule work and carry nothing into storage.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { CurrentConnectAddresses, webhookOf } from "../bank/ConnectAddresses.ts"
import { ReceivedWebhooks } from "../bank/ReceivedWebhooks.ts"
import { NotFound, ServerBusy } from "../failure/Failure.ts"
import { isUsable } from "../provider/ConnectionHealth.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import { Providers } from "../provider/Providers.ts"
import type { Poke, WebhookRefused } from "../provider/Webhook.ts"
import { Digest } from "../shared/Digest.ts"
import type { Ids } from "../shared/Ids.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { Tasks } from "../task/Tasks.ts"
import type { TaskStore } from "../task/TaskStore.ts"
import { acrossTenants } from "../workspace/TenantScope.ts"
import { pokeTask, type PokePayload } from "./PokeTaskKind.ts"

/** A request of a provider that nothing is believed of yet. */
export interface Callback {
  readonly rawBody: Uint8Array
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>
  /** As in `InboundWebhook`. */
  readonly attemptId?: string
}

/** Milliseconds after which a callback that is not taken in is refused, so that its provider sends it again. */
const answerMillis = 2_000
/** Callbacks that one process looks at at a time, and those that may wait for it: of a flood the rest is asked to come later. */
const places = 16
const mostWaiting = 256
/** Pokes that one callback may hold; who sends more sends nonsense. */
const mostPokes = 1_000

/** What the driver made of a callback, as a task: all that can be asked for is asked for, where it says nothing. */
const payloadOf = (instanceId: string, poke: Poke): PokePayload => {
  const { attemptId, connectionRef, dataTypes, health, repaired, result, subjectRef } = poke
  const isAbout = connectionRef !== undefined || subjectRef !== undefined
  const broken = health !== undefined && !isUsable(health.status)
  return {
    instanceId,
    ...(connectionRef === undefined ? {} : { connectionRef }),
    ...(subjectRef === undefined ? {} : { subjectRef }),
    ...(attemptId === undefined ? {} : { attemptId }),
    ...(dataTypes === undefined ? {} : { dataTypes: [...new Set(dataTypes)].toSorted() }),
    ...(result === undefined ? {} : { result }),
    check: isAbout && (health !== undefined || repaired === true),
    pull: isAbout && !broken && (result === undefined || result === "connected")
  }
}

/** Such as a key that could not be fetched: whether it is genuine is not known, and it comes again. */
const unjudged = (error: ProviderError): Effect.Effect<never, ServerBusy> =>
  Effect.andThen(Effect.logWarning("A callback could not be judged", error), Effect.fail(new ServerBusy()))

const refused = (providerInstanceId: string, error: WebhookRefused): Effect.Effect<never, WebhookRefused> =>
  Effect.andThen(
    Effect.logWarning("A callback was refused", { providerInstanceId, reason: error.message }),
    Effect.fail(error)
  )

export class ProviderCallbacks extends Context.Service<
  ProviderCallbacks,
  {
    /**
     * Takes a callback in: what follows from it is stored as tasks before this returns, or it fails. A repeat does nothing.
     * `NotFound` where the instance is unknown or has no callbacks; `ServerBusy` where there are too many at once, or it
     * could not be judged or stored in time: then its provider sends it again.
     */
    readonly receive: (
      instanceId: string,
      callback: Callback
    ) => Effect.Effect<void, NotFound | WebhookRefused | ServerBusy | StorageUnavailable>
  }
>()("@millrace/core/usecase/ProviderCallbacks") {
  static readonly layer: Layer.Layer<
    ProviderCallbacks,
    never,
    Providers | ReceivedWebhooks | TaskStore | Transactor | Digest | Ids
  > = Layer.effect(
    ProviderCallbacks,
    Effect.gen(function* () {
      // Requests have the context of their server, not the one that this layer was made with.
      const addresses = yield* CurrentConnectAddresses
      const providers = yield* Providers
      const received = yield* ReceivedWebhooks
      const tasks = yield* Tasks
      const digest = yield* Digest
      const { atomically } = yield* Transactor
      const room = Semaphore.makeUnsafe(places)
      let waiting = 0

      const take = Effect.fnUntraced(function* (instanceId: string, { rawBody }: Callback, pokes: ReadonlyArray<Poke>) {
        const body = digest.sha256(rawBody)
        const byKey = new Map<string, Poke>()
        for (const [at, poke] of pokes.slice(0, mostPokes).entries()) {
          byKey.set(poke.eventId === undefined ? `${body} ${at}` : digest.sha256(`event ${poke.eventId}`), poke)
        }
        yield* atomically(
          Effect.gen(function* () {
            const fresh = yield* received.note(instanceId, [...byKey.keys()])
            const payloads = [...byKey].flatMap(([key, poke]) => (fresh.has(key) ? [payloadOf(instanceId, poke)] : []))
            yield* tasks.enqueue(
              pokeTask,
              ...payloads.map((payload) => ({ payload, key: digest.sha256(JSON.stringify(payload)) }))
            )
          })
        )
      })

      const receive: ProviderCallbacks["Service"]["receive"] = Effect.fn("ProviderCallbacks.receive")(
        function* (instanceId, callback) {
          const driver = Option.getOrUndefined(yield* Effect.option(providers.get(instanceId)))
          const verify = driver?.capabilities.webhooks === true ? driver.verifyWebhook : undefined
          if (driver === undefined || verify === undefined) {
            return yield* new NotFound({ resource: "Provider instance" })
          }
          if (waiting >= mostWaiting + places) return yield* new ServerBusy()
          const now = yield* Clock.currentTimeMillis
          // Said where no address is public, too: then no provider signs one.
          const url = (addresses === undefined ? undefined : webhookOf(addresses, instanceId)) ?? ""
          const verified = Effect.catch(
            verify({ ...callback, url, now }),
            (error): Effect.Effect<never, WebhookRefused | ServerBusy> =>
              error._tag === "WebhookRefused" ? refused(instanceId, error) : unjudged(error)
          )
          const work = Effect.flatMap(verified, (pokes) => take(instanceId, callback, pokes))
          waiting++
          yield* room
            .withPermits(1)(work)
            .pipe(
              Effect.timeoutOrElse({ duration: answerMillis, orElse: () => Effect.fail(new ServerBusy()) }),
              Effect.ensuring(Effect.sync(() => void waiting--)),
              acrossTenants("provider callbacks")
            )
        }
      )

      return ProviderCallbacks.of({ receive })
    })
  ).pipe(Layer.provide(Tasks.layer))
}
