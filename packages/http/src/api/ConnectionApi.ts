/** Connecting banks: what is asked and answered (specification 2.2, 4.4 and 4.5; decisions 5.2 and 6.3). */
import * as Schema from "effect/Schema"
import { AttemptError, AttemptState, providerResultStatuses } from "@millrace/core/bank"
import { ProviderInstanceId, ProviderKind } from "@millrace/core/provider"
import { SyncDataType } from "@millrace/core/record"
import { Id, limits, Name, Timestamp } from "@millrace/core"
import { AccountRecord } from "./AccountApi.ts"
import { redirectUri } from "./RedirectUri.ts"

const described = (description: string) => ({ description })
const textOf = (most: number, least = 0) => Schema.String.check(Schema.isBetweenLength(least, most))

const CountryCodes = Schema.Array(
  Schema.String.check(Schema.isPattern(/^[A-Za-z]{2}$/, { message: "must be two letters" }))
)
  .check(Schema.isMaxLength(limits.countryCodes))
  .annotate(described("Countries as two letters each, such as GB; none: any."))

const Email = Schema.String.check(
  Schema.isMaxLength(254),
  Schema.isPattern(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, { message: "must be an e-mail address" })
).annotate({ format: "email" })

const RedirectUri = redirectUri("`attemptId`, `status` and the provider's connection id")

export const StartConnection = Schema.Struct({
  providerInstanceId: ProviderInstanceId.annotate(described("One of listProviders, such as `plaid:us-prod`.")),
  email: Email,
  mobile: Schema.optionalKey(textOf(40)),
  institutionId: Schema.optionalKey(textOf(128).annotate(described("One of searchInstitutions."))),
  brandId: Schema.optionalKey(textOf(64, 1)),
  countryCodes: Schema.optionalKey(CountryCodes),
  redirectUri: Schema.optionalKey(RedirectUri),
  brokerageSlug: Schema.optionalKey(textOf(128)),
  saltedgeConsentScopes: Schema.optionalKey(Schema.Array(Schema.Literals(["holder_info", "accounts", "transactions"]))),
  connectionType: Schema.optionalKey(Schema.Literals(["read", "trade"])),
  forceNewConnection: Schema.optionalKey(
    Schema.Boolean.annotate(described("Another connection, also where a bank of the same institution is connected."))
  )
}).annotate({ identifier: "StartConnection" })

export const ReauthConnection = Schema.Struct({ redirectUri: Schema.optionalKey(RedirectUri) }).annotate({
  identifier: "ReauthConnection"
})

