/** A collection of a module, in the bundled server: on PostgreSQL, over HTTP and on the command line. */
import { spawn } from "node:child_process"
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeServerDatabase, type ServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import { killServers, runServer, startServer } from "@millrace/verification/process/ServerProcess"
import { toRun } from "@millrace/verification/process/Programs"
import { afterAll, beforeAll, expect, inject, it } from "vitest"

const example = fileURLToPath(new URL("../../../examples/add-a-collection.ts", import.meta.url))
const cli = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url))

let folder: string
let database: ServerDatabase
beforeAll(async () => {
  database = await makeServerDatabase(inject("postgres"), "migrated")
  folder = await mkdtemp(join(tmpdir(), "millrace-collections-"))
  await copyFile(example, join(folder, "notes.ts"))
  await writeFile(join(folder, "millrace.config.json"), JSON.stringify({ modules: ["./notes.ts"] }))
})
afterAll(async () => {
  await killServers()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const commandLine = async (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const program = await toRun(cli)
  return new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>(
    (resolve, reject) => {
      const child = spawn(process.execPath, [...program, ...args], {
        env: { PATH: process.env["PATH"] ?? "", XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder, ...environment },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let [out, err] = ["", ""]
      child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
      child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
      child.on("error", reject)
      child.on("close", (code) => resolve({ code, out, err }))
    }
  )
}

it("serves a collection of a module beside its own, and keeps it over a restart", { timeout: 600_000 }, async () => {
  const environment = {
    MILLRACE_CONFIG: join(folder, "millrace.config.json"),
    MILLRACE_DATA: join(folder, "data"),
    DATABASE_URL: database.url
  }
  const first = await startServer({ environment, fromSource: true })
  const key = /mill_[A-Za-z0-9]{44}/.exec(await first.line(/mill_[A-Za-z0-9]{44}/))![0]
  await first.line(/Serving/)
  const env = { MILLRACE_BASE_URL: first.url, MILLRACE_API_KEY: key }
  const made = await commandLine(env, "notes", "create", "--title", "Rent", "--color", "red")
  expect([made.code, made.err]).toEqual([0, ""])
  const note = JSON.parse(made.out) as { readonly id: string }
  const ask = async (url: string, path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${url}${path}`, {
      ...init,
      headers: { "x-api-key": key, "content-type": "application/json" }
    })
    return { status: answer.status, body: (await answer.json()) as { readonly data: unknown; readonly code?: string } }
  }
  expect(await ask(first.url, `/v1/notes/${note.id}`)).toMatchObject({ status: 200, body: { data: note } })
  const taken = await ask(first.url, "/v1/notes", { method: "POST", body: '{"title":"Rent"}' })
  expect([taken.status, taken.body.code]).toEqual([409, "KEY_TAKEN"])
  expect((await ask(first.url, "/v1/feeds")).status).toBe(200)
  await first.kill("SIGTERM")
  const second = await startServer({ environment, fromSource: true })
  await second.line(/Serving/)
  expect(await ask(second.url, "/v1/notes?color=red")).toMatchObject({ status: 200, body: { data: [note] } })
  const deleted = await commandLine({ ...env, MILLRACE_BASE_URL: second.url }, "notes", "delete", note.id)
  expect([deleted.code, deleted.err]).toEqual([0, expect.stringContaining(`millrace notes restore ${note.id}`)])
  await second.kill("SIGTERM")
})

it("refuses collections that contradict what is bundled, by name", async () => {
  const wrong = `import { collection } from "@millrace/core/collection"
    import { extension } from "@millrace/core/extension"
    import * as Schema from "effect/Schema"
    const names = { about: "x", scopes: { read: "tables:read", write: "tables:write" }, fields: { a: Schema.String } }
    const streams = collection({ ...names, one: "Stream", many: "Feeds", prefix: "stre", example: { a: "x" } })
    export default extension({ collections: [streams] })`
  await writeFile(join(folder, "wrong.ts"), wrong)
  const path = join(folder, "wrong.config.json")
  await writeFile(path, JSON.stringify({ modules: ["./wrong.ts"] }))
  const environment = { MILLRACE_CONFIG: path, MILLRACE_DATA: join(folder, "none") }
  const { stderr } = await runServer({ environment, fromSource: true })
  expect(stderr).toContain('modules: the collection "Feeds": the operation "listFeeds" belongs to a bundled operation')
})
