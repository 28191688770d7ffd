/**
 * The pages on which a person connects a bank, and the landing pages that browsers come back to (decisions 1.13). Whoever
 * shows the state of an attempt is its person; nobody else learns anything here.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { Digest, isId, limits } from "@millrace/core"
import { CurrentConnectAddresses } from "@millrace/core/bank"
import { type ConnectResult, ConnectReturns, type ReturnedAttempt } from "@millrace/core/kernel"
import { type ConnectPayload, CurrentPsu } from "@millrace/core/provider"
import { psuOf, TrustedProxies } from "../request/Person.ts"
import { backOf, donePage, endedPage, workingPage } from "./ConnectEndings.ts"
import { parametersOf } from "./Ending.ts"
import { attemptCookie, attemptInCookie } from "./AttemptCookie.ts"
import { escaped, type Page, respondPage } from "./Page.ts"
import { returnOf } from "./Return.ts"
import { type Words, wordsFor } from "./Words.ts"
import { choicePage, demoPage, returnedPage, stepPage, type StepContext } from "./Steps.ts"
import { answerOf, type KernelError } from "@millrace/core/operation"

/** Bytes of a form: a token, and what a widget gave. */
const formBytes = 16_384

const sentence = (text: string): string => text.replace(/([^.])$/, "$1.")

/** What a failure says to the person, in their language where it has words for it. */
const sentenceOf = (error: KernelError, { bankName, provider }: Partial<ReturnedAttempt>, words: Words): string => {
  const { code, message } = answerOf(error)
  if (code === "INVALID_PAYLOAD" && provider?.capabilities.connectFlow === "token") return words.tokenRefused
  return words.fault(code, bankName) ?? sentence(message)
}

const unknownPageIn = (words: Words): Page => ({
  status: 404,
  title: words.unknownTitle,
  body: `<p>${escaped(words.unknown)}</p><p>${escaped(words.startAgain)}</p>`
})

/** What a widget gave, as our script put it into the form. */
const resultOf = (fields: URLSearchParams): ConnectResult => {
  if (fields.get("result") !== "connected") {
    return { result: fields.get("result") === "cancelled" ? "cancelled" : "failed" }
  }
  const [publicToken, connectionId, institutionId] = ["publicToken", "connectionId", "institutionId"].map(
    (name) => fields.get(name) ?? ""
  ) as [string, string, string]
  const institution = institutionId === "" || institutionId.length > 128 ? {} : { institutionId }
  return publicToken === ""
    ? connectionId === ""
      ? { result: "failed" }
      : { result: "connected", payload: { kind: "provider_connection_id", connectionId, ...institution } }
    : { result: "connected", payload: { kind: "plaid_public_token", publicToken, ...institution } }
}