const AttemptId = textOf(limits.attemptIdLength, 1)
const Expires = Schema.optionalKey(Timestamp.Timestamp.annotate(described("Until when the person can go through it.")))
const ConnectUrl = Schema.optionalKey(
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

const Existing = Schema.Struct({
  flow: Schema.Literal("existing_connection"),
  existingBanks: Schema.Array(
    Schema.Struct({ id: Id("bank"), name: Schema.String, requiresReauth: Schema.Boolean })
  ).annotate(described("Banks of the institution that are connected already.")),
  canCreateAdditional: Schema.Boolean.annotate(
    described("Whether the plan has room for another connection; ask again with `forceNewConnection`.")
  ),
  attemptId: AttemptId,
  connectUrl: ConnectUrl
}).annotate({ identifier: "ExistingConnection" })

const steps = [TokenLink, SessionLink, Connector, Popup, Redirect] as const

/** How the person's browser goes on. */
export const ConnectionStart = Schema.Union([...steps, Existing]).annotate({ identifier: "ConnectionStart" })
export type ConnectionStart = typeof ConnectionStart.Type

/** The same where no other connection is meant. */
export const ConnectionStep = Schema.Union(steps).annotate({ identifier: "ConnectionStep" })
export type ConnectionStep = typeof ConnectionStep.Type

const institutionId = Schema.optionalKey(textOf(128))

export const CompleteConnection = Schema.Struct({
  providerInstanceId: ProviderInstanceId,
  attemptId: Schema.optionalKey(
    AttemptId.annotate(
      described("That of startConnection. Without it: the newest attempt of the same credential at the instance.")
    )
  ),
  payload: Schema.Union([
    Schema.Struct({ kind: Schema.Literal("plaid_public_token"), publicToken: textOf(2_000, 1), institutionId }),
    Schema.Struct({ kind: Schema.Literal("provider_connection_id"), connectionId: textOf(2_000, 1), institutionId })
  ])
}).annotate({ identifier: "CompleteConnection" })

export const CompletedConnection = Schema.Struct({
  success: Schema.Literal(true),
  bankId: Id("bank"),
  created: Schema.Boolean.annotate(described("False where the bank was there already, or the attempt was completed.")),
  accounts: Schema.Array(AccountRecord)
})

export const ConnectionAttemptRecord = Schema.Struct({
  id: Schema.String,
  providerInstanceId: Schema.String,
  state: AttemptState,
  flow: Schema.String,
  bankId: Schema.NullOr(Id("bank")),
  error: Schema.NullOr(AttemptError),
  createdAt: Timestamp.Timestamp,
  expiresAt: Timestamp.Timestamp
}).annotate({ identifier: "ConnectionAttempt" })

export const UpdateBank = Schema.Struct({
  name: Schema.optionalKey(Name),
  icon: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isMaxLength(limits.textLength)))),
  order: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: -limits.largestInteger, maximum: limits.largestInteger }))
  )
}).annotate({ identifier: "UpdateBank" })

export const RefreshBank = Schema.Struct({
  dataTypes: Schema.optionalKey(
    Schema.Array(SyncDataType).annotate(described("What is to be read anew; none: all that the provider can."))
  )
}).annotate({ identifier: "RefreshBank" })

export const RefreshStarted = Schema.Struct({
  status: Schema.Literals(["refreshing", "not_supported"]),
  nextRefreshPossibleAt: Schema.optionalKey(Timestamp.Timestamp)
})

export const SearchInstitutions = Schema.Struct({
  query: textOf(limits.institutionQueryLength, 1),
  countryCodes: Schema.optionalKey(CountryCodes),
  providerInstanceId: Schema.optionalKey(textOf(64).annotate(described("Only this instance.")))
}).annotate({ identifier: "SearchInstitutions" })

const InstitutionRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  logo: Schema.optionalKey(Schema.String),
  countryCodes: Schema.Array(Schema.String),
  provider: ProviderKind,
  providerInstanceId: Schema.String,
  url: Schema.optionalKey(Schema.String),
  status: Schema.Literals(["ok", "degraded", "down"])
}).annotate({ identifier: "Institution" })

const ProviderResultRecord = Schema.Struct({
  id: Schema.String.annotate(described("The providerInstanceId.")),
  status: Schema.Literals(providerResultStatuses),
  contributed: Schema.Int,
  error: Schema.optionalKey(Schema.String),
  providerErrorCode: Schema.optionalKey(Schema.String),
  retryAfter: Schema.optionalKey(Timestamp.Timestamp)
}).annotate({ identifier: "ProviderResult" })

export const FoundInstitutions = Schema.Struct({
  institutions: Schema.Array(InstitutionRecord),
  providers: Schema.Array(ProviderResultRecord)
})

export const ProviderInstanceRecord = Schema.Struct({
  id: Schema.String,
  provider: ProviderKind,
  name: Schema.String,
  countryCodes: Schema.Array(Schema.String),
  flow: Schema.String,
  dataTypes: Schema.Array(SyncDataType),
  historyDays: Schema.Int,
  webhooks: Schema.Boolean,
  available: Schema.Boolean,
  connectOptions: Schema.Array(Schema.String).annotate(
    described("Fields of startConnection that this provider reads, besides those that all do.")
  )
}).annotate({ identifier: "ProviderInstance" })
