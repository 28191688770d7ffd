/** The configuration file: what it gives, and what is told of one that cannot be used. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundledProviders } from "@millrace/adapters/provider"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { loadConfiguration } from "../src/Configuration.ts"
import { settings } from "../src/Settings.ts"

const bundledKinds = bundledProviders.map(({ kind }) => kind).join(", ")

let folder: string
let path: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-config-"))
  path = join(folder, "millrace.config.json")
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** The configuration that a server with this file would work with. */
const load = async (file: unknown, env: Readonly<Record<string, string>> = {}) => {
  await writeFile(path, typeof file === "string" ? file : JSON.stringify(file))
  return Effect.flatMap(settings, loadConfiguration).pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({ env: { MILLRACE_CONFIG: path, ...env } })
    )
  )
}

const refusal = async (file: unknown, env?: Readonly<Record<string, string>>) =>
  Effect.runPromise(Effect.map(Effect.flip(await load(file, env)), ({ message }) => message))

describe("a configuration file", () => {
  it("adds its instances to those of the settings, and stands for those of the same id", async () => {
    const providers = [
      { id: "demo:shop", name: "Shop window", config: { seed: "a" }, budget: { perMinute: 9 } },
      { id: "demo:default", name: "Ours" }
    ]
    const { budgets, instances, providers: drivers } = await Effect.runPromise(await load({ providers }))
    expect(instances).toEqual(["demo:shop", "demo:default"])
    expect(drivers).toHaveLength(2)
    expect(budgets).toEqual(new Map([["demo:shop", { perMinute: 9 }]]))
    const only = await load({ providers: providers.slice(0, 1) }, { MILLRACE_PROVIDERS: "none" })
    expect((await Effect.runPromise(only)).instances).toEqual(["demo:shop"])
  })

  it("may take values from the environment, which are secret from then on", async () => {
    const providers = [{ id: "demo:shop", config: { seed: { env: "SEED" } } }]
    // The seed is no secret, so its kind takes none in its place; and nothing of it is told.
    const message = await refusal({ providers }, { SEED: "s3cret" })
    expect(message).toContain("providers[0].config.seed")
    expect(message).not.toContain("s3cret")
  })
})

describe("models of a configuration file", () => {
  it("come in its order, with keys from the environment that show nowhere", async () => {
    const models = [
      { name: "own", baseUrl: "http://[::1]:8080/v1", model: "small" },
      {
        name: "hosted",
        baseUrl: "https://api.example/v1",
        model: "large",
        apiKey: { env: "MODEL_KEY" },
        workspaces: ["ws_00000000000000000000000001"],
        monthlyTokens: { perWorkspace: 1_000, total: 5_000 },
        temperature: null
      }
    ]
    const loaded = await Effect.runPromise(
      await load({ models, privateHosts: { models: ["[::1]:8080"] } }, { MODEL_KEY: "s3cret" })
    )
    expect(loaded.models.map(({ name, workspaces }) => [name, workspaces])).toEqual([
      ["own", undefined],
      ["hosted", ["ws_00000000000000000000000001"]]
    ])
    expect(loaded.models[1]!.monthlyTokens).toEqual({ perWorkspace: 1_000, total: 5_000 })
    expect(Redacted.value(loaded.models[1]!.apiKey!)).toBe("s3cret")
    expect(JSON.stringify(loaded.models)).not.toContain("s3cret")
  })
})