/** The provider instance that the address of a landing page names. */
const instanceIn = (url: string): string | undefined => {
  const segment = /^[^?#]*\/([^/?#]*)/.exec(url)?.[1] ?? ""
  return Result.getOrUndefined(Result.try(() => decodeURIComponent(segment)))
}

/** The state in the address of a landing page, else that of the cookie. */
const landingState = Effect.map(HttpServerRequest, ({ headers, url }) => {
  const query = parametersOf(url)
  return query.get("state") ?? attemptInCookie(headers["cookie"]) ?? ""
})

const makePages = Effect.gen(function* () {
  const returns = yield* ConnectReturns
  const digest = yield* Digest
  const isProxy = yield* TrustedProxies
  const words = Effect.map(HttpServerRequest, ({ headers }) => wordsFor(headers["accept-language"]))
  /** The page in the language of the browser, on behalf of whoever began the attempt. */
  const respond = (page: Page, returned?: ReturnedAttempt) =>
    Effect.map(words, ({ lang }) => {
      const workspace = returned === undefined ? {} : { workspace: returned.workspace.name }
      return respondPage({ ...page, lang, ...workspace }, digest.randomText(24))
    })
  const unknown = Effect.flatMap(words, (own) => respond(unknownPageIn(own)))

  const contextOf = Effect.fnUntraced(function* (returned: ReturnedAttempt, state: string, notice?: string) {
    const { bankName, institutionName, provider, workspace } = returned
    return {
      state,
      words: yield* words,
      workspace: workspace.name,
      providerName: provider?.name ?? returned.attempt.instanceId,
      bankName,
      institutionName,
      isToken: provider?.capabilities.connectFlow === "token",
      notice
    } satisfies StepContext
  })

  const addresses = yield* CurrentConnectAddresses
  const isHttps = addresses?.base.startsWith("https:") === true

  const inAddress = Effect.map(HttpServerRequest, ({ url }) => parametersOf(url).get("state") ?? "")

  /** Runs with the attempt of the browser, and as its person. */
  const withAttempt = (
    use: (
      returned: ReturnedAttempt,
      state: string
    ) => Effect.Effect<HttpServerResponse.HttpServerResponse, KernelError, HttpServerRequest>,
    shownState: Effect.Effect<string, never, HttpServerRequest> = inAddress,
    isMeant: (returned: ReturnedAttempt) => Effect.Effect<boolean, never, HttpServerRequest> = () =>
      Effect.succeed(true)
  ) =>
    Effect.gen(function* () {
      const state = yield* shownState
      const returned = state === "" || state.length > 200 ? Option.none() : yield* returns.byState(state)
      if (Option.isNone(returned) || !(yield* isMeant(returned.value))) return yield* unknown
      return yield* Effect.provideService(
        use(returned.value, state),
        CurrentPsu,
        psuOf(yield* HttpServerRequest, isProxy)
      )
    }).pipe(
      Effect.catch((error: KernelError) =>
        Effect.flatMap(words, (own) =>
          respond({
            status: answerOf(error).status,
            title: own.faultTitle,
            body: `<p role="alert">${escaped(sentenceOf(error, {}, own))}</p><p>${escaped(own.startAgain)}</p>`
          })
        )
      )
    )

  /** How an attempt stands now, as its person sees it. */
  const show = Effect.fnUntraced(function* (
    returned: ReturnedAttempt,
    state: string,
    more: { readonly notice?: string; readonly isBack?: boolean } = {}
  ) {
    const own = yield* words
    switch (returned.attempt.state) {
      case "completed":
        return yield* respond(donePage(returned, own, returned.bankName), returned)
      case "completing":
        return yield* respond(workingPage(state, own), returned)
      case "open": {
        const context = { ...(yield* contextOf(returned, state, more.notice)), isBack: more.isBack === true }
        const step = yield* returns.step(returned)
        const page = Option.isSome(step)
          ? stepPage(context, step.value)
          : choicePage(context, yield* returns.existing(returned))
        const isBare = returned.provider?.capabilities.returnsWithoutState === true
        return yield* respond(isBare ? { ...page, cookie: attemptCookie(state, isHttps) } : page, returned)
      }
      default: {
        const { error } = returned.attempt
        const why =
          error === undefined ? undefined : (own.fault(error.code, returned.bankName) ?? sentence(error.message))
        return yield* respond(endedPage(returned, state, own, why), returned)
      }
    }
  })

  /** Completes the attempt; what can be tried again is told on the page where it began. */
  const complete = Effect.fnUntraced(function* (returned: ReturnedAttempt, state: string, payload: ConnectPayload) {
    const own = yield* words
    return yield* returns.complete(returned, payload).pipe(
      Effect.flatMap(({ bank }) => respond(donePage(returned, own, bank.name), returned)),
      Effect.catch((error) =>
        Effect.flatMap(returns.byState(state), (now) =>
          Option.isSome(now)
            ? show(now.value, state, { notice: sentenceOf(error as KernelError, returned, own) })
            : unknown
        )
      )
    )
  })

  const end = Effect.fnUntraced(function* (
    returned: ReturnedAttempt,
    state: string,
    result: Exclude<ConnectResult, { readonly result: "connected" }>
  ) {
    yield* returns.told(returned, result)
    const now = yield* returns.byState(state)
    return yield* show(
      Option.getOrElse(now, () => returned),
      state
    )
  })

  /** The fields of a form, which is no larger than any of ours. */
  const form = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    if (Number(request.headers["content-length"] ?? "0") > formBytes) return new URLSearchParams()
    const text = yield* Effect.orElseSucceed(request.text, () => "")
    return new URLSearchParams(text.length > formBytes ? "" : text)
  })

  const finish = (returned: ReturnedAttempt, state: string, result: ConnectResult) =>
    result.result === "connected"
      ? Effect.andThen(returns.told(returned, result), complete(returned, state, result.payload))
      : end(returned, state, result)

  return {
    attempt: withAttempt((returned, state) => show(returned, state)),
    choose: withAttempt(
      Effect.fnUntraced(function* (returned, state) {
        const bank = (yield* form).get("bank")
        yield* returns.choose(returned, state, isId("bank", bank) ? bank : undefined)
        return yield* show(returned, state)
      })
    ),
    token: withAttempt(
      Effect.fnUntraced(function* (returned, state) {
        const token = ((yield* form).get("token") ?? "").replaceAll(/\s+/g, "")
        if (token === "" || token.length > limits.textLength) {
          return yield* show(returned, state, { notice: (yield* words).tokenMissing })
        }
        return yield* complete(returned, state, { kind: "provider_connection_id", connectionId: token })
      })
    ),
    result: withAttempt(
      Effect.fnUntraced(function* (returned, state) {
        return yield* finish(returned, state, resultOf(yield* form))
      })
    ),
    cancel: withAttempt((returned, state) => end(returned, state, { result: "cancelled" })),
    /** Begins once more what failed, or was too late, and leads to the page of the new attempt. */
    again: withAttempt(
      Effect.fnUntraced(function* (returned, state) {
        const { state: ended } = returned.attempt
        if (ended !== "failed" && ended !== "expired") return yield* show(returned, state)
        const page = yield* returns.again(returned)
        return page === undefined ? yield* unknown : HttpServerResponse.redirect(page, { status: 303 })
      })
    ),
    /** Where upstreams send the browser back to. */
    landing: withAttempt(
      Effect.fnUntraced(function* (returned, state) {
        const { url } = yield* HttpServerRequest
        const query = parametersOf(url)
        const result = returnOf(query)
        // Anybody can lead a browser here: without the state in the address its person has to say so.
        if (result !== undefined && !query.has("state"))
          return yield* respond(returnedPage(yield* contextOf(returned, state), result), returned)
        if (result === undefined) {
          // A widget that sent its person to the bank goes on where it was.
          return yield* show(returned, state, { isBack: query.has("oauth_state_id") })
        }
        const { redirectUri } = returned.attempt
        if (redirectUri === undefined) return yield* finish(returned, state, result)
        yield* returns.told(returned, result)
        const connectionId =
          result.result === "connected" &&
          result.payload.kind === "provider_connection_id" &&
          returned.attempt.state !== "completed"
            ? result.payload.connectionId
            : undefined
        return HttpServerResponse.redirect(backOf(returned, result.result, connectionId)!, { status: 303 })
      }),
      landingState,
      ({ attempt, provider }) =>
        Effect.map(
          HttpServerRequest,
          ({ url }) =>
            instanceIn(url) === attempt.instanceId &&
            (parametersOf(url).has("state") || provider?.capabilities.returnsWithoutState === true)
        )
    ),
    demo: withAttempt((returned, state) =>
      returned.attempt.instanceId.startsWith("demo:")
        ? respond(demoPage(state, returned.attempt.instanceId, returned.attempt.institutionId), returned)
        : unknown
    )
  }
})

/** The routes, for `Routes`: they stand beside the API, and need no credential. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const pages = yield* makePages
    return Layer.mergeAll(
      HttpRouter.add("GET", "/connect/attempt", pages.attempt),
      HttpRouter.add("POST", "/connect/attempt/choose", pages.choose),
      HttpRouter.add("POST", "/connect/attempt/token", pages.token),
      HttpRouter.add("POST", "/connect/attempt/result", pages.result),
      HttpRouter.add("POST", "/connect/attempt/cancel", pages.cancel),
      HttpRouter.add("POST", "/connect/attempt/again", pages.again),
      HttpRouter.add("GET", "/connect/callback/:provider_instance_id", pages.landing),
      HttpRouter.add("GET", "/connect/demo", pages.demo)
    )
  })
)
