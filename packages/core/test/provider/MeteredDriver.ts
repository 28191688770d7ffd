/** A driver that asks its upstream through `Outbound` once for each call, and an upstream that does as the test says. */
import { MemoryStorage } from "@millrace/adapters/memory"
import { plainCapabilities } from "@millrace/testing/fake"
import { Outbound, type Counts, type OutboundResponse } from "../../src/outbound/Outbound.ts"
import type { RequestLimit } from "../../src/provider/Capabilities.ts"
import { unanswered } from "../../src/provider/JsonUpstream.ts"
import type { ProviderDriver } from "../../src/provider/Provider.ts"
import type { ProviderError } from "../../src/provider/ProviderError.ts"
import { Providers } from "../../src/provider/Providers.ts"
import { UpstreamBudget } from "../../src/rate/UpstreamBudget.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const ok: OutboundResponse = { status: 200, headers: {}, body: new Uint8Array() }

export interface Metered {
  readonly limits?: ReadonlyArray<RequestLimit>
  readonly readLimits?: ProviderDriver["readLimits"]
  /** What the upstream does with the next requests: an answer, or one that the driver makes this error of. */
  readonly answers?: Array<OutboundResponse | ProviderError>
}

/** Lists institutions with two requests, accounts at an endpoint, and revokes without any. */
export const metered = ({ answers = [], limits, readLimits }: Metered) => {
  const asked: Array<{ readonly at: number; readonly counts: Counts | undefined }> = []
  const errors: Array<ProviderError> = []
  const outbound = Outbound.of({
    request: ({ counts }) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        asked.push({ at, counts })
        const next = answers.shift() ?? ok
        if ("status" in next) return next
        errors.push(next)
        return ok
      })
  })
  const making = Effect.map(Outbound, (own): ProviderDriver => {
    const ask = <A>(answer: A, counts: Counts = {}) =>
      Effect.flatMap(
        Effect.mapError(own.request({ url: "https://upstream.example/", counts }), unanswered),
        (): Effect.Effect<A, ProviderError> => {
          const error = errors.shift()
          return error === undefined ? Effect.succeed(answer) : Effect.fail(error)
        }
      )
    return {
      kind: "metered",
      instanceId: "metered:one",
      name: "Metered",
      countryCodes: [],
      capabilities: { ...plainCapabilities, dataTypes: {}, ...(limits === undefined ? {} : { limits }) },
      ...(readLimits === undefined ? {} : { readLimits }),
      listInstitutions: () => Effect.andThen(ask([]), ask([])),
      beginConnect: () => Effect.die("not used"),
      completeConnect: () => Effect.die("not used"),
      open: ({ connection: { ref } }) =>
        Effect.succeed({
          inspect: ask({ status: "connected" } as const, { connection: ref }),
          listAccounts: ask([], { connection: ref, endpoint: "accounts" }),
          pull: () => Effect.die("not used"),
          revoke: Effect.succeed("done")
        })
    }
  })
  /** The driver as one of several processes with one store sees it. */
  const wrapped = Effect.flatMap(Providers, (providers) => providers.get("metered:one")).pipe(
    Effect.provide(
      Layer.provide(Providers.layerBudgeted([making]), [
        Layer.effect(UpstreamBudget, UpstreamBudget),
        Layer.succeed(Outbound, outbound)
      ])
    )
  )
  return { asked, wrapped }
}

export const storage = MemoryStorage.layer
