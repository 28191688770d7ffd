/**
 * The command line run in this process: environment and standard streams are replaced while it runs. Starting a process
 * for each of some hundred runs costs minutes; what only a process can show is run by `Process.ts`.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import * as Effect from "effect/Effect"
import type { Group } from "../src/commands/Derived.ts"
import type { Ran, Setting } from "./Process.ts"

const streams = ["stdin", "stdout", "stderr"] as const

/** A stream that is no terminal and keeps what is written to it. */
const collector = () => {
  const texts: Array<string> = []
  return { write: (text: string) => texts.push(text) > 0, text: () => texts.join("") }
}

/** A home without profiles. */
const emptyHome = (): string => mkdtempSync(join(tmpdir(), "millrace-cli-home-"))

let isRunning = false

/** Returns what a process would have written, and the code it would have ended with. */
export const run = async (
  args: ReadonlyArray<string>,
  setting: Omit<Setting, "interruptAt"> = {},
  offered?: ReadonlyArray<Group>
): Promise<Ran> => {
  if (isRunning) throw new Error("The standard streams are in use: run one command at a time.")
  isRunning = true
  const before = { env: process.env, streams: streams.map((name) => Object.getOwnPropertyDescriptor(process, name)!) }
  const out = collector()
  const err = collector()
  const replacements = { stdin: Readable.from([Buffer.from(setting.stdin ?? "")]), stdout: out, stderr: err }
  process.env = { XDG_CONFIG_HOME: emptyHome(), ...setting.env }
  for (const name of streams) Object.defineProperty(process, name, { value: replacements[name], configurable: true })
  try {
    // Loaded under the environment that it runs in: it looks at how it was called when it is loaded.
    const { run: runCommand } = await import("../src/Millrace.ts")
    return { code: await Effect.runPromise(runCommand(args, offered)), out: out.text(), err: err.text() }
  } finally {
    process.env = before.env
    for (const [at, name] of streams.entries()) Object.defineProperty(process, name, before.streams[at]!)
    isRunning = false
  }
}
