/** Modules that a configuration file names, loaded by the server from a folder that has no installation of its own. */
import { bundledProviders } from "@millrace/adapters/provider"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort, killServers, runServer } from "@millrace/verification/process/ServerProcess"
import { afterAll, beforeAll, expect, it } from "vitest"

let folder: string

const files: Readonly<Record<string, string>> = {
  "kind.ts": `export const kind: string = "acme"`,
  "acme.ts": `
    import { extension } from "@millrace/core/extension"
    import { Outbound } from "@millrace/core/outbound"
    import { Misconfigured, Secret, type ProviderFactory } from "@millrace/core/provider"
    import * as Effect from "effect/Effect"
    import * as Redacted from "effect/Redacted"
    import * as Schema from "effect/Schema"
    import { kind } from "./kind.ts"

    const Config = Schema.Struct({ token: Secret })
    const acme: ProviderFactory<typeof Config.Type> = {
      kind, label: "Acme", Config,
      make: ({ config }) =>
        Effect.flatMap(Outbound, () => new Misconfigured({ message: "made with " + Redacted.value(config.token).length }))
    }
    export default extension({ providers: [acme] })`,
  "empty.ts": "export const nothing = 1",
  "broken.ts": "export default (",
  "wrong.ts": "export default { providers: [{ name: 1 }] }"
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-modules-"))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
})

afterAll(async () => {
  await killServers()
  await rm(folder, { recursive: true, force: true })
})

const started = async (config: unknown, environment: Readonly<Record<string, string>> = {}) => {
  const path = join(folder, "millrace.config.json")
  await writeFile(path, JSON.stringify(config))
  const { stderr } = await runServer({
    environment: { MILLRACE_CONFIG: path, MILLRACE_DATA: join(folder, "data"), ...environment },
    fromSource: true
  })
  expect(stderr).toContain("Millrace cannot run: ")
  return stderr
}

it("tells of each module that cannot be used why, and starts nothing", async () => {
  const modules = ["./acme.ts", "./absent.ts", "not-installed", "./empty.ts", "./broken.ts", "./wrong.ts"]
  const told = await started({ modules })
  expect(told).not.toContain("modules[0]")
  expect(told).toContain('modules[1]: "./absent.ts" cannot be found: give a path such as "./my-provider.ts"')
  expect(told).toContain('modules[2]: "not-installed" cannot be found')
  expect(told).toContain('modules[3]: "./empty.ts" has no extension as its default export')
  expect(told).toContain('modules[4]: "./broken.ts" cannot be loaded')
  expect(told).toContain('modules[5]: "./wrong.ts" has no extension as its default export')
})

it("has the kinds of a module beside the bundled ones, and gives their drivers their secrets", async () => {
  const instance = { id: "acme:main", config: { token: { env: "ACME_TOKEN" } } }
  const told = await started({
    modules: ["./acme.ts"],
    providers: [{ id: "other:main" }, { id: "acme:main", config: { token: "s3cret" } }]
  })
  const kinds = [...bundledProviders.map(({ kind }) => kind), "acme"].join(", ")
  expect(told).toContain(`providers[0].id names a provider that is not here; there are ${kinds}`)
  expect(told).toContain('providers[1].config.token must be given as { "env": "NAME" }')
  expect(told).not.toContain("s3cret")
  const nobody = `postgres://millrace@127.0.0.1:${await freePort()}/none`
  const secret = Buffer.alloc(32, 5).toString("base64")
  const away = await started(
    { modules: ["./acme.ts"], providers: [instance] },
    { ACME_TOKEN: "s3cret", DATABASE_URL: nobody, MILLRACE_SECRET: secret }
  )
  // The configuration is right: what the server meets next is a database that is not there.
  expect(away).toContain("The database that DATABASE_URL names cannot be used")
  expect(away).not.toContain("s3cret")
})
