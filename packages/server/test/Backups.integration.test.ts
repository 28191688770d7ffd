/** A backup of a server that works, and what is made of it. */
import { copyFile } from "node:fs/promises"
import { join } from "node:path"
import { call } from "@millrace/verification/process/ApiCaller"
import { type DataFolder, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { numbersIn, sumOf } from "@millrace/verification/process/Reading"
import { killServers, runServer, type ServerProcess, startServer } from "@millrace/verification/process/ServerProcess"
import { afterAll, beforeAll, expect, it } from "vitest"
import { parseOptions } from "../src/Options.ts"

let from: DataFolder
let to: DataFolder
let server: ServerProcess
let apiKey: string

const start = async (folder: DataFolder) => {
  server = await startServer({ environment: { MILLRACE_DATA: folder.path } })
  await server.line(/Serving/, 300_000)
}
const runIn = (folder: DataFolder, ...args: ReadonlyArray<string>) =>
  runServer({ environment: { MILLRACE_DATA: folder.path }, args })

const tableOf = async () => {
  const listed = (await call(server.url, apiKey, "/v1/tables")).json() as { data: ReadonlyArray<{ id: string }> }
  const { body } = await call(server.url, apiKey, `/v1/tables/${listed.data[0]!.id}/rows?limit=500`)
  const amounts = numbersIn(body, "amount")
  return { rows: amounts.length, sum: sumOf(amounts) }
}

beforeAll(async () => {
  from = await makeDataFolder()
  to = await makeDataFolder()
})

afterAll(async () => {
  await killServers()
  await from.remove()
  await to.remove()
})

it(
  "a backup of a server that works is restored into an empty folder, and opens with its key alone",
  { timeout: 600_000 },
  async () => {
    expect(await runIn(from, "--backup", "none")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There is nothing in ${from.path} to make a backup of.`)
    })
    await start(from)
    apiKey = server.stdout().match(/mill_[A-Za-z0-9]{44}/)?.[0] ?? ""
    const before = await tableOf()
    const file = join(to.path, "backup")
    const calls = Array.from({ length: 50 }, () => call(server.url, apiKey, "/v1/whoami"))
    const made = await runIn(from, "--backup", file)
    expect([made.code, made.stderr]).toEqual([0, ""])
    expect(made.stdout).toContain(`${join(from.path, "secret.key")} is not in it`)
    for (const { status } of await Promise.all(calls)) expect([200, 429]).toContain(status)
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null })

    const restored = await runIn(to, "--restore", file)
    expect([restored.code, restored.stderr]).toEqual([0, ""])
    const again = await runIn(to, "--restore", file)
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("It holds data already")])
    const keyless = await runIn(to, "--new-key")
    expect([keyless.code, keyless.stderr]).toEqual([1, expect.stringContaining("sealed with another key")])
    await copyFile(join(from.path, "secret.key"), join(to.path, "secret.key"))
    await start(to)
    expect(await tableOf()).toEqual(before)
    expect(before.rows).toBeGreaterThan(0)
    expect((await call(server.url, apiKey, "/v1/feeds")).status).toBe(200)
  }
)

it("options that cannot be meant are refused with what is wrong", () => {
  expect(parseOptions(["--backup"])).toBe("--backup needs the name of a file.")
  expect(parseOptions(["--restore", "--help"])).toBe("--restore needs the name of a file.")
  expect(parseOptions(["--backup=a", "--restore", "b"])).toBe("--backup and --restore cannot be asked for together.")
  expect(parseOptions(["--backup", "-h"])).toMatchObject({ backup: "-h" })
  expect(parseOptions(["--newkey"])).toBe("There is no option --newkey. --help lists them.")
})
