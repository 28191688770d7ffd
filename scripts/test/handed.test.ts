import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { type Exception, faultsOf, filesOf, handedIn } from "../handed.ts"

const path = "packages/core/src/feed/Planted.ts"

/** The services that the functions of a planted file are handed. */
const handed = (text: string, others: Readonly<Record<string, string>> = {}) =>
  handedIn([{ path, text }, ...Object.entries(others).map(([other, content]) => ({ path: other, text: content }))])
    .filter((one) => one.path === path)
    .map(({ service }) => service)

const use = (from: string) => `import type { Parts as Own } from "${from}"\nconst f = (parts: Own) => parts`

describe("functions that are handed services", () => {
  it("are none in this repository", () => {
    expect(faultsOf(handedIn(filesOf(fileURLToPath(new URL("../..", import.meta.url)))))).toEqual([])
  })

  it.each([
    ["a service", 'export const f = (store: FeedStore["Service"]) => store'],
    ["in a declared function", 'function f(store: FeedStore["Service"]) {}'],
    ["in a generator", 'const f = Effect.fn("f")(function* (store: FeedStore["Service"]) {})'],
    ["in a method", 'class F { f(store: FeedStore["Service"]) {} }'],
    ["in a signature", 'interface F { readonly f: (store: FeedStore["Service"]) => void }'],
    ["by its other name", "const f = (store: typeof FeedStore.Service) => store"],
    ["with others", 'const f = ({ store }: { readonly id: string; readonly store: FeedStore["Service"] }) => store'],
    ["with a default", 'const f = (store: FeedStore["Service"] = none) => store'],
    ["a part of one", 'const f = (store: Pick<FeedStore["Service"], "get">) => store'],
    ["a method of one", 'const f = (get: FeedStore["Service"]["get"]) => get'],
    ["a type that stands for one", 'type Store = FeedStore["Service"]\nconst f = (store: Store) => store'],
    [
      "a type that holds one, through another",
      'interface Parts { readonly store: FeedStore["Service"] }\ntype All = Parts & { readonly n: 1 }\nconst f = (all: All) => all'
    ],
    ["in the constructor of a class for others", 'export class F { constructor(store: FeedStore["Service"]) {} }']
  ])("are found: %s", (_, text) => {
    expect(handed(text)).toEqual(["FeedStore"])
  })

  it("are found where the type comes from another file or package", () => {
    const parts = 'export interface Parts { readonly store: FeedStore["Service"] }'
    expect(handed(use("./Parts.ts"), { "packages/core/src/feed/Parts.ts": parts })).toEqual(["FeedStore"])
    expect(handed(use("@millrace/jobs"), { "packages/jobs/src/Parts.ts": parts })).toEqual(["FeedStore"])
    expect(handed(use("./Other.ts"), { "packages/core/src/feed/Parts.ts": parts })).toEqual([])
  })

  it.each([
    ["that ask for it", "const make = Effect.gen(function* () { const store = yield* FeedStore })"],
    ["that give back what they add to", 'const f = (store: FeedStore["Service"]): FeedStore["Service"] => store'],
    ["of a service that is a value", 'const f = (digest: Digest["Service"]) => digest'],
    ["of a setting", 'const Limit = Context.Reference("limit", {})\nconst f = (limit: typeof Limit.Service) => limit'],
    ["with what a method takes", 'const f = (query: Parameters<FeedStore["Service"]["list"]>[0]) => query'],
    [
      "in a class that the file keeps to itself",
      'class F { constructor(store: FeedStore["Service"]) {} }\nexport type { F }'
    ]
  ])("are none: functions %s", (_, text) => {
    expect(handed(text)).toEqual([])
  })

  it("may be excepted, and an exception that is not needed is found", () => {
    const found = handedIn([{ path, text: '\nconst f = (store: FeedStore["Service"]) => store' }])
    const exception: Exception = { under: "packages/core/src/feed/", service: "FeedStore", reason: "none other serves" }
    expect(faultsOf(found, [])).toEqual([`${path}:2: is handed FeedStore: ask for it (yield* FeedStore)`])
    expect(faultsOf(found, [exception])).toEqual([])
    expect(faultsOf([], [exception])).toEqual([expect.stringContaining("is not needed")])
  })
})
