/** What the server cannot run with: it says which setting is at fault, and ends with 1. */
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { type DataFolder, makeDataFolder } from "@millrace/testing/process/DataFolder"
import { makeServerDatabase, type ServerDatabase } from "@millrace/testing/process/ServerDatabase"
import { freePort, killServers, runServer, startServer } from "@millrace/testing/process/ServerProcess"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import manifest from "../package.json" with { type: "json" }
import { isReachable } from "../src/postgres/Reach.ts"
import { settingNames } from "../src/Settings.ts"

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

describe("a setting that cannot be used", () => {
  it.each([
    [
      "a port that is no number",
      { MILLRACE_PORT: "abc" },
      'MILLRACE_PORT must be a whole number from 1 to 65535, and is "abc".'
    ],
    ["a port beyond the last", { MILLRACE_PORT: "70000" }, "MILLRACE_PORT must be a whole number from 1 to 65535"],
    ["too many slots", { MILLRACE_SLOTS: "101" }, "MILLRACE_SLOTS must be a whole number from 0 to 100"],
    ["no slot for jobs and nobody else to run them", { MILLRACE_SLOTS: "0" }, "MILLRACE_SLOTS=0 needs DATABASE_URL"],
    ["a cluster on the built-in database", { MILLRACE_CLUSTER: "one:7000" }, "MILLRACE_CLUSTER needs DATABASE_URL"],
    [
      "a cluster address without a port",
      { MILLRACE_CLUSTER: "one", DATABASE_URL: "postgres://nobody@127.0.0.1/none" },
      'MILLRACE_CLUSTER must be of the form host:port, as other processes reach this one, and is "one".'
    ],
    [
      "a budget without an instance",
      { MILLRACE_BUDGETS: "demo:default=600/30,600" },
      'MILLRACE_BUDGETS must be a list such as "demo:default=600,demo:other=100/10"'
    ],
    ["a lease of no time", { MILLRACE_JOB_LEASE: "0" }, "MILLRACE_JOB_LEASE must be a whole number from 1 to 3600"],
    [
      "no requests at all",
      { MILLRACE_REQUESTS_PER_MINUTE: "0" },
      "MILLRACE_REQUESTS_PER_MINUTE must be a whole number from 1 to 100000"
    ],
    ["a flag that is neither", { MILLRACE_DEMO: "perhaps" }, 'MILLRACE_DEMO must be true or false, and is "perhaps".'],
    ["a secret of the wrong length", { MILLRACE_SECRET: "c2hvcnQ=" }, "MILLRACE_SECRET must be 32 bytes in base64"],
    [
      "a former secret without the one of now",
      { MILLRACE_SECRET_PREVIOUS: Buffer.alloc(32).toString("base64") },
      "MILLRACE_SECRET_PREVIOUS needs MILLRACE_SECRET"
    ],
    [
      "a former secret of the wrong length",
      { MILLRACE_SECRET: secret, MILLRACE_SECRET_PREVIOUS: `${secret},c2hvcnQ=` },
      "MILLRACE_SECRET_PREVIOUS must be former values of MILLRACE_SECRET"
    ],
    [
      "an address of something else",
      { DATABASE_URL: "mysql://u:hidden@h/d" },
      "DATABASE_URL must be of the form postgres://"
    ]
  ])("is named: %s", async (_, environment, message) => {
    const { code, stderr, stdout } = await runServer(inFolder(environment))
    expect(stderr).toContain(`Millrace cannot run: ${message}`)
    expect(stderr.trim().split("\n")).toHaveLength(1)
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).not.toContain("hidden")
    expect(await readdir(folder.path)).toEqual([])
  })

  it("is named: a database that cannot be reached", async () => {
    const url = `postgres://millrace:hidden@127.0.0.1:${await freePort()}/none`
    const { code, stderr } = await runServer(inFolder({ DATABASE_URL: url, MILLRACE_SECRET: secret }))
    expect(stderr).toMatch(/Millrace cannot run: The database that DATABASE_URL names cannot be used: .*ECONNREFUSED/)
    expect(code).toBe(1)
    expect(stderr).not.toContain("hidden")
    expect(await readdir(folder.path)).toEqual([])
  })

  it("is named: a password that the database refuses", async () => {
    const url = new URL(database.url)
    url.password = "wrong"
    const { code, stderr } = await runServer(inFolder({ DATABASE_URL: url.href, MILLRACE_SECRET: secret }))
    expect(stderr).toMatch(/The database that DATABASE_URL names cannot be used: .*28P01/)
    expect(code).toBe(1)
  })
})

describe("a database of a newer version", () => {
  it("is named, and left as it was", async () => {
    const newer = await makeServerDatabase(inject("postgres"))
    try {
      const environment = { DATABASE_URL: newer.url, MILLRACE_SECRET: secret }
      expect(await runServer({ ...inFolder(environment), args: ["--new-key"] })).toMatchObject({ code: 1 })
      await newer.query("insert into schema_migration (migration_id, name) values (900, 'later')")
      const { code, stderr } = await runServer(inFolder(environment))
      expect(stderr).toContain(
        "Millrace cannot run: The database that DATABASE_URL names cannot be used: A newer version of Millrace has used it"
      )
      expect(code).toBe(1)
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
    const { code, stderr } = await runServer({ environment: { MILLRACE_DATA: join(file, "data") } })
    expect(stderr).toContain(`The data folder ${join(file, "data")} cannot be made. Set MILLRACE_DATA`)
    expect(code).toBe(1)
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
  let taken: Server
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
    const { code, stderr } = await runServer(inFolder(environment))
    expect(stderr).toContain(
      `Port ${port} of 127.0.0.1 cannot be served on: another program uses it. Set MILLRACE_CLUSTER to a free one.`
    )
    expect(code).toBe(1)
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

  it("are refused when there is no such option", async () => {
    const { code, stderr, stdout } = await runServer({ ...inFolder({}), args: ["--newkey"] })
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toBe("There is no option --newkey. --help lists them.\n")
  })

  it("make no key where there is no workspace yet", async () => {
    const empty = await makeServerDatabase(inject("postgres"))
    try {
      const environment = { DATABASE_URL: empty.url, MILLRACE_SECRET: secret }
      const { code, stderr } = await runServer({ ...inFolder(environment), args: ["--new-key"] })
      expect(stderr).toContain("There is no workspace yet")
      expect(code).toBe(1)
    } finally {
      await empty.drop()
    }
  })
})
