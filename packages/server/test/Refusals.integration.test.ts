/** What the server cannot run with: it says which setting is at fault, and ends with 1. */
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises"
import { createServer, type Server as NetServer } from "node:net"
import { join } from "node:path"
import { type DataFolder, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { makeServerDatabase, type ServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import { freePort, killServers, runServer, startServer } from "@millrace/verification/process/ServerProcess"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import manifest from "../package.json" with { type: "json" }
import { newOwnerKeys } from "../src/OwnerKey.ts"
import { isReachable } from "../src/postgres/Reach.ts"
import * as Server from "../src/Server.ts"
import { settingNames, settings } from "../src/Settings.ts"

const secret = Buffer.alloc(32, 5).toString("base64")
const isRoot = process.getuid?.() === 0

let folder: DataFolder
let database: ServerDatabase

beforeAll(async () => {
  folder = await makeDataFolder()
  database = await makeServerDatabase(inject("postgres"))
})

afterAll(async () => {
  await killServers()
  await folder.remove()
  await database.drop()
})

const inFolder = (environment: Readonly<Record<string, string>>) => ({
  environment: { MILLRACE_DATA: join(folder.path, "data"), ...environment }
})

/** Read in this process: that a failure ends a process, with its sentence, is shown once for all of them. */
const settingsOf = (environment: Readonly<Record<string, string>>) =>
  settings.pipe(
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({ env: { ...inFolder(environment).environment } })
    )
  )

const messageOf = <A, E>(program: Effect.Effect<A, E, Scope.Scope>): Promise<string> =>
  Effect.runPromise(
    Effect.map(Effect.flip(Effect.scoped(program)), (error) =>
      Predicate.hasProperty(error, "message") ? String(error.message) : String(error)
    )
  )

/** Why a server with these settings cannot run. */
const refusal = (environment: Readonly<Record<string, string>>): Promise<string> =>
  messageOf(
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      const config = yield* settingsOf({ MILLRACE_PORT: String(port), ...environment })
      return yield* Layer.build(Server.layer(config))
    })
  )

/** Why no new key can be made. */
const newKey = (environment: Readonly<Record<string, string>>): Promise<string> =>
  messageOf(
    Effect.flatMap(settingsOf(environment), (config) =>
      Effect.provide(newOwnerKeys(), Server.layerKernel(config, Server.layerAdapters(config), Server.layerNoEngine))
    )
  )

describe("a setting that cannot be used", () => {
  it("ends the process with one line that names it, and nothing is made", async () => {
    const { code, stderr, stdout } = await runServer(inFolder({ DATABASE_URL: "mysql://u:hidden@h/d" }))
    expect(stderr).toContain("Millrace cannot run: DATABASE_URL must be of the form postgres://")
    expect(stderr.trim().split("\n")).toHaveLength(1)
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).not.toContain("hidden")
    expect(await readdir(folder.path)).toEqual([])
  })

  it("is named: a database that cannot be reached", async () => {
    const url = `postgres://millrace:hidden@127.0.0.1:${await freePort()}/none`
    const message = await refusal({ DATABASE_URL: url, MILLRACE_SECRET: secret })
    expect(message).toMatch(/^The database that DATABASE_URL names cannot be used: .*ECONNREFUSED/)
    expect(message).not.toContain("hidden")
    expect(await readdir(folder.path)).toEqual([])
  })

  it("is named: a password that the database refuses", async () => {
    const url = new URL(database.url)
    url.password = "wrong"
    const message = await refusal({ DATABASE_URL: url.href, MILLRACE_SECRET: secret })
    expect(message).toMatch(/^The database that DATABASE_URL names cannot be used: .*28P01/)
  })
})

describe("a database of a newer version", () => {
  it("is named, and left as it was", async () => {
    const newer = await makeServerDatabase(inject("postgres"))
    try {
      const environment = { DATABASE_URL: newer.url, MILLRACE_SECRET: secret }
      await newKey(environment)
      await newer.query("insert into schema_migration (migration_id, name) values (900, 'later')")
      expect(await refusal(environment)).toMatch(
        /^The database that DATABASE_URL names cannot be used: A newer version of Millrace has used it/
      )
      expect(await newer.query("select count(*)::int as n from workspace")).toEqual([{ n: 0 }])
    } finally {
      await newer.drop()
    }
  })
})

const cannotBeNobody = isRoot && !(await isReachable(process.execPath))

