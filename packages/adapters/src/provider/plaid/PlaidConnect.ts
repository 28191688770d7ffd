/**
 * Connecting: a link token for Link, or for a page of Plaid (Hosted Link), and the exchange of what it brings back.
 *
 * A public token works once. What can fail is asked before it is exchanged; after that nothing may be lost any more.
 */
import { Timestamp } from "@millrace/core"
import {
  type BeginConnect,
  type ClientStep,
  type CompleteConnect,
  type CompletedConnection,
  type Connection,
  type Institution,
  InstitutionUnavailable,
  InvalidConnectPayload,
  Misconfigured,
  NotReady,
  ProtocolViolation,
  type ProviderError,
  UserCancelled,
  webhookOfAttempt
} from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { instantOf, shownText, UpstreamId } from "../upstream/UpstreamForm.ts"
import { type PlaidClient, tokenOf } from "./PlaidClient.ts"
import { isLanguage, type PlaidSettings } from "./PlaidConfig.ts"
import { accountsIn } from "./PlaidAccounts.ts"
import { AccountsAnswer, ExchangeAnswer, ItemAnswer, LinkSessionsAnswer, LinkTokenAnswer } from "./PlaidForm.ts"
import { bankTypeOf, institutionOf } from "./PlaidInstitutions.ts"

/** What Plaid says of a public token that was exchanged, has expired, or is none. */
const usedUp = "INVALID_PUBLIC_TOKEN"

/** Seconds between two looks at a sign-in that goes on. */
const lookSeconds = 3

const languageOf = (settings: PlaidSettings, tag: string | undefined): string => {
  const language = (tag ?? "").toLowerCase().split("-")[0]!
  return isLanguage(language) ? language : settings.language
}

/** What a sign-in on a page of Plaid is completed with: its public token is asked for by the link token, which we keep. */
export const hostedId = "hosted-link"

const hostedBody = (redirectUri: string | undefined) => {
  const url = redirectUri === undefined ? null : URL.parse(redirectUri)
  // Plaid says nothing when it sends the browser back: the address itself has to.
  url?.searchParams.set("connection_id", hostedId)
  return url === null ? {} : { completion_redirect_uri: url.href }
}

