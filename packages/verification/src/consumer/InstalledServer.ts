/** The bundled server as it is installed from its archive. */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../process/ServerProcess.ts"
import type { Project } from "./Project.ts"

/** It starts a database of its own for the first time. */
const patience = 240_000

/** Starts it in an empty folder, asks it for its feeds with the key that it prints, and stops it. */
export const serveOnce = async ({ folder }: Project, node: string): Promise<number> => {
  const data = mkdtempSync(join(tmpdir(), "millrace-consumer-data-"))
  const port = await freePort()
  const child = spawn(node, ["node_modules/@millrace/server/bin/millrace-server.js"], {
    cwd: folder,
    env: { ...process.env, MILLRACE_DATA: data, MILLRACE_PORT: String(port) },
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
    const { data: feeds } = (await answer.json()) as { readonly data: ReadonlyArray<unknown> }
    return feeds.length
  } finally {
    child.kill("SIGTERM")
    await ended
    rmSync(data, { recursive: true, force: true })
  }
}
