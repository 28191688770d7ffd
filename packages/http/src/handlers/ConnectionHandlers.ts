/** From requests about connections to use cases, and from what they return to what is sent. */
import * as Effect from "effect/Effect"
import { type ConnectionAttempt, type Started } from "@millrace/core/bank"
import { Conflict, type NotFound } from "@millrace/core"
import type { Unsupported } from "@millrace/core/provider"
import type { ConnectionStart, ConnectionStep } from "../api/ConnectionApi.ts"

const withPage = (page: string | undefined) => (page === undefined ? {} : { connectUrl: page })

/** A step as it is sent. */
export const stepToWire = ({ attempt, page, step }: Extract<Started, { readonly step: object }>): ConnectionStep => {
  const { attemptId, flow = "" } = attempt
  const common = { attemptId, expiresAt: step.expiresAt, ...withPage(page) }
  const byId = { expectedPayloadKind: "provider_connection_id", ...common } as const
  switch (step.kind) {
    case "link":
      return { flow, linkToken: step.token, expectedPayloadKind: "plaid_public_token", ...common }
    case "authSession":
      return { flow, authSessionId: step.authSessionId, ...byId }
    case "connector": {
      const { connectionId, connectorId, institutionId, institutionTargeting, sessionToken } = step
      return {
        flow,
        sessionToken,
        connectorId,
        ...(institutionId === undefined ? {} : { institutionId }),
        ...(institutionTargeting === undefined ? {} : { institutionTargeting }),
        ...(connectionId === undefined ? {} : { connectionId }),
        ...byId
      }
    }
    case "popup":
      return { flow: "portal_popup", url: step.url, ...byId }
    case "redirect":
      return { flow: "oauth_redirect", url: step.url, ...byId }
  }
}

/** How a connection begins, as it is sent. */
export const startToWire = (started: Started): ConnectionStart => {
  if (started.step !== undefined) return stepToWire(started)
  const { attempt, canCreateAdditional, existingBanks, page } = started
  return {
    flow: "existing_connection",
    existingBanks,
    canCreateAdditional,
    attemptId: attempt.attemptId,
    ...withPage(page)
  }
}

/** An attempt as it is sent. Names every field, so that nothing internal can slip through. */
export const attemptToWire = (attempt: ConnectionAttempt) => ({
  id: attempt.attemptId,
  providerInstanceId: attempt.instanceId,
  state: attempt.state,
  flow: attempt.flow ?? "",
  bankId: attempt.bankId ?? null,
  error: attempt.error ?? null,
  createdAt: attempt.createdAt,
  expiresAt: attempt.expiresAt
})

/** What cannot be meant where no path names a bank: the bank of the attempt went, or the provider lacks the whole flow. */
export const withoutPath = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E | NotFound | Unsupported, R>
): Effect.Effect<A, Exclude<E, NotFound | Unsupported> | Conflict, R> =>
  Effect.catchTags(effect as Effect.Effect<A, NotFound | Unsupported, R>, {
    NotFound: () =>
      Effect.fail(
        new Conflict({
          code: "INVALID_STATE",
          message: "The bank of this attempt was removed. Start another attempt",
          details: []
        })
      ),
    Unsupported: ({ message }) => Effect.fail(new Conflict({ code: "INVALID_STATE", message, details: [] }))
  }) as Effect.Effect<A, Exclude<E, NotFound | Unsupported> | Conflict, R>
