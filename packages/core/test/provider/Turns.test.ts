/** Requests that a driver sends through the outbound client take their places in the budget of its instance. */
import { expect, it } from "@effect/vitest"
import { MemoryStorage } from "@millrace/adapters/memory"
import { Outbound, type Counts, type OutboundResponse } from "../../src/outbound/Outbound.ts"
import { unanswered } from "../../src/provider/JsonUpstream.ts"
import type { ProviderDriver } from "../../src/provider/Provider.ts"
import { Providers } from "../../src/provider/Providers.ts"
import type { RequestBudget } from "../../src/rate/RequestBudget.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const ok: OutboundResponse = { status: 200, headers: {}, body: new Uint8Array() }

/** A driver that asks twice when it lists institutions, once for each count otherwise. */
const arrange = (budget: RequestBudget | undefined, answers: Array<OutboundResponse> = []) => {
  const sent: Array<Counts | undefined> = []
  const making = Effect.map(Outbound, (outbound): ProviderDriver => {
    const ask = (counts?: Counts) =>
      Effect.mapError(
        outbound.request({ url: "https://upstream.example/", ...(counts === undefined ? {} : { counts }) }),
        unanswered
      )
    return {
      kind: "metered",
      instanceId: "metered:one",
      name: "Metered",
      countryCodes: [],
      capabilities: {
        connectFlow: "token",
        dataTypes: {},
        removal: "local",
        freshnessSeconds: 0,
        webhooks: false,
        budgetPer: "request",
        ...(budget === undefined ? {} : { budget })
      },
      listInstitutions: () => Effect.as(Effect.andThen(ask(), ask()), []),
      beginConnect: () => Effect.die("not used"),
      completeConnect: () => Effect.die("not used"),
      inspect: ({ ref }) => Effect.as(ask({ connection: ref }), { status: "connected" } as const),
      listAccounts: ({ ref }) => Effect.as(ask({ connection: ref, endpoint: "accounts" }), []),
      pull: () => Effect.die("not used"),
      revoke: () => Effect.succeed("done")
    }
  })
  const outbound = Layer.succeed(Outbound, {
    request: ({ counts }) =>
      Effect.sync(() => {
        sent.push(counts)
        return answers.shift() ?? ok
      })
  })
  const driver = Effect.flatMap(Providers, (providers) => providers.get("metered:one")).pipe(
    Effect.provide(Layer.provide(Providers.layerBudgeted([making]), [MemoryStorage.layer, outbound]))
  )
  return { driver, sent }
}

const connection = (ref: string) => ({ ref, secrets: {} })
const busy: OutboundResponse = { ...ok, status: 429, headers: { "retry-after": "30" } }

it.effect("each request takes a place, and a call without requests takes none", () =>
  Effect.gen(function* () {
    const { driver, sent } = arrange({ perMinute: 1 })
    const one = yield* driver
    yield* one.revoke(connection("a"))
    const refused = yield* Effect.flip(one.listInstitutions(""))
    expect(refused).toMatchObject({ _tag: "RateLimited", retryAfter: 60 })
    expect(sent).toHaveLength(1)
  })
)

it.effect("a request counts against the budget of its connection", () =>
  Effect.gen(function* () {
    const { driver, sent } = arrange({ perMinute: 600, perConnectionPerMinute: 1 })
    const one = yield* driver
    yield* one.inspect(connection("a"))
    expect(yield* Effect.flip(one.inspect(connection("a")))).toMatchObject({ _tag: "RateLimited" })
    yield* one.inspect(connection("b"))
    expect(sent).toHaveLength(2)
  })
)

it.effect("an endpoint that asks to wait holds back what asks it, and nothing else", () =>
  Effect.gen(function* () {
    const { driver, sent } = arrange(undefined, [busy])
    const one = yield* driver
    yield* one.listAccounts(connection("a"))
    expect(yield* Effect.flip(one.listAccounts(connection("a")))).toMatchObject({ _tag: "RateLimited", retryAfter: 30 })
    yield* one.inspect(connection("a"))
    expect(sent).toEqual([{ connection: "a", endpoint: "accounts" }, { connection: "a" }])
  })
)
