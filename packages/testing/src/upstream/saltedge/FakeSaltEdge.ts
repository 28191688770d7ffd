/**
 * A stand-in for Salt Edge: customers, the page, consents that end, signed requests and callbacks, lists by the next id, pending
 * rows that get new ids at each reading of the bank, and copies that are marked as such. What was read last is shown also
 * where nothing can be read any more, as there.
 */
import type { KeyObject } from "node:crypto"
import type { ClientStep } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type FakeProtocol, startFakeServer } from "../FakeServer.ts"
import type { FakeConnection, FakeUpstream } from "../FakeUpstream.ts"
import { connectionOf, returned } from "../StandIn.ts"
import { answer, endpointOf, refusal } from "./SaltEdgeAnswers.ts"
import { webhooksOf } from "./SaltEdgeHooks.ts"
import { type FakeSaltEdgeOptions, keys, saltEdgeAppId, SaltEdgeState, secret, type Session } from "./SaltEdgeState.ts"
import { saltEdgeId, saltEdgeInstitutions } from "./SaltEdgeWorld.ts"

const pem = (key: KeyObject): string =>
  key.export(key.type === "private" ? { type: "pkcs8", format: "pem" } : { type: "spki", format: "pem" }).toString()

/** Starts a stand-in; it ends with the scope. */
export const fakeSaltEdge = (options: FakeSaltEdgeOptions = {}): Effect.Effect<FakeUpstream, never, Scope.Scope> =>
  Effect.gen(function* () {
    let upstream: SaltEdgeState | undefined
    const server = yield* startFakeServer(({ time, url }): FakeProtocol => {
      const own = (upstream = new SaltEdgeState(time.now, options))
      return {
        about: ({ path, query }) => {
          const [, ref] = /^\/connections\/(\d+)/.exec(path) ?? []
          const connectionRef = ref ?? query.get("connection_id") ?? undefined
          return { endpoint: endpointOf(path), ...(connectionRef === undefined ? {} : { connectionRef }) }
        },
        answer: (request) => answer(own, url, request),
        refuse: refusal,
        enumKeys: new Set(["nature", "status", "mode", "category", "stage"])
      }
    }, options)
    const own = upstream!
    const sessionOf = (step: ClientStep): Session => {
      const token = step.kind === "redirect" ? new URL(step.url).searchParams.get("token") : null
      const session = own.sessions.get(token ?? "")
      if (session === undefined || own.now() > session.expiresAt) throw new RangeError("there is no such page")
      return session
    }
    const find = (ref: string) => connectionOf(own.connected, ref)
    const privateKey = pem(keys().client.privateKey)
    return {
      kind: "saltedge",
      config: {
        appId: saltEdgeAppId,
        secret,
        privateKey,
        callbackKey: pem(keys().upstream.publicKey),
        baseUrl: server.url
      },
      secrets: [secret, privateKey],
      server,
      institutions: saltEdgeInstitutions,
      ledger: (who) => own.ledger(who),
      get connections(): ReadonlyArray<FakeConnection> {
        return own.connected.map(({ isRevoked, ledger, ref }) => ({
          ref,
          institution: ledger.institution,
          ledger,
          isRevoked,
          // The application's own keys open every connection.
          secrets: []
        }))
      },
      subjects: () => [...own.customers].map(([ref, id]) => ({ ref, isRemoved: own.removedCustomers.has(id) })),
      signIn: (step, who = {}) => {
        const session = sessionOf(step)
        if (session.reconnect !== undefined) return returned(find(session.reconnect).ref)
        const institutionId = who.institutionId ?? session.provider
        return returned(own.connect(session, institutionId === undefined ? who : { ...who, institutionId }).ref)
      },
      unknown: ({ secrets }) => ({ ref: "1111111111111111111", secrets }),
      refused: (_, how) => {
        switch (how) {
          case "unknown":
            return returned(saltEdgeId(99_999_999))
          case "foreign":
            return returned(
              own.connect({ customerId: own.nextId(), attemptId: "", scopes: ["accounts"] }, { person: "eve" }).ref
            )
          case "malformed":
            return returned("../customers?x=")
          case "otherKind":
            return { kind: "plaid_public_token", publicToken: "public-sandbox-1" }
        }
      },
      repair: (step, connectionRef) => {
        const session = sessionOf(step)
        if (session.reconnect !== connectionRef) throw new RangeError("the page is about another connection")
        const one = find(connectionRef)
        one.attemptId = session.attemptId
        one.refreshes++
        own.mend(one)
        return returned(one.ref)
      },
      break: (connectionRef, how) => {
        const one = find(connectionRef)
        if (how === "reauth") {
          one.status = "inactive"
          one.failure = "InvalidCredentials"
        } else if (how === "consentExpired") one.consentEnds = own.now() - 1_000
        else if (how === "institutionDown") one.failure = "ProviderUnavailable"
        else one.isGone = true
      },
      mend: (connectionRef) => own.mend(find(connectionRef)),
      breakages: ["reauth", "consentExpired", "gone", "institutionDown"],
      loseSubjects: () => {
        for (const id of own.customers.values()) own.removeCustomer(id)
      },
      collecting: (connectionRef, isCollecting) => {
        find(connectionRef).isCollecting = isCollecting
      },
      webhooks: webhooksOf(own)
    }
  })
