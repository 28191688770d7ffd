/**
 * Drivers whose errors are heeded by all processes: what one is asked to wait for, no other asks for earlier. Drivers
 * themselves know nothing of it.
 */
import * as Effect from "effect/Effect"
import { type Upstream, UpstreamBudget } from "../rate/UpstreamBudget.ts"
import { hintSeconds } from "./Hint.ts"
import type { ProviderDriver, ProviderSession } from "./Provider.ts"
import {
  InstitutionUnavailable,
  NotReady,
  type ProviderError,
  ProviderUnavailable,
  RateLimited
} from "./ProviderError.ts"
import { heldLine } from "./Turns.ts"
import type { WebhookRefused } from "./Webhook.ts"

const byConnection = new Set<RateLimited["scope"]>(["connection", "account"])

const isSensible = (hint: number | undefined): boolean => hint === undefined || hintSeconds(hint) === hint

/** The error with a wait that can be kept (`hintSeconds`). */
export const sensible = (error: ProviderError): ProviderError => {
  if (!("retryAfter" in error) || isSensible(error.retryAfter)) return error
  // A message is no own property that is spread.
  const { message } = error
  const retryAfter = hintSeconds(error.retryAfter)
  switch (error._tag) {
    case "RateLimited":
      return new RateLimited({ ...error, message, retryAfter })
    case "NotReady":
      return new NotReady({ ...error, message, retryAfter })
    case "InstitutionUnavailable":
      return new InstitutionUnavailable({ ...error, message, retryAfter })
    case "ProviderUnavailable":
      return new ProviderUnavailable({ ...error, message, retryAfter })
  }
}

/** The line that an error is about; `undefined` where it holds none. */
const lineOf = (instanceId: string, connection: string | undefined, error: RateLimited): Upstream | undefined => {
  if (error.unasked === true) return undefined
  const of = connection === undefined ? {} : { connection }
  if (error.scope === "endpoint") {
    // Without a name only the request knew which one it was, and has held it.
    return error.endpoint === undefined ? undefined : heldLine(instanceId, { ...of, endpoint: error.endpoint })
  }
  return heldLine(instanceId, byConnection.has(error.scope) ? of : {})
}

/** The driver, whose errors hold what they are about and ask for no more than a day. */
export const makeBudgeted = Effect.fnUntraced(function* (driver: ProviderDriver) {
  const lines = yield* UpstreamBudget
  const { instanceId } = driver

  const heeded = <A, E extends ProviderError | WebhookRefused>(
    connection: string | undefined,
    request: Effect.Effect<A, E>
  ): Effect.Effect<A, E> =>
    request.pipe(
      Effect.mapError((error): E => (error._tag === "WebhookRefused" ? error : (sensible(error) as E))),
      Effect.tapError((error) => {
        if (error._tag !== "RateLimited") return Effect.void
        const line = lineOf(instanceId, connection, error)
        return line === undefined ? Effect.void : Effect.ignore(lines.hold(line, error.retryAfter))
      })
    )

  const session = (
    ref: string,
    { inspect, listAccounts, pull, refresh, revoke, unreadAccounts }: ProviderSession
  ): ProviderSession => ({
    inspect: heeded(ref, inspect),
    listAccounts: heeded(ref, listAccounts),
    ...(unreadAccounts === undefined ? {} : { unreadAccounts: heeded(ref, unreadAccounts) }),
    pull: (request) => heeded(ref, pull(request)),
    ...(refresh === undefined ? {} : { refresh: (dataTypes) => heeded(ref, refresh(dataTypes)) }),
    revoke: heeded(ref, revoke)
  })

  const { removeSubject, verifyWebhook } = driver
  return {
    ...driver,
    listInstitutions: (query) => heeded(undefined, driver.listInstitutions(query)),
    beginConnect: (request) => heeded(request.reconnect?.ref, driver.beginConnect(request)),
    completeConnect: (request) => heeded(request.reconnect?.ref, driver.completeConnect(request)),
    ...(removeSubject === undefined ? {} : { removeSubject: (subject) => heeded(undefined, removeSubject(subject)) }),
    open: (request) =>
      Effect.map(heeded(request.connection.ref, driver.open(request)), (opened) =>
        session(request.connection.ref, opened)
      ),
    ...(verifyWebhook === undefined ? {} : { verifyWebhook: (webhook) => heeded(undefined, verifyWebhook(webhook)) })
  } satisfies ProviderDriver as ProviderDriver
})