describe("a data folder that cannot be written to", () => {
  it("is refused where a file stands in its way", async () => {
    const file = join(folder.path, "file")
    await writeFile(file, "")
    expect(await refusal({ MILLRACE_DATA: join(file, "data") })).toContain(
      `The data folder ${join(file, "data")} cannot be made. Set MILLRACE_DATA`
    )
  })

  // Skipped as root in a checkout that others may not enter: nobody could not even start Node there.
  it.skipIf(cannotBeNobody)("is refused where the user may not write, and left as it was", async () => {
    const closed = join(folder.path, "closed")
    await mkdir(closed)
    await chmod(closed, 0o555)
    // Root may write everywhere, so there the server runs as nobody.
    const as = isRoot ? { uid: 65_534 } : {}
    const own = await runServer({ environment: { MILLRACE_DATA: closed }, ...as })
    expect(own.stderr).toContain(`The data folder ${closed} cannot be written to. Set MILLRACE_DATA`)
    const below = await runServer({ environment: { MILLRACE_DATA: join(closed, "data") }, ...as })
    expect(below.stderr).toContain(`The data folder ${join(closed, "data")} cannot be made. Set MILLRACE_DATA`)
    const keyOnly = await runServer({ environment: { MILLRACE_DATA: closed, DATABASE_URL: database.url }, ...as })
    expect(keyOnly.stderr).toContain(
      `The key file ${join(closed, "secret.key")} cannot be read or made. Set MILLRACE_DATA`
    )
    expect([own.code, below.code, keyOnly.code]).toEqual([1, 1, 1])
    expect(await readdir(closed)).toEqual([])
  })
})

describe("a port that another program uses", () => {
  let taken: NetServer
  let port: number

  beforeAll(async () => {
    port = await freePort()
    taken = createServer()
    await new Promise<void>((ready) => taken.listen(port, "127.0.0.1", ready))
  })

  afterAll(() => new Promise<void>((closed) => taken.close(() => closed())))

  it("is named, and nothing is begun that the next start would find", async () => {
    const environment = { DATABASE_URL: database.url, MILLRACE_SECRET: secret, MILLRACE_DEMO: "false" }
    const { code, stderr, stdout } = await runServer({ ...inFolder(environment), port })
    expect(stderr).toContain(
      `Millrace cannot run: Port ${port} of 127.0.0.1 cannot be served on: another program uses it. Set MILLRACE_PORT`
    )
    expect(code).toBe(1)
    expect(stdout).not.toContain("API key")
    expect(await database.query("select count(*)::int as n from workspace")).toEqual([{ n: 0 }])

    const next = await startServer(inFolder(environment))
    await next.line(/Serving/)
    expect(next.stdout()).toMatch(/API key +mill_/)
    expect(next.stdout()).not.toContain("Bank ")
    expect(await next.kill("SIGTERM")).toEqual({ code: 0, signal: null })
    expect(await database.query("select count(*)::int as n from workspace")).toEqual([{ n: 1 }])
  })
})

describe("a cluster port that another program uses", () => {
  it("is named by its setting", async () => {
    const taken = createServer()
    const port = await freePort()
    await new Promise<void>((ready) => taken.listen(port, "127.0.0.1", ready))
    const environment = { DATABASE_URL: database.url, MILLRACE_SECRET: secret, MILLRACE_CLUSTER: `127.0.0.1:${port}` }
    expect(await refusal(environment)).toBe(
      `Port ${port} of 127.0.0.1 cannot be served on: another program uses it. Set MILLRACE_CLUSTER to a free one.`
    )
    await new Promise<void>((closed) => taken.close(() => closed()))
  })
})

describe("options", () => {
  it("explain every setting on --help", async () => {
    const { code, stderr, stdout } = await runServer({ ...inFolder({}), args: ["--help"] })
    expect([code, stderr]).toEqual([0, ""])
    for (const name of [...Object.keys(settingNames), "--new-key", "--version"]) expect(stdout).toContain(name)
  })

  it("tell the version on --version", async () => {
    const { code, stdout } = await runServer({ ...inFolder({}), args: ["--version"] })
    expect([code, stdout]).toEqual([0, `${manifest.version}\n`])
  })

  it("make no key where there is no workspace yet", async () => {
    const empty = await makeServerDatabase(inject("postgres"))
    try {
      const message = await newKey({ DATABASE_URL: empty.url, MILLRACE_SECRET: secret })
      expect(message).toContain("There is no workspace yet")
    } finally {
      await empty.drop()
    }
  })
})
