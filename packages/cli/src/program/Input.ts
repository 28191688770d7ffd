/** What commands read: files, standard input, keys that nobody should see. */
import { readFile } from "node:fs/promises"
import { createInterface } from "node:readline/promises"
import { text } from "node:stream/consumers"
import { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { UsageFault } from "./Failure.ts"
import { parse, type Json } from "../output/ExactJson.ts"

const unreadable = (path: string) => (cause: unknown) => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? ` (${String(cause.code)})` : ""
  return new UsageFault({ message: `The file ${path} cannot be read${code}.` })
}

const standardInput = Effect.tryPromise({
  try: () => text(process.stdin),
  catch: () => new UsageFault({ message: "Standard input cannot be read." })
})

/** `-` is standard input. */
export const readText = (path: string): Effect.Effect<string, UsageFault> =>
  path === "-" ? standardInput : Effect.tryPromise({ try: () => readFile(path, "utf8"), catch: unreadable(path) })

export const readBytes = (path: string): Effect.Effect<Uint8Array<ArrayBuffer>, UsageFault> =>
  Effect.tryPromise({ try: async () => new Uint8Array(await readFile(path)), catch: unreadable(path) })

/** JSON text as it was given, so that no digit changes on its way to the server. */
export const checkJson = (json: string, where: string): Effect.Effect<Json, UsageFault> =>
  Effect.try({
    try: () => parse(json),
    catch: (cause) =>
      new UsageFault({ message: `${where} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}` })
  })

/** The prompt goes to standard error, and what is typed goes nowhere. */
const ask = async (what: string, signal: AbortSignal): Promise<string> => {
  process.stderr.write(`${what}: `)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  reader.once("SIGINT", () => process.kill(process.pid, "SIGINT"))
  try {
    return await reader.question("", { signal })
  } finally {
    reader.close()
    process.stderr.write("\n")
  }
}

/** A secret from standard input, by a prompt where that is a terminal. */
export const readSecret = Effect.fn("Input.readSecret")(function* (what: string) {
  const given = yield* process.stdin.isTTY === true
    ? Effect.tryPromise({
        try: (signal) => ask(what, signal),
        catch: () => new UsageFault({ message: `No ${what} was typed.` })
      })
    : standardInput
  const secret = given.trim()
  if (secret === "" || !/^[\x21-\x7e]+$/.test(secret)) {
    return yield* new UsageFault({ message: `Standard input does not hold one ${what}.` })
  }
  return Redacted.make(secret)
})
