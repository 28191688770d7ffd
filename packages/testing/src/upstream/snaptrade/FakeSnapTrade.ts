/**
 * A stand-in for SnapTrade: users with secrets, the portal, signed requests, activities by offset, removal that takes its
 * time, signed webhooks. A connection that is disabled goes on to show what was read last, as there.
 */
import type { ClientStep } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type FakeProtocol, startFakeServer } from "../FakeServer.ts"
import type { FakeConnection, FakeUpstream } from "../FakeUpstream.ts"
import { connectionOf, returned } from "../StandIn.ts"
import { answer, endpoints, refusal } from "./SnapTradeAnswers.ts"
import { webhooksOf } from "./SnapTradeHooks.ts"
import {
  consumerKey,
  type FakeSnapTradeOptions,
  type Portal,
  snapTradeClientId,
  SnapTradeState
} from "./SnapTradeState.ts"
import { snapTradeInstitutions, uuidOf } from "./SnapTradeWorld.ts"

/** Starts a stand-in; it ends with the scope. */
export const fakeSnapTrade = (options: FakeSnapTradeOptions = {}): Effect.Effect<FakeUpstream, never, Scope.Scope> =>
  Effect.gen(function* () {
    let upstream: SnapTradeState | undefined
    const server = yield* startFakeServer(({ time, url }): FakeProtocol => {
      const own = (upstream = new SnapTradeState(time.now, options))
      return {
        about: ({ path }) => {
          const [, ref] = /^\/(?:authorizations|connection)\/([^/]+)/.exec(path) ?? []
          const [, account = ""] = /^\/accounts\/([^/]+)\//.exec(path) ?? []
          const one = ref === undefined ? own.connected.find(({ ledger }) => ledger.accountShownAs(account)) : undefined
          const connectionRef = ref ?? one?.ref
          return {
            endpoint: endpoints.find(([form]) => form.test(path))?.[1] ?? "other",
            ...(connectionRef === undefined ? {} : { connectionRef })
          }
        },
        answer: (request) => answer(own, url, request),
        refuse: refusal,
        enumKeys: new Set(["type", "kind", "status", "account_category", "raw_type", "order_type", "time_in_force"]),
        limits: [{ name: "client", requests: 250, seconds: 60, per: "client" }]
      }
    }, options)
    const own = upstream!
    const portalOf = (step: ClientStep): Portal => {
      const token = step.kind === "popup" ? new URL(step.url).searchParams.get("token") : null
      const portal = own.portals.get(token ?? "")
      if (portal === undefined || own.now() > portal.expiresAt) throw new RangeError("there is no such portal")
      return portal
    }
    const find = (ref: string) => connectionOf(own.connected, ref)
    return {
      kind: "snaptrade",
      config: {
        clientId: snapTradeClientId,
        consumerKey,
        baseUrl: server.url,
        ...(options.isPersonal === true ? { keyType: "personal" } : {})
      },
      secrets: [consumerKey],
      server,
      institutions: snapTradeInstitutions,
      ledger: (who) => own.ledger(who),
      get connections(): ReadonlyArray<FakeConnection> {
        return own.connected.map(({ isRevoked, ledger, ref, userId }) => ({
          ref,
          institution: ledger.institution,
          ledger,
          isRevoked,
          secrets: [own.users.get(userId) ?? ""].filter((secret) => secret !== "")
        }))
      },
      ...(options.isPersonal === true
        ? {}
        : {
            subjects: () => [...own.users.keys()].map((ref) => ({ ref, isRemoved: own.removedUsers.has(ref) })),
            loseSubjects: () => {
              for (const ref of own.users.keys()) own.removeUser(ref)
            }
          }),
      signIn: (step, who = {}) => {
        const portal = portalOf(step)
        if (portal.reconnect !== undefined) return returned(find(portal.reconnect).ref)
        const institutionId = who.institutionId ?? portal.broker
        return returned(own.connect(portal.userId, institutionId === undefined ? who : { ...who, institutionId }).ref)
      },
      unknown: ({ secrets }) => ({ ref: "00000000-0000-4000-8000-000000000000", secrets }),
      refused: (_, how) => {
        switch (how) {
          case "unknown":
            return returned(uuidOf("a connection that never was"))
          case "foreign": {
            own.users.set("somebody-else", own.secretOf("somebody-else"))
            return returned(own.connect("somebody-else", { person: "eve" }).ref)
          }
          case "malformed":
            return returned("../accounts?x=")
          case "otherKind":
            return { kind: "plaid_public_token", publicToken: "public-sandbox-1" }
        }
      },
      repair: (step, connectionRef) => {
        if (portalOf(step).reconnect !== connectionRef) throw new RangeError("the portal is about another connection")
        const one = find(connectionRef)
        one.disabled = false
        return returned(one.ref)
      },
      break: (connectionRef, how) => {
        const one = find(connectionRef)
        if (how === "reauth") one.disabled = true
        else if (how === "institutionDown") one.isAway = true
        else if (how === "gone") one.goneAt = own.now()
        else throw new RangeError(`SnapTrade has no ${how}`)
      },
      mend: (connectionRef) => {
        const one = find(connectionRef)
        one.disabled = false
        one.isAway = false
        if (!one.isRevoked) one.goneAt = Number.POSITIVE_INFINITY
      },
      breakages: ["reauth", "gone", "institutionDown"],
      collecting: (connectionRef, isCollecting) => {
        find(connectionRef).isCollecting = isCollecting
      },
      webhooks: webhooksOf(own)
    }
  })