describe("a configuration that cannot be used is told with file, path and what to do:", () => {
  it.each([
    ["no JSON", '{"providers": s3cret', "is not JSON"],
    ["a list", [], "must be"],
    ["a key that nobody knows", { provider: [] }, "provider is not a known key"],
    [
      "a limit of tokens below 0",
      { models: [{ name: "own", baseUrl: "https://api.example/v1", model: "m", monthlyTokens: { total: -1 } }] },
      "models[0].monthlyTokens.total must be"
    ],
    [
      "an id without a kind",
      { providers: [{ id: "shop" }] },
      "providers[0].id must be the kind of the provider, a colon"
    ],
    [
      "a kind that is not here",
      { providers: [{ id: "acme:main" }] },
      `providers[0].id names a provider that is not here; there are ${bundledKinds}`
    ],
    [
      "an id twice",
      { providers: [{ id: "demo:a" }, { id: "demo:a" }] },
      'providers[1].id is "demo:a" like an earlier one'
    ],
    [
      "a setting that the kind does not know",
      { providers: [{ id: "demo:a", config: { sead: "x" } }] },
      "providers[0].config.sead is not a known key"
    ],
    [
      "a variable that is not set",
      { providers: [{ id: "demo:a", config: { seed: { env: "NOT_SET" } } }] },
      "providers[0].config.seed names the environment variable NOT_SET, which is not set"
    ],
    [
      "a budget of nothing",
      { providers: [{ id: "demo:a", budget: { perMinute: 0 } }] },
      "providers[0].budget.perMinute"
    ],
    [
      "a model by a reserved name",
      { models: [{ name: "local", baseUrl: "https://api.example/v1", model: "m" }] },
      "models[0].name must be"
    ],
    [
      "a model in the own network that nobody allowed",
      { models: [{ name: "own", baseUrl: "http://127.0.0.1:11434/v1", model: "m" }] },
      'models[0].baseUrl begins with http: and is asked only where the file names its host: "privateHosts": { "models": ["127.0.0.1:11434"] }'
    ],
    [
      "a model with its key in the URL",
      { models: [{ name: "own", baseUrl: "https://user:s3cret@api.example/v1", model: "m" }] },
      "models[0].baseUrl must hold no user or password"
    ],
    [
      "a model with a key that is not set",
      { models: [{ name: "own", baseUrl: "https://api.example/v1", model: "m", apiKey: { env: "NOT_SET" } }] },
      "models[0].apiKey names the environment variable NOT_SET"
    ],
    [
      "two models of one name",
      {
        models: [1, 2].map((n) => ({ name: "own", baseUrl: "https://api.example/v1", model: `m${n}` }))
      },
      'models[1].name "own" is the name of two endpoints'
    ],
    [
      "a model for what is no workspace",
      { models: [{ name: "own", baseUrl: "https://api.example/v1", model: "m", workspaces: ["acme"] }] },
      "models[0].workspaces[0] must be"
    ],
    [
      "a model for nobody",
      { models: [{ name: "own", baseUrl: "https://api.example/v1", model: "m", workspaces: [] }] },
      "models[0].workspaces"
    ],
    [
      "a host by a pattern",
      { privateHosts: { messages: ["*.corp"] } },
      'privateHosts.messages: "*.corp" is not the name'
    ],
    [
      "a host of a provider by a pattern",
      { providers: [{ id: "demo:default", privateHosts: ["*.corp"] }] },
      'providers[0].privateHosts: "*.corp" is not the name'
    ],
    ["hosts for all purposes at once", { privateHosts: ["bank.internal"] }, "privateHosts must be"],
    ["rates that are not there", { rates: { file: "rates.csv" } }, "rates.csv cannot be read (ENOENT)"],
    [
      "a day of no week",
      { businessDays: { standard: { weekend: [7], holidays: [] } } },
      "businessDays.standard.weekend[0]"
    ],
    ["a workspace that is none", { businessDays: { workspaces: { acme: { weekend: [], holidays: [] } } } }, "acme"],
    ["an empty file", "", "is not JSON"]
  ])("%s", async (_, file, told) => {
    const message = await refusal(file)
    expect(message).toContain(`${path}: `)
    expect(message).toContain(told)
    expect(message).not.toContain("s3cret")
  })

  it("a file that is named and missing, and none that is not named", async () => {
    const missing = join(folder, "elsewhere.json")
    expect(await refusal("{}", { MILLRACE_CONFIG: missing })).toContain(`${missing}: cannot be read (ENOENT)`)
    const none = Effect.flatMap(settings, (found) =>
      loadConfiguration({ ...found, configFile: { path: missing, required: false } })
    ).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: {} })))
    expect((await Effect.runPromise(none)).instances).toEqual(["demo:default"])
  })

  it("a provider of the settings that is not here", async () => {
    expect(await refusal({}, { MILLRACE_PROVIDERS: "demo:a, acme:main" })).toBe(
      `MILLRACE_PROVIDERS: "acme:main" names a provider that is not here; there are ${bundledKinds}`
    )
  })
})
