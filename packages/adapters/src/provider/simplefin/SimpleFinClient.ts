/** The thin client of SimpleFIN: claiming a setup token, and asking for accounts with their rows. */
import { Outbound, type OutboundResponse } from "@millrace/core/outbound"
import {
  type Connection,
  ConnectionGone,
  ConsentRequired,
  hintSeconds,
  InvalidConnectPayload,
  Misconfigured,
  type ProviderError,
  ProtocolViolation,
  RateLimited,
  readAccounts,
  readJson,
  refusalOf,
  retryAfterSeconds,
  unanswered
} from "@millrace/core/provider"
import type { CalendarDateText } from "@millrace/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Access, accessIn, accessOf, basicAuth, claimUrlOf } from "./SimpleFinAccess.ts"
import { AccountsAnswer, type AccountsShown, SimpleFinAccount } from "./SimpleFinForm.ts"

/** Days of one request at most. */
export const windowDays = 60

/** Seconds to wait where SimpleFIN names none: it counts by the day. */
const hourSeconds = 3_600

/** The Bridge asks the banks while we wait. */
const answerSeconds = 60

const claimed = new InvalidConnectPayload({
  message:
    "The setup token was claimed already, or is not known. If you did not claim it yourself, somebody else may have: disable it at SimpleFIN and make a new one",
  providerCode: "403"
})

const gone = new ConnectionGone({
  message: "SimpleFIN does not know this access any more: it was taken back. A new setup token is needed",
  providerCode: "403"
})

const refusal = (answer: OutboundResponse, now: number): ProviderError | undefined => {
  switch (answer.status) {
    case 401:
    case 403:
      return gone
    case 402:
      return new ConsentRequired({
        message: "SimpleFIN asks its user for payment: the subscription has ended",
        providerCode: "402"
      })
    case 429:
      return new RateLimited({
        message: "SimpleFIN was asked too often",
        providerCode: "429",
        scope: "connection",
        retryAfter: hintSeconds(retryAfterSeconds(answer.headers, now) ?? hourSeconds)
      })
    default:
      return refusalOf("SimpleFIN", answer)
  }
}

const secondsOf = (day: CalendarDateText): number => Date.parse(`${day}T00:00:00Z`) / 1000

/** Days from the first one until before the second one. */
export interface Days {
  readonly from: CalendarDateText
  readonly before: CalendarDateText
}

/** The client of an instance, which asks these bridges alone: `https://bridge.simplefin.org` and the like. */
export const makeClient = Effect.fnUntraced(function* (bridges: ReadonlyArray<string>) {
  const outbound = yield* Outbound
  const origins = new Set(bridges.map((bridge) => new URL(bridge).origin))
  /** The person chooses the address in a token: it must be that of a bridge which the operator chose. */
  const isBridge = (url: string): boolean => origins.has(new URL(url).origin)

  /** Exchanges a setup token. It works once: nothing here tries again. */
  const claim = Effect.fnUntraced(function* (setupToken: string): Effect.fn.Return<Access, ProviderError> {
    const url = claimUrlOf(setupToken)
    if (url === undefined)
      return yield* new InvalidConnectPayload({ message: "connectionId is no setup token of SimpleFIN" })
    if (!isBridge(url)) {
      return yield* new InvalidConnectPayload({
        message: `The setup token is of ${new URL(url).host}; this server takes those of ${[...origins].join(" and ")}`
      })
    }
    const answer = yield* Effect.mapError(outbound.request({ url, method: "POST", body: "" }), (failure) =>
      // The address is the person's: what may not be asked there is wrong with the token, not with our settings.
      failure.reason === "addressRefused" || failure.reason === "invalidRequest"
        ? new InvalidConnectPayload({ message: "The setup token leads to an address that may not be asked" })
        : unanswered(failure)
    )
    if (answer.status === 403 || answer.status === 404) return yield* claimed
    const refused = refusalOf("SimpleFIN", answer)
    if (refused !== undefined) return yield* refused
    const access = accessOf(new TextDecoder().decode(answer.body.subarray(0, 4_000)), url)
    return access !== undefined && isBridge(access.url)
      ? access
      : yield* new ProtocolViolation({ message: "SimpleFIN did not answer with an access URL of a bridge", path: "" })
  })

  /** Accounts with the rows from the first day until before the second one; without days the accounts alone. */
  const askAccounts = Effect.fnUntraced(function* (
    connection: Connection,
    days?: Days
  ): Effect.fn.Return<AccountsShown, ProviderError> {
    const access = accessIn(connection)
    if (access === undefined) return yield* gone
    if (!isBridge(access.url)) {
      return yield* new Misconfigured({
        message: `The connection is at ${new URL(access.url).host}, which is no bridge of this server any more: the operator names it in config.bridges`
      })
    }
    const query =
      days === undefined
        ? "balances-only=1"
        : // To leave `pending` out is to leave them out: any value asks for them.
          `start-date=${secondsOf(days.from)}&end-date=${secondsOf(days.before)}&pending=1`
    const answer = yield* Effect.mapError(
      outbound.request({
        url: `${access.url}/accounts?${query}`,
        headers: { accept: "application/json", authorization: basicAuth(access) },
        timeoutSeconds: answerSeconds,
        counts: { connection: connection.ref }
      }),
      unanswered
    )
    const refused = refusal(answer, yield* Clock.currentTimeMillis)
    if (refused !== undefined) return yield* refused
    const shown = yield* Effect.fromResult(readJson("SimpleFIN", AccountsAnswer, answer))
    return { ...shown, ...readAccounts(shown.accounts, SimpleFinAccount, { id: ["id"], name: ["name"] }) }
  })

  return { claim, askAccounts }
})

export type SimpleFinClient = Effect.Success<ReturnType<typeof makeClient>>
