/** What the errors of SnapTrade mean: one table by code, one by status. Their texts are never repeated. */
import type { OutboundRequest, OutboundResponse } from "@millrace/core/outbound"
import {
  ConnectionGone,
  InstitutionUnavailable,
  Misconfigured,
  NotReady,
  ProtocolViolation,
  type ProviderError,
  ProviderUnavailable,
  RateLimited,
  ReauthRequired,
  Unsupported
} from "@millrace/core/provider"
import { exhausted } from "./RateHeaders.ts"

/** What is known of an answer that refuses. */
export interface Refused {
  readonly status: number
  /** SnapTrade's own, where the body has one. */
  readonly code: string
  readonly requestId?: string
  readonly counts: NonNullable<OutboundRequest["counts"]>
  readonly answer: OutboundResponse
  /** The text of the body, for the wait that it names; never repeated. */
  readonly text: string
}

/** The user is known already: its secret was given once and is not given again. */
export const userExists = "1010"
/** SnapTrade knows no such user, or another secret of it. */
export const userUnknown = "1083"

const evidence = ({ code, requestId, status }: Refused) => ({
  providerCode: code === "" ? String(status) : code,
  ...(requestId === undefined ? {} : { requestId })
})

/** Seconds until what SnapTrade is still fetching may be there. */
const notReadySeconds = 60

const named = /available in (\d{1,6}) second/

/** The wait of a 429: of the limit that is used up, else what the text names, else a minute. */
const rateLimited = (refused: Refused): RateLimited => {
  const { answer, counts, text } = refused
  const limit = exhausted(answer)
  const seconds = limit?.resetSeconds ?? Number(named.exec(text)?.[1] ?? 60)
  const scope =
    limit !== undefined
      ? limit.limit === "account"
        ? "account"
        : "client"
      : counts.endpoint === "refresh"
        ? "endpoint"
        : counts.account !== undefined
          ? "account"
          : "client"
  return new RateLimited({
    message: "SnapTrade asks for fewer requests",
    scope,
    retryAfter: Math.max(1, seconds),
    ...(scope === "endpoint" && counts.endpoint !== undefined ? { endpoint: counts.endpoint } : {}),
    ...evidence(refused)
  })
}

const gone = (refused: Refused): ProviderError =>
  refused.counts.account === undefined
    ? new ConnectionGone({ message: "SnapTrade does not know this connection", ...evidence(refused) })
    : // The connection was asked for before: it is the account that is no longer there.
      new Unsupported({
        message: "SnapTrade no longer has this account",
        dataType: refused.counts.endpoint ?? "account",
        ...evidence(refused)
      })

type Meaning = (refused: Refused) => ProviderError

const byCode: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  [
    "1076",
    (refused) =>
      new Misconfigured({
        message:
          "SnapTrade does not accept the signature: clientId or consumerKey is wrong, or the clock of this machine",
        ...evidence(refused)
      })
  ],
  [
    userUnknown,
    (refused) =>
      new ConnectionGone({ message: "SnapTrade no longer knows the user of this connection", ...evidence(refused) })
  ],
  ["3000", (refused) => new InstitutionUnavailable({ message: "The broker cannot be reached", ...evidence(refused) })],
  [
    "3002",
    (refused) =>
      new InstitutionUnavailable({ message: "The broker did not answer SnapTrade as it should", ...evidence(refused) })
  ],
  [
    "3003",
    (refused) => new ReauthRequired({ message: "The broker asks the person to sign in again", ...evidence(refused) })
  ],
  [
    "3012",
    (refused) =>
      new NotReady({
        message: "SnapTrade is still fetching the first data",
        retryAfter: notReadySeconds,
        ...evidence(refused)
      })
  ],
  [
    "1141",
    (refused) =>
      new Unsupported({
        message: "The plan at SnapTrade does not have this",
        dataType: refused.counts.endpoint ?? "",
        ...evidence(refused)
      })
  ]
])

const byStatus: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [
    401,
    (refused) =>
      new Misconfigured({ message: "SnapTrade does not accept our clientId and consumerKey", ...evidence(refused) })
  ],
  [
    402,
    (refused) => new ReauthRequired({ message: "The broker asks the person to sign in again", ...evidence(refused) })
  ],
  [403, (refused) => new Misconfigured({ message: "The API key may not do this at SnapTrade", ...evidence(refused) })],
  [404, gone],
  [408, (refused) => new ProviderUnavailable({ message: "SnapTrade took too long", ...evidence(refused) })],
  [
    425,
    (refused) =>
      new NotReady({
        message: "SnapTrade is still fetching the first data",
        retryAfter: notReadySeconds,
        ...evidence(refused)
      })
  ],
  [429, rateLimited],
  [
    501,
    (refused) =>
      new Unsupported({
        message: "SnapTrade cannot read this from the broker",
        dataType: refused.counts.endpoint ?? "",
        ...evidence(refused)
      })
  ],
  [
    503,
    (refused) =>
      new InstitutionUnavailable({ message: "The broker is busy or cannot be reached", ...evidence(refused) })
  ]
])

/** What an answer that refuses means. */
export const meaningOf = (refused: Refused): ProviderError => {
  // A wait is a wait, whatever code is next to it.
  const meaning = refused.status === 429 ? rateLimited : (byCode.get(refused.code) ?? byStatus.get(refused.status))
  if (meaning !== undefined) return meaning(refused)
  const message = `SnapTrade answered ${refused.status}`
  return refused.status >= 500
    ? new ProviderUnavailable({ message, ...evidence(refused) })
    : new ProtocolViolation({ message, path: "", ...evidence(refused) })
}
