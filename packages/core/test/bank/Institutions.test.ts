import { describe, expect, it } from "@effect/vitest"
import { ownerOf, makeWorkspace } from "@millrace/testing/fixture"
import { makeScriptedProvider } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { institutionRank } from "../../src/bank/InstitutionRank.ts"
import { InstitutionNames, KnownInstitutions } from "../../src/bank/InstitutionNames.ts"
import { Institutions } from "../../src/bank/Institutions.ts"
import type { Institution } from "../../src/provider/Connect.ts"
import { RateLimited, type ProviderError } from "../../src/provider/ProviderError.ts"
import { Providers } from "../../src/provider/Providers.ts"
import { Ids } from "../../src/shared/Ids.ts"

const named = (name: string, countryCodes: ReadonlyArray<string> = ["US"]): Institution => ({
  id: name,
  name,
  countryCodes,
  status: "ok"
})

const provider = (
  instance: string,
  countryCodes: ReadonlyArray<string>,
  answer: Effect.Effect<ReadonlyArray<Institution>, ProviderError>
) => {
  const { driver } = makeScriptedProvider({
    instance,
    changeModel: "snapshotFull",
    scope: "account",
    idTrust: "stable",
    pageSize: 10,
    overlapDays: 0,
    historyDays: 90
  })
  return { ...driver, countryCodes, listInstitutions: () => answer }
}

const caller = Effect.provide(Effect.map(makeWorkspace(), ownerOf), Ids.layer)

describe("the search for institutions", () => {
  it("ranks the name itself, what begins so, and words; without regard to case, accents and signs", () => {
    const names = [
      "Caisse d’Épargne",
      "First Bank",
      "First Bankers",
      "The First Bank",
      "Bank First",
      "Other",
      "北京银行"
    ]
    const ranks = (query: string) => names.map((name) => institutionRank(name, query))
    expect(ranks("first bank")).toEqual([undefined, 0, 1, 2, 3, undefined, undefined])
    expect(ranks("epargne")).toEqual([2, undefined, undefined, undefined, undefined, undefined, undefined])
    expect(ranks("CAISSE D'EPARGNE")[0]).toBe(0)
    expect(ranks("irst")).toEqual(names.map(() => undefined))
    expect(ranks("北京")[6]).toBe(1)
    expect(institutionRank("A&B", "&")).toBe(3)
  })

  it.effect("asks all providers at once, and none that fails or hangs takes anything from the others", () => {
    const names = new InstitutionNames()
    return Effect.gen(function* () {
      const limited = new RateLimited({ message: "slower", scope: "client", retryAfter: 30, providerCode: "R1" })
      const providers = Providers.layer([
        provider("us", ["US"], Effect.succeed([named("First Union"), named("First"), named("Second")])),
        provider("gb", ["GB"], Effect.succeed([named("First of Kent", ["GB"]), named("First", ["GB"])])),
        provider("limited", ["US"], Effect.fail(limited)),
        provider("hangs", [], Effect.never),
        provider("many", [], Effect.succeed(Array.from({ length: 80 }, (_, n) => named(`First ${n}`, []))))
      ])
      const services = yield* Layer.build(Institutions.layer.pipe(Layer.provide(providers)))
      const by = yield* caller
      const search = (more: object) =>
        Effect.gen(function* () {
          const asked = (yield* Institutions).search(by, { query: "first", countryCodes: [], ...more })
          const fiber = yield* Effect.forkChild(asked)
          yield* TestClock.adjust("10 seconds")
          return yield* Fiber.join(fiber)
        }).pipe(Effect.provide(services))
      const { institutions, providers: results } = yield* search({})
      expect(results).toMatchObject([
        { id: "demo:us", status: "ok", contributed: 2 },
        { id: "demo:gb", status: "ok", contributed: 2 },
        { id: "demo:limited", status: "rate_limited", contributed: 0, error: "slower", providerErrorCode: "R1" },
        { id: "demo:hangs", status: "failed", contributed: 0 },
        { id: "demo:many", status: "ok", contributed: 50 }
      ])
      expect(results[2]!.retryAfter).toBeDefined()
      expect(institutions.slice(0, 2).map(({ id, providerInstanceId }) => [id, providerInstanceId])).toEqual([
        ["First", "demo:gb"],
        ["First", "demo:us"]
      ])
      // Codes as people write them.
      const british = yield* search({ countryCodes: ["gb"] })
      expect(british.providers.map(({ status }) => status)).toEqual([
        "skipped_unsupported_country",
        "ok",
        "skipped_unsupported_country",
        "failed",
        "ok"
      ])
      expect(british.institutions.slice(0, 1)).toMatchObject([{ name: "First", countryCodes: ["GB"] }])
      const one = yield* search({ providerInstanceId: "demo:gb" })
      expect(one.providers.filter(({ status }) => status !== "skipped_excluded")).toMatchObject([{ id: "demo:gb" }])
      expect(one.institutions.map(({ name }) => name)).toEqual(["First", "First of Kent"])
      // What was shown is known by name from then on, and nothing else.
      expect([names.nameOf("demo:gb", "First of Kent"), names.nameOf("demo:us", "Second")]).toEqual([
        "First of Kent",
        undefined
      ])
    }).pipe(Effect.provideService(KnownInstitutions, names))
  })

  it("remembers the names that were shown last", () => {
    const names = new InstitutionNames(2)
    for (const id of ["a", "b", "a", "c"]) names.learn("demo:one", [{ id, name: `Bank ${id}` }])
    expect(["a", "b", "c"].map((id) => names.nameOf("demo:one", id))).toEqual(["Bank a", undefined, "Bank c"])
    expect(names.nameOf("demo:two", "a")).toBeUndefined()
  })
})
