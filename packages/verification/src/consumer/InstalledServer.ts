/** The bundled server as it is installed from its archive. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../process/ServerProcess.ts"
import { commandLine, type Project } from "./Project.ts"

/** It starts a database of its own for the first time. */
const patience = 240_000

/** Makes a thing of the collection that the module adds, over HTTP, and has the command line show it. */
const useCollection = async (project: Project, url: string, key: string): Promise<void> => {
  const made = await fetch(`${url}/v1/notes`, {
    method: "POST",
    headers: { "X-API-Key": key, "Content-Type": "application/json" },
    body: '{"title":"Rent"}'
  })
  if (made.status !== 201) throw new Error(`/v1/notes answered ${made.status}: ${await made.text()}`)
  const env = { MILLRACE_BASE_URL: url, MILLRACE_API_KEY: key }
  const { code, text } = await commandLine(project, ["notes", "list", "--output", "csv", "--fields", "title"], env)
  if (code !== 0 || !text.includes("Rent")) throw new Error(`npx millrace notes list ended with ${code}:\n${text}`)
}

/**
 * Starts it in an empty folder, with a module that adds a collection or as the few files that it runs from without any, asks it
 * for its feeds with the key that it prints, uses the collection, and stops it.
 */
export const serveOnce = async (project: Project, node: string, withModule: boolean): Promise<number> => {
  const { folder } = project
  const data = mkdtempSync(join(tmpdir(), "millrace-consumer-data-"))
  const port = await freePort()
  const config = join(data, "millrace.config.json")
  writeFileSync(config, JSON.stringify(withModule ? { modules: [join(folder, "dist/add-a-collection.js")] } : {}))
  const child = spawn(node, ["node_modules/@millrace/server/bin/millrace-server.js"], {
    cwd: folder,
    env: { ...process.env, MILLRACE_CONFIG: config, MILLRACE_DATA: join(data, "stored"), MILLRACE_PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  try {
    const text = await new Promise<string>((resolve, reject) => {
      let said = ""
      const timer = setTimeout(() => reject(new Error(`The server does not serve:\n${said}`)), patience)
      const settle = (done: () => void) => {
        clearTimeout(timer)
        done()
      }
      const hear = (chunk: Buffer) => {
        said += chunk.toString()
        if (said.includes("Serving;")) settle(() => resolve(said))
      }
      child.stdout.on("data", hear)
      child.stderr.on("data", hear)
      child.once("error", (cause) => settle(() => reject(cause)))
      child.once("close", (code) => settle(() => reject(new Error(`The server ended with ${code}:\n${said}`))))
    })
    const key = /mill_[A-Za-z0-9]{44}/.exec(text)?.[0] ?? ""
    const answer = await fetch(`http://127.0.0.1:${port}/v1/feeds`, { headers: { "X-API-Key": key } })
    if (answer.status !== 200) throw new Error(`/v1/feeds answered ${answer.status}: ${await answer.text()}`)
    if (withModule) await useCollection(project, `http://127.0.0.1:${port}`, key)
    const { data: feeds } = (await answer.json()) as { readonly data: ReadonlyArray<unknown> }
    return feeds.length
  } finally {
    child.kill("SIGTERM")
    await ended
    rmSync(data, { recursive: true, force: true })
  }
}
