/** Connecting at SnapTrade: the user of a workspace, the portal, and what the portal gave back. */
import { Timestamp } from "@millrace/core"
import {
  type BeginConnect,
  type ClientStep,
  type CompleteConnect,
  type CompletedConnection,
  connectOptions,
  type Institution,
  InstitutionUnavailable,
  InvalidConnectPayload,
  type KeepSecrets,
  type ProviderError,
  ProtocolViolation,
  type SecretValues,
  type Subject,
  UserCancelled
} from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SnapTradeClient, SnapTradeUser } from "./Client.ts"
import { userExists, userUnknown } from "./Errors.ts"
import * as Forms from "./Forms.ts"
import { type Brokers, institutionOf } from "./Institutions.ts"
import { isId } from "./Session.ts"
import { wordsOf } from "../upstream/Texts.ts"

/** How long a portal may be opened, less what a slow answer took of it. */
const portalMillis = 290_000

/** Users that a workspace may have had before: each of them was registered, and its secret lost on the way to us. */
const mostUsers = 20

/** Fields of a start of a connection that are SnapTrade's. */
export const options = connectOptions(
  Schema.Struct({
    brokerageSlug: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[\w.-]{1,100}$/))),
    connectionType: Schema.optionalKey(Schema.Literals(["read", "trade"]))
  })
)

/** The user that secrets open, where they open one. */
export const userIn = ({ userId, userSecret }: SecretValues): SnapTradeUser | undefined =>
  userId !== undefined && userSecret !== undefined && userId !== "" && userSecret !== ""
    ? { userId, userSecret }
    : undefined

const secretsOf = ({ userId, userSecret }: SnapTradeUser): SecretValues => ({ userId, userSecret })

export interface ConnectingOptions {
  readonly client: SnapTradeClient
  readonly brokers: Brokers
  readonly isPersonal: boolean
}

/** What the portal says where no connection came of it. */
const cancelled: ReadonlySet<string> = new Set(["ABANDONED", "CLOSED", "CLOSE_MODAL"])

/** The language of the portal; SnapTrade refuses those that it does not have. */
const localeOf = (language: string | undefined): string | undefined =>
  language !== undefined && /^pt([-_]BR)?$/i.test(language) ? "pt-BR" : undefined