/** Registered at Plaid letter by letter, so it has no query. */
const redirectBody = (redirectUri: string | undefined) => {
  const [redirect_uri] = (redirectUri ?? "").split(/[?#]/)
  return redirectUri === undefined ? {} : { redirect_uri }
}

const updateBody = ({ secrets }: Connection) => ({
  access_token: secrets["accessToken"] ?? "",
  update: { account_selection_enabled: true }
})

const newBody = (settings: PlaidSettings, { attemptId, webhookUrl }: BeginConnect) => ({
  products: settings.products,
  ...(settings.optionalProducts.length === 0 ? {} : { optional_products: settings.optionalProducts }),
  // It is fixed with the first connection: anyone who asks for more later gets no more.
  transactions: { days_requested: settings.historyDays },
  // What tells that the person has finished names nothing but the link token: the address says whose it is.
  ...(webhookUrl === undefined
    ? {}
    : { webhook: settings.hostedLink || settings.linkEvents ? webhookOfAttempt(webhookUrl, attemptId) : webhookUrl })
})

export const beginConnect = Effect.fn("PlaidProvider.beginConnect")(function* (
  client: PlaidClient,
  settings: PlaidSettings,
  request: BeginConnect
): Effect.fn.Return<ClientStep, ProviderError> {
  const { countryCodes = [], institutionId, keepAttempt, language, reconnect, redirectUri, subject } = request
  if (institutionId !== undefined && reconnect === undefined) {
    const { status } = yield* institutionOf(client, settings, institutionId)
    if (status === "down") return yield* new InstitutionUnavailable({ message: "Nobody can sign in at the bank now" })
  }
  const offered = countryCodes.filter((code) => settings.countryCodes.includes(code))
  const answer = yield* client.ask("/link/token/create", LinkTokenAnswer, {
    client_name: settings.clientName,
    language: languageOf(settings, language),
    country_codes: offered.length === 0 ? settings.countryCodes : offered,
    // Ours, and nothing of a person.
    user: { client_user_id: subject.ref },
    ...(reconnect === undefined ? newBody(settings, request) : updateBody(reconnect)),
    ...(settings.hostedLink ? { hosted_link: hostedBody(redirectUri) } : redirectBody(redirectUri))
  })
  yield* keepAttempt({ linkToken: answer.link_token })
  const expiresAt = instantOf(answer.expiration)
  if (expiresAt === undefined || Timestamp.toMillis(expiresAt) <= (yield* Clock.currentTimeMillis)) {
    return yield* new ProtocolViolation({
      message: "The answer of Plaid does not have the agreed form",
      path: "expiration"
    })
  }
  if (!settings.hostedLink) return { kind: "link", token: answer.link_token, expiresAt }
  if (answer.hosted_link_url === undefined) {
    return yield* new Misconfigured({ message: "Plaid gives no page to sign in on: Hosted Link is not enabled" })
  }
  return { kind: "popup", url: answer.hosted_link_url, expiresAt }
})

/** Public tokens that the sessions of a link token ended with, newest first. */
const tokensOf = ({ link_sessions }: LinkSessionsAnswer): ReadonlyArray<string> =>
  (link_sessions ?? [])
    .flatMap(({ on_success, results }) => [
      ...(results?.item_add_results ?? []).map(({ public_token }) => public_token),
      ...(on_success === undefined || on_success === null ? [] : [on_success.public_token])
    ])
    .toReversed()

const sessionsOf = (client: PlaidClient, linkToken: string) =>
  client.ask("/link/token/get", LinkSessionsAnswer, { link_token: linkToken })

/** The public token of the attempt: that of the payload, if it is ours, or the one that the page of Plaid ended with. */
const publicTokenOf = Effect.fnUntraced(function* (
  client: PlaidClient,
  settings: PlaidSettings,
  { attemptSecrets, payload }: CompleteConnect
): Effect.fn.Return<string, ProviderError> {
  const linkToken = attemptSecrets["linkToken"]
  const sessions = linkToken === undefined ? undefined : yield* sessionsOf(client, linkToken)
  const tokens = sessions === undefined ? [] : tokensOf(sessions)
  if (payload.kind === "plaid_public_token") {
    const isToken = Result.isSuccess(Schema.decodeResult(UpstreamId)(payload.publicToken))
    // Plaid tells of such sign-ins where that is switched on. Where it tells, the token of another attempt shows.
    const isTold = settings.linkEvents || tokens.length > 0
    if (!isToken || (isTold && !tokens.includes(payload.publicToken))) {
      return yield* new InvalidConnectPayload({ message: "publicToken is not one of this attempt" })
    }
    return payload.publicToken
  }
  if (linkToken === undefined || payload.connectionId !== hostedId) {
    return yield* new InvalidConnectPayload({ message: "Plaid is completed with a publicToken" })
  }
  if (tokens[0] !== undefined) return tokens[0]
  const ended = (sessions?.link_sessions ?? []).some(({ exit, finished_at }) => exit ?? finished_at)
  return yield* ended
    ? new UserCancelled({ message: "The sign-in was stopped" })
    : new NotReady({ message: "The sign-in is not finished", retryAfter: lookSeconds })
})

const institutionIn = (item: ItemAnswer["item"], asked: Institution | undefined): Institution => ({
  countryCodes: [],
  status: "ok",
  ...asked,
  id: shownText(item.institution_id, 128) ?? asked?.id ?? "unknown",
  name: shownText(item.institution_name) ?? asked?.name ?? "Bank"
})

/** What Plaid tells of a new item; where it does not answer, what was known before. */
const described = Effect.fnUntraced(function* (
  client: PlaidClient,
  connection: Connection,
  asked: Institution | undefined
): Effect.fn.Return<Pick<CompletedConnection, "institution" | "bankType" | "consentExpiresAt">> {
  const item = connection.ref
  const answer = yield* client
    .ask("/accounts/get", AccountsAnswer, tokenOf(connection.secrets), { item })
    .pipe(Effect.orElseSucceed(() => undefined))
  const shown = answer?.item ?? { item_id: item }
  const consentExpiresAt = instantOf(answer?.item.consent_expiration_time)
  // What the browser named is believed where Plaid does not say otherwise.
  const isOther = typeof shown.institution_id === "string" && shown.institution_id !== asked?.id
  return {
    institution: institutionIn(shown, isOther ? undefined : asked),
    bankType: bankTypeOf(accountsIn(answer?.accounts ?? []).map(({ type }) => type)),
    ...(consentExpiresAt === undefined ? {} : { consentExpiresAt })
  }
})

const lostAnswer = new InvalidConnectPayload({
  message:
    "The answer of Plaid to this sign-in was lost, so the connection that it may have made cannot be used. Connect the bank again; what was lost can be ended at my.plaid.com",
  providerCode: usedUp
})

/** What an exchange of this attempt has given, where it was that of the payload. */
const givenIn = ({
  attemptSecrets: { accessToken, exchanged: token, itemId },
  payload
}: CompleteConnect): typeof ExchangeAnswer.Type | undefined =>
  accessToken === undefined ||
  itemId === undefined ||
  (payload.kind === "plaid_public_token" && payload.publicToken !== token)
    ? undefined
    : { access_token: accessToken, item_id: itemId }

/**
 * The exchange, which Plaid answers once. It is noted first: where the answer is lost, also with the process, the next try
 * is refused, and only the note tells that from a token that was never good. Plaid gives nothing by which an item is found
 * whose access token nobody has, so it can only be told.
 */
const exchanged = Effect.fnUntraced(function* (
  client: PlaidClient,
  { attemptSecrets, keepAttempt }: CompleteConnect,
  publicToken: string
): Effect.fn.Return<typeof ExchangeAnswer.Type, ProviderError> {
  const isSecond = attemptSecrets["exchanged"] === publicToken
  if (!isSecond) yield* keepAttempt({ exchanged: publicToken })
  const given = yield* client
    .ask("/item/public_token/exchange", ExchangeAnswer, { public_token: publicToken })
    .pipe(
      Effect.catchTag("InvalidConnectPayload", (error) =>
        isSecond && error.providerCode === usedUp
          ? Effect.andThen(Effect.logWarning(lostAnswer.message), Effect.fail(lostAnswer))
          : Effect.fail(error)
      )
    )
  yield* keepAttempt({ accessToken: given.access_token, itemId: given.item_id })
  return given
})

export const completeConnect = Effect.fn("PlaidProvider.completeConnect")(function* (
  client: PlaidClient,
  settings: PlaidSettings,
  request: CompleteConnect
): Effect.fn.Return<CompletedConnection, ProviderError> {
  const { payload, reconnect } = request
  if (reconnect !== undefined) {
    // Mended in place: the access token stays, and there is nothing to exchange. Whether it works again is looked at next.
    yield* client.ask("/item/get", ItemAnswer, tokenOf(reconnect.secrets), { item: reconnect.ref })
    return { connection: reconnect, ...(yield* described(client, reconnect, undefined)) }
  }
  const named = payload.institutionId
  const given = givenIn(request)
  const publicToken = given === undefined ? yield* publicTokenOf(client, settings, request) : ""
  const asked = named === undefined ? undefined : yield* institutionOf(client, settings, named)
  const { access_token, item_id } = given ?? (yield* exchanged(client, request, publicToken))
  const connection = { ref: item_id, secrets: { accessToken: access_token } }
  return { connection, ...(yield* described(client, connection, asked)) }
})
