/** What the error classes of Salt Edge mean: one table. Their texts are never repeated. */
import type { OutboundRequest } from "@millrace/core/outbound"
import {
  ConnectionGone,
  ConsentRequired,
  DuplicateConnection,
  InstitutionUnavailable,
  InvalidConnectPayload,
  Misconfigured,
  ProtocolViolation,
  type ProviderError,
  ProviderUnavailable,
  RateLimited,
  ReauthRequired,
  UserCancelled
} from "@millrace/core/provider"

export interface Refused {
  readonly status: number
  /** `""` where the body has none. */
  readonly errorClass: string
  readonly requestId?: string
  readonly counts: NonNullable<OutboundRequest["counts"]>
  /** Seconds of `Retry-After`, where the answer has it. */
  readonly retryAfter?: number
}

const evidence = ({ errorClass, requestId, status }: Refused) => ({
  providerCode: errorClass === "" ? String(status) : errorClass,
  ...(requestId === undefined ? {} : { requestId })
})

/** Seconds until the next try, where Salt Edge names none. */
const minute = 60

type Meaning = (refused: Refused) => ProviderError

const reauth: Meaning = (refused) =>
  new ReauthRequired({ message: "The bank asks the person to sign in again", ...evidence(refused) })
const consent: Meaning = (refused) =>
  new ConsentRequired({ message: "The consent at the bank is missing, too narrow or at its end", ...evidence(refused) })
const gone: Meaning = (refused) =>
  new ConnectionGone({ message: "Salt Edge does not know this connection any more", ...evidence(refused) })
const bankAway: Meaning = (refused) =>
  new InstitutionUnavailable({ message: "The bank cannot be read at the moment", ...evidence(refused) })
const bankClosed: Meaning = (refused) =>
  new InstitutionUnavailable({
    message: "Salt Edge offers this bank no longer",
    permanent: true,
    ...evidence(refused)
  })
const limited =
  (seconds: number): Meaning =>
  (refused) =>
    new RateLimited({
      message: "Salt Edge asks for fewer requests",
      scope: refused.counts.connection === undefined ? "client" : "connection",
      retryAfter: Math.max(1, refused.retryAfter ?? seconds),
      ...evidence(refused)
    })
/** Of reading the bank in the background: what was read is still shown. */
const tooSoon: Meaning = (refused) =>
  new RateLimited({
    message: "The bank was read as often as it may be for now",
    scope: "endpoint",
    endpoint: "refresh",
    retryAfter: Math.max(1, refused.retryAfter ?? 6 * 3_600),
    ...evidence(refused)
  })
const misconfigured =
  (message: string): Meaning =>
  (refused) =>
    new Misconfigured({ message, ...evidence(refused) })
const asked: Meaning = (refused) =>
  new ProtocolViolation({ message: "Salt Edge does not take a request as it is", path: "", ...evidence(refused) })
const cancelled: Meaning = (refused) =>
  new UserCancelled({ message: "The person stopped at the bank", ...evidence(refused) })

const classes: ReadonlyArray<readonly [Meaning, ReadonlyArray<string>]> = [
  [
    reauth,
    [
      "InvalidCredentials",
      "InvalidInteractiveCredentials",
      "InteractiveTimeout",
      "InteractiveAdapterTimeout",
      "ConnectionCannotBeRefreshed",
      "ConnectionLost",
      "CredentialsNotMatch",
      "AccountSelectionRequired"
    ]
  ],
  [
    consent,
    [
      "AispConsentExpired",
      "AispConsentRevoked",
      "AispConsentNotFound",
      "AispConsentScopesInvalid",
      "AispConsentScopesNotAllowed",
      "ProviderAccessNotGranted",
      "ConsentExpired",
      "ConsentRevoked",
      "ConsentNotFound"
    ]
  ],
  [gone, ["ConnectionNotFound", "ConnectionDisabled", "CustomerNotFound"]],
  [
    bankAway,
    [
      "ProviderUnavailable",
      "ProviderError",
      "ProviderInactive",
      "ConnectionFailed",
      "FetchingTimeout",
      "ExecutionTimeout",
      "InternalServerError",
      "BackendError"
    ]
  ],
  [bankClosed, ["ProviderDisabled"]],
  [limited(minute), ["TooManyRequests", "RateLimitExceeded"]],
  [limited(30), ["ConnectionAlreadyProcessing"]],
  [tooSoon, ["BackgroundFetchLimitExceeded", "ConnectionFetchingStopped"]],
  [cancelled, ["AuthorizationCancelled", "UserCancelled", "ConnectionCancelled"]],
  [misconfigured("Salt Edge allows this client no more connections"), ["ConnectionLimitReached"]],
  [
    misconfigured("Salt Edge does not accept the App-id and Secret"),
    ["ApiKeyNotFound", "AppIdNotProvided", "SecretNotProvided", "WrongApiKey", "ActionNotAllowed", "RouteNotFound"]
  ],
  [
    misconfigured(
      "Salt Edge does not accept the signature: privateKey is another one, or the clock of this machine is off"
    ),
    ["SignatureNotMatch", "SignatureMissing", "RequestExpired", "ExpiresAtInvalid", "PublicKeyNotProvided"]
  ],
  [
    misconfigured("Salt Edge has not opened this client for it"),
    ["ClientNotFound", "ClientDisabled", "ClientPending", "ClientRestricted", "CustomerLocked"]
  ],
  [
    misconfigured("The bank allows less history than historyDays asks for"),
    ["InvalidAispConsentFromDate", "DateOutOfAispConsentRange", "InvalidAispConsentPeriod"]
  ],
  [
    (refused) => new InvalidConnectPayload({ message: "Salt Edge has no such institution", ...evidence(refused) }),
    ["ProviderNotFound", "CountryNotFound"]
  ],
  [
    (refused) =>
      new DuplicateConnection({ message: "The bank is connected at Salt Edge already", ...evidence(refused) }),
    ["ConnectionDuplicated", "ConnectionAlreadyExists"]
  ],
  [asked, ["WrongRequestFormat", "DateOutOfRange", "InvalidFromDate", "InvalidToDate", "ValueOutOfRange"]]
]

const byClass: ReadonlyMap<string, Meaning> = new Map(
  classes.flatMap(([meaning, names]) => names.map((name) => [name, meaning] as const))
)

/** Of a class that is new: by the status. */
const byStatus = (refused: Refused): ProviderError => {
  const { counts, status } = refused
  const message = `Salt Edge answered ${status}`
  if (status === 429) return limited(minute)(refused)
  if (status === 401 || status === 403) return misconfigured("Salt Edge does not accept the App-id and Secret")(refused)
  if (status === 404 && counts.connection !== undefined) return gone(refused)
  if (status >= 500 || status === 408) return new ProviderUnavailable({ message, ...evidence(refused) })
  return new ProtocolViolation({ message, path: "", ...evidence(refused) })
}

/** What an answer that refuses means. */
export const meaningOf = (refused: Refused): ProviderError =>
  byClass.get(refused.errorClass)?.(refused) ?? byStatus(refused)

/** What the class of a failed attempt means, where it is a known one. */
export const meaningOfClass = (errorClass: string, connection: string): ProviderError | undefined =>
  byClass.get(errorClass)?.({ status: 200, errorClass, counts: { connection } })

/** The customer exists already: it is looked up instead. */
export const isDuplicateCustomer = (error: ProviderError): boolean =>
  /^(DuplicatedCustomer|CustomerDuplicated|CustomerAlreadyExists)$/.test(error.providerCode ?? "")
