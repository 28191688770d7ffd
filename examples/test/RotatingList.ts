/**
 * The list of `add-a-provider.ts`, at an upstream whose tokens rotate: an access token is good for ten minutes, and renewing
 * it gives another refresh token, too. The one before is good until the new ones are used, so that an answer that never
 * arrived can be asked for again; after that it opens nothing.
 */
import { Outbound } from "@millrace/core/outbound"
import {
  makeJsonClient,
  type Connection,
  ConnectionGone,
  InvalidConnectPayload,
  type ProviderError,
  type ProviderFactory,
  type ProviderSession,
  ReauthRequired
} from "@millrace/core/provider"
import type { FakeUpstream } from "@millrace/testing/upstream"
import { fakeTime } from "@millrace/testing/upstream"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { listbank } from "../add-a-provider.ts"
import { makeList } from "./ListUpstream.ts"

const tokenMillis = 600_000
const gone = () => new ConnectionGone({ message: "There is no such list" })
const reauth = () => new ReauthRequired({ message: "The list wants its person to sign in again" })

/** Tokens of a list that was given to somebody: the newest pair, and the one that it was made of. */
interface Grant {
  access: string
  refresh: string
  until: number
  before: string | undefined
  readonly all: Array<string>
}

const Tokens = Schema.Struct({ access: Schema.String, refresh: Schema.String, until: Schema.Number })

export const fakeRotatingList = Effect.gen(function* () {
  const { now } = yield* fakeTime
  const grants = new Map<string, Grant>()
  let made = 0

  const renewed = (ref: string, before: string | undefined): Grant => {
    const n = ++made
    const [access, refresh] = [`access-of-${ref}-${n}x5u8`, `refresh-of-${ref}-${n}k2d7`]
    const all = [...(grants.get(ref)?.all ?? []), access, refresh]
    const grant = { access, refresh, until: now() + tokenMillis, before, all }
    grants.set(ref, grant)
    return grant
  }

  const fake = yield* makeList({
    mayRead: (ref, authorization) => {
      const grant = grants.get(ref)
      if (grant === undefined || authorization !== `Bearer ${grant.access}` || now() >= grant.until) return false
      grant.before = undefined
      return true
    },
    answer: ({ body, path }) => {
      const [, action, ref = ""] = path.split("/")
      if (action === "lists") return undefined
      const shown = body === "" ? undefined : String(JSON.parse(body))
      const grant = grants.get(ref)
      const isGood =
        action === "authorize"
          ? fake.connections.some((list) => list.ref === ref)
          : grant !== undefined && (shown === grant.refresh || shown === grant.before)
      if (!isGood) return { status: grant === undefined ? 404 : 401, body: {} }
      const { access, refresh, until } = renewed(ref, shown)
      return { status: 200, body: { access, refresh, until } }
    },
    secretsOf: (ref) => grants.get(ref)?.all ?? []
  })
  return {
    ...fake,
    kind: "rotatinglist",
    // A property that is copied would show the lists of that moment alone.
    get connections() {
      return fake.connections
    },
    unknown: () => ({ ref: "nobody", secrets: { access: "access-x", refresh: "refresh-x", until: "0" } }),
    rotation: {
      expire: (ref) => void (grants.get(ref)!.until = now()),
      newest: (ref) => grants.get(ref)!.refresh
    }
  } satisfies FakeUpstream
})

/** The driver of lists, opened with an access token that is renewed where its time is over. */
export const rotatingList: ProviderFactory<(typeof listbank.Config)["Type"]> = {
  ...listbank,
  kind: "rotatinglist",
  make: ({ config, instanceId }) =>
    Effect.gen(function* () {
      const outbound = yield* Outbound
      const client = yield* makeJsonClient("The list")
      const withToken = (token: string) =>
        Effect.provideService(
          listbank.make({ instanceId, config: { ...config, token: Redacted.make(token) } }),
          Outbound,
          outbound
        ).pipe(Effect.orDie)
      const tokensOf = (action: "authorize" | "renew", ref: string, refresh?: string) =>
        client
          .ask(Tokens, {
            url: `${config.url}/${action}/${encodeURIComponent(ref)}`,
            method: "POST",
            ...(refresh === undefined ? {} : { body: JSON.stringify(refresh) }),
            counts: { connection: ref }
          })
          .pipe(
            Effect.map(({ until, ...pair }) => ({ ...pair, until: String(until) })),
            Effect.catchIf((error) => error.providerCode === "401", reauth),
            Effect.catchIf((error) => error.providerCode === "404", gone)
          )
      const driver = yield* withToken("")
      return {
        ...driver,
        kind: "rotatinglist" as const,
        completeConnect: Effect.fnUntraced(function* (request) {
          const { payload } = request
          const ref = payload.kind === "provider_connection_id" ? payload.connectionId : ""
          const unknown = new InvalidConnectPayload({ message: "connectionId is the name of no list" })
          if (!/^[\w-]{1,64}$/u.test(ref)) return yield* unknown
          const secrets = yield* Effect.catchTag(tokensOf("authorize", ref), "ConnectionGone", () => unknown)
          const completed = yield* (yield* withToken(secrets.access)).completeConnect(request)
          return { ...completed, connection: { ref, secrets } }
        }),
        open: ({ connection, keep, ...rest }) => {
          let known: Connection = connection
          const renew = Effect.gen(function* () {
            const tokens = yield* tokensOf("renew", known.ref, known.secrets["refresh"])
            // Nothing is asked with them before they are safe: from then on the ones before open nothing.
            yield* keep(tokens)
            known = { ...known, secrets: { ...known.secrets, ...tokens } }
          })
          const opened = Effect.suspend(() => withToken(known.secrets["access"] ?? "")).pipe(
            Effect.flatMap((inner) => inner.open({ connection: known, keep, ...rest }))
          )
          /** Asks with a token whose time is not over, and once more with another one where the upstream ended it before. */
          const asking = <A>(ask: (session: ProviderSession) => Effect.Effect<A, ProviderError>) =>
            Effect.gen(function* () {
              if (Number(known.secrets["until"]) <= (yield* Clock.currentTimeMillis)) yield* renew
              return yield* Effect.flatMap(opened, ask).pipe(
                Effect.catchIf(
                  ({ providerCode }) => providerCode === "401",
                  () => Effect.andThen(renew, Effect.flatMap(opened, ask))
                )
              )
            })
          return Effect.succeed({
            inspect: asking(({ inspect }) => inspect),
            listAccounts: asking(({ listAccounts }) => listAccounts),
            unreadAccounts: asking(({ unreadAccounts }) => unreadAccounts ?? Effect.succeed([])),
            pull: (request) => asking(({ pull }) => pull(request)),
            revoke: Effect.succeed("done" as const)
          })
        }
      }
    })
}
