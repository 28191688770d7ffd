import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Conflict, type NotFound } from "../../failure/Failure.ts"
import { redirectUri } from "../../operation/RedirectUri.ts"
import type { Unsupported } from "../../provider/ProviderError.ts"
import { limits } from "../../shared/Limits.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import type { Started } from "../Starting.ts"

export const described = (description: string) => ({ description })

export const textOf = (most: number, least = 0) => Schema.String.check(Schema.isBetweenLength(least, most))

export const CountryCodes = Schema.Array(
  Schema.String.check(Schema.isPattern(/^[A-Za-z]{2}$/, { message: "must be two letters" }))
)
  .check(Schema.isMaxLength(limits.countryCodes))
  .annotate(described("Countries as two letters each, such as GB; none: any."))

export const RedirectUri = redirectUri("`attemptId`, `status` and the provider's connection id")

export const AttemptId = textOf(limits.attemptIdLength, 1)
const Expires = Schema.optionalKey(Timestamp.Timestamp.annotate(described("Until when the person can go through it.")))
export const ConnectUrl = Schema.optionalKey(
  Schema.String.annotate(
    described("The page of this installation on which the person goes through all of it, whatever the flow.")
  )
)
const expects = <const Kind extends string>(kind: Kind) => ({
  expectedPayloadKind: Schema.Literal(kind),
  attemptId: AttemptId,
  expiresAt: Expires,
  connectUrl: ConnectUrl
})
const flowOf = (pattern: RegExp, description: string) =>
  Schema.String.check(Schema.isPattern(pattern, { message: "must be the name of a flow" })).annotate({ description })

const linkFlow = /^[a-z]{2,40}_link$/

const TokenLink = Schema.Struct({
  flow: flowOf(linkFlow, "`plaid_link`: the provider's own widget, opened with the token."),
  linkToken: Schema.String,
  ...expects("plaid_public_token")
}).annotate({ identifier: "LinkStart" })

const SessionLink = Schema.Struct({
  flow: flowOf(linkFlow, "`fiskil_link`: the provider's own widget, opened with the session."),
  authSessionId: Schema.String,
  ...expects("provider_connection_id")
}).annotate({ identifier: "AuthSessionStart" })

const Connector = Schema.Struct({
  flow: flowOf(/^[a-z]{2,40}_connector$/, "`quiltt_connector`: the provider's own widget."),
  sessionToken: Schema.String,
  connectorId: Schema.String,
  institutionId: Schema.optionalKey(Schema.String),
  institutionTargeting: Schema.optionalKey(Schema.Literals(["id", "name"])),
  connectionId: Schema.optionalKey(Schema.String),
  ...expects("provider_connection_id")
}).annotate({ identifier: "ConnectorStart" })

const Popup = Schema.Struct({
  flow: Schema.Literal("portal_popup"),
  url: Schema.String.annotate(described("To be opened in a window of its own.")),
  ...expects("provider_connection_id")
}).annotate({ identifier: "PortalStart" })

const Redirect = Schema.Struct({
  flow: Schema.Literal("oauth_redirect"),
  url: Schema.String.annotate(described("Where the person's browser goes.")),
  ...expects("provider_connection_id")
}).annotate({ identifier: "RedirectStart" })

export const steps = [TokenLink, SessionLink, Connector, Popup, Redirect] as const

/** The same where no other connection is meant. */
export const ConnectionStep = Schema.Union(steps).annotate({ identifier: "ConnectionStep" })
export type ConnectionStep = typeof ConnectionStep.Type

export const withPage = (page: string | undefined) => (page === undefined ? {} : { connectUrl: page })

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
