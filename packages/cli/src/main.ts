/** `millrace`: arguments, signals and the exit code. Loads nothing that a run does not need. */
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import { version } from "./program/Version.ts"

// Anyone who pipes us into `head` closes the pipe early, and has what was asked for.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0)
  throw error
})
process.stderr.on("error", () => {})

/** Compiled code is kept where only its owner can write. */
const cacheFolder = (): string => {
  const home = process.env["XDG_CACHE_HOME"]
  return join(home !== undefined && isAbsolute(home) ? home : join(homedir(), ".cache"), "millrace")
}

const main = async (args: ReadonlyArray<string>): Promise<void> => {
  enableCompileCache(cacheFolder())
  const [{ run }, Effect, Fiber, Exit] = await Promise.all([
    import("./Millrace.ts"),
    import("effect/Effect"),
    import("effect/Fiber"),
    import("effect/Exit")
  ])
  const fiber = Effect.runFork(run(args))
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const) {
    process.once(signal, () => {
      // What was begun is given up, a request on its way too; then nothing is left to wait for.
      Effect.runFork(Fiber.interrupt(fiber)).addObserver(() => process.exit(code))
    })
  }
  const exit = await Effect.runPromise(Fiber.await(fiber))
  if (Exit.isSuccess(exit)) process.exitCode = exit.value
}

const args = process.argv.slice(2)
if (args.length === 1 && args[0] === "--version") process.stdout.write(`${version}\n`)
else await main(args)
