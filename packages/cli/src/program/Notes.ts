/** What is said beside the data, on standard error. `--quiet` leaves out all but errors. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { clean } from "../output/Clean.ts"
import { Settings } from "./Settings.ts"

export class Notes extends Context.Service<
  Notes,
  {
    readonly say: (line: string) => Effect.Effect<void>
    /** Over the same line on a terminal; elsewhere like `say`, but only what differs from the last one. */
    readonly progress: (line: string) => Effect.Effect<void>
    readonly endProgress: Effect.Effect<void>
  }
>()("@millrace/cli/program/Notes") {}

export const layer = Layer.effect(
  Notes,
  Effect.map(Settings, ({ quiet }) => {
    const isTerminal = process.stderr.isTTY === true
    let last = ""
    const write = (text: string) =>
      Effect.sync(() => {
        if (!quiet) process.stderr.write(text)
      })
    return Notes.of({
      say: (line) => write(`${clean(line)}\n`),
      progress: (line) =>
        Effect.suspend(() => {
          if (line === last) return Effect.void
          last = line
          return isTerminal
            ? write(`\r\u001b[2K${clean(line).slice(0, (process.stderr.columns ?? 80) - 1)}`)
            : write(`${clean(line)}\n`)
        }),
      endProgress: Effect.suspend(() => (isTerminal && last !== "" ? write("\r\u001b[2K") : Effect.void))
    })
  })
)