export const makeConnecting = ({ brokers, client, isPersonal }: ConnectingOptions) => {
  /**
   * A new user. A user whose secret never arrived, because a process ended in between, cannot be asked for anything and has
   * no connections: the next number is taken.
   */
  const register = Effect.fnUntraced(function* ({ ref }: Subject, keep: KeepSecrets) {
    for (let n = 1; n <= mostUsers; n++) {
      const userId = n === 1 ? ref : `${ref}.${n}`
      const made = yield* client
        .ask({
          answer: Forms.Registered,
          method: "POST",
          path: "/snapTrade/registerUser",
          body: { userId },
          counts: { endpoint: "register" }
        })
        .pipe(
          Effect.map(({ userSecret }): SnapTradeUser | undefined => ({ userId, userSecret })),
          Effect.catchIf(
            (error) => error.providerCode === userExists,
            () => Effect.succeed(undefined)
          )
        )
      if (made === undefined) continue
      yield* keep(secretsOf(made))
      return made
    }
    return yield* new ProtocolViolation({ message: "SnapTrade says of every new user that it exists", path: "userId" })
  })

  const brokerAsked = Effect.fnUntraced(function* ({ institutionId, options: fields }: BeginConnect) {
    const slug = institutionId ?? fields["brokerageSlug"]
    if (slug === undefined) return undefined
    const broker = (yield* brokers).find((known) => known.slug === slug)
    if (broker === undefined) {
      return yield* new InvalidConnectPayload({ message: "SnapTrade has no institution of this id" })
    }
    if (institutionOf(broker).status === "down") {
      return yield* new InstitutionUnavailable({
        message: "SnapTrade takes no new connections to this institution at the moment"
      })
    }
    return broker.slug
  })

  const login = (request: BeginConnect, broker: string | undefined, user: SnapTradeUser | "key") => {
    const { connectionType } = request.options
    const locale = localeOf(request.language)
    return client.ask({
      answer: Forms.Login,
      method: "POST",
      path: "/snapTrade/login",
      user,
      body: {
        ...(broker === undefined || request.reconnect !== undefined ? {} : { broker }),
        ...(request.reconnect === undefined ? {} : { reconnect: request.reconnect.ref }),
        // In ASCII, as all that is signed.
        ...(request.redirectUri === undefined
          ? {}
          : { customRedirect: new URL(request.redirectUri).href, immediateRedirect: true }),
        connectionType: connectionType === "trade" ? "trade" : "read",
        ...(locale === undefined ? {} : { locale }),
        connectionPortalVersion: "v4"
      },
      counts: { endpoint: "login" }
    })
  }

  /** The user whose connection it is: that of the one to be mended, else that of the workspace, else a new one. */
  const userFor = (request: BeginConnect): Effect.Effect<SnapTradeUser | "key", ProviderError> => {
    if (isPersonal) return Effect.succeed("key")
    const known =
      (request.reconnect === undefined ? undefined : userIn(request.reconnect.secrets)) ??
      userIn(request.subject.secrets)
    return known === undefined ? register(request.subject, request.keepSubject) : Effect.succeed(known)
  }

  const begin = Effect.fn("SnapTrade.beginConnect")(function* (
    request: BeginConnect
  ): Effect.fn.Return<ClientStep, ProviderError> {
    if (request.redirectUri !== undefined && !URL.canParse(request.redirectUri)) {
      return yield* new InvalidConnectPayload({ message: "redirectUri is no address" })
    }
    const broker = yield* brokerAsked(request)
    const first = yield* userFor(request)
    if (first !== "key") yield* request.keepAttempt(secretsOf(first))
    const asked = yield* Clock.currentTimeMillis
    const opened = yield* Effect.catchIf(
      login(request, broker, first),
      // The user was taken away at SnapTrade, with all that it had: a new connection needs a new one.
      (error) => error.providerCode === userUnknown && !isPersonal && request.reconnect === undefined,
      Effect.fnUntraced(function* () {
        const user = yield* register(request.subject, request.keepSubject)
        yield* request.keepAttempt(secretsOf(user))
        return yield* login(request, broker, user)
      })
    )
    if (!URL.canParse(opened.redirectURI) || !/^https?:$/.test(new URL(opened.redirectURI).protocol)) {
      return yield* new ProtocolViolation({ message: "SnapTrade gave no address of its portal", path: "redirectURI" })
    }
    return { kind: "popup", url: opened.redirectURI, expiresAt: Timestamp.fromMillis(asked + portalMillis) }
  })

  const complete = Effect.fn("SnapTrade.completeConnect")(function* (
    request: CompleteConnect
  ): Effect.fn.Return<CompletedConnection, ProviderError> {
    const { payload } = request
    if (payload.kind !== "provider_connection_id") {
      return yield* new InvalidConnectPayload({ message: "SnapTrade is completed with a connectionId" })
    }
    const id = payload.connectionId.trim()
    if (cancelled.has(id)) return yield* new UserCancelled({ message: "The person left the portal of SnapTrade" })
    const user = isPersonal
      ? ("key" as const)
      : (userIn(request.attemptSecrets) ??
        (request.reconnect === undefined ? undefined : userIn(request.reconnect.secrets)) ??
        userIn(request.subject.secrets))
    const foreign = new InvalidConnectPayload({ message: "SnapTrade has no such connection of this workspace" })
    if (!isId(id) || user === undefined) return yield* foreign
    if (request.reconnect !== undefined && request.reconnect.ref !== id) {
      return yield* new InvalidConnectPayload({ message: "This is another connection than the one to be mended" })
    }
    // Asked under the secret of our own user: a connection of somebody else is not found.
    const found = yield* client
      .ask({ answer: Forms.Authorization, path: `/authorizations/${id}`, user, counts: { endpoint: "connection" } })
      .pipe(Effect.catchTag("ConnectionGone", () => Effect.fail(foreign)))
    if (found.id !== id) return yield* foreign
    const { brokerage } = found
    const institution: Institution =
      brokerage === undefined || brokerage === null
        ? { id: payload.institutionId ?? "SNAPTRADE", name: "SnapTrade", countryCodes: [], status: "ok" }
        : institutionOf(brokerage)
    return {
      connection: { ref: id, secrets: user === "key" ? {} : secretsOf(user) },
      institution,
      bankType: /crypto/i.test(wordsOf(brokerage?.brokerage_type?.name) ?? "") ? "wallet" : "brokerage"
    }
  })

  /**
   * Takes all users of the workspace back, also one whose secret never arrived. SnapTrade takes its time, and lists them
   * until they are gone.
   */
  const removeSubject = Effect.fn("SnapTrade.removeSubject")(function* ({
    ref
  }: Subject): Effect.fn.Return<"done" | "pending", ProviderError> {
    const listed = yield* client.ask({
      answer: Forms.Users,
      path: "/snapTrade/listUsers",
      counts: { endpoint: "users" }
    })
    const own = listed.filter((userId) => userId === ref || userId.startsWith(`${ref}.`))
    for (const userId of own) {
      yield* client
        .ask({
          answer: Forms.Anything,
          method: "DELETE",
          path: "/snapTrade/deleteUser",
          query: { userId },
          counts: { endpoint: "users" }
        })
        .pipe(Effect.catchTag("ConnectionGone", () => Effect.void))
    }
    return own.length === 0 ? "done" : "pending"
  })

  return { begin, complete, removeSubject }
}
