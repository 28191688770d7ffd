/** What the server says to the person who starts it: plain lines, wrapped to the screen; bars and colours only on a terminal. */
import * as Effect from "effect/Effect"
import { wrapped } from "./WrappedText.ts"

const { stderr, stdout } = process

/** Someone who pipes us into `head` closes the pipe early; that is no error of ours. */
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
})

/** Whether a person reads standard output. */
export const isTerminal = stdout.isTTY === true
const colours = isTerminal && process.env["NO_COLOR"] === undefined && process.env["TERM"] !== "dumb"

const paint = (code: string) => (text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text)

export const bold = paint("1")
export const dim = paint("2")
export const green = paint("32")
export const red = paint("31")
export const yellow = paint("33")

const columns = (): number => (stdout.columns > 0 ? stdout.columns : 80)

export const say = (line = ""): Effect.Effect<void> => Effect.sync(() => void stdout.write(`${line}\n`))

const nameWidth = 12
const indent = nameWidth + 2

/** `  Name        value`. On a terminal a long value goes on below its beginning. */
export const field = (name: string, value: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const lines = isTerminal ? wrapped(value, columns() - indent) : [value]
    return say(`  ${dim(name.padEnd(nameWidth))}${lines.join(`\n${" ".repeat(indent)}`)}`)
  })

/** The characters of a bar: where the screen is narrow, the bar gives way to the words. */
const [shortest, longest] = [6, 24]

/** `done` of `total`, or a moving mark while the total is not known. */
const bar = (done: number, total: number | undefined, tick: number, width: number): string => {
  if (total === undefined) {
    const at = tick % width
    return `[${" ".repeat(at)}=${" ".repeat(width - at - 1)}]`
  }
  const filled = total === 0 ? width : Math.min(width, Math.floor((done / total) * width))
  return `[${"=".repeat(filled)}${" ".repeat(width - filled)}]`
}

export interface Progress {
  readonly done: number
  readonly total: number | undefined
  readonly text: string
}

let isDrawn = false
/** What is written once the bar that stands on the screen is gone. */
let held: Array<() => void> = []

/** Writes now, or when the bar that stands on the screen is gone. */
export const afterTheBar = (write: () => void): void => {
  if (isDrawn) held.push(write)
  else write()
}

/** Draws over the same line on a terminal; elsewhere nothing is drawn until the end. */
export const progress = (name: string, state: Progress, tick: number): Effect.Effect<void> =>
  Effect.sync(() => {
    if (!isTerminal) return
    isDrawn = true
    const room = columns() - indent - 1
    const width = Math.max(shortest, Math.min(longest, room - state.text.length - "[] ".length))
    const line = `${bar(state.done, state.total, tick, width)} ${state.text}`.slice(0, room)
    stdout.write(`\r\u001b[2K  ${dim(name.padEnd(nameWidth))}${line}`)
  })

/** Takes the bar away, and writes what waited for that. */
export const endProgress: Effect.Effect<void> = Effect.sync(() => {
  if (isDrawn) stdout.write("\r\u001b[2K")
  isDrawn = false
  const writes = held
  held = []
  for (const write of writes) write()
})

/** Writes a line of the log to standard error. */
export const logLine = (line: string): void => afterTheBar(() => void stderr.write(`${line}\n`))

let introductions = 0

/** Whether the server introduces itself right now. */
export const isIntroducing = (): boolean => introductions > 0

/** Runs what tells the person about everything that happens meanwhile. */
export const introducing = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => void introductions++),
    () => effect,
    () => Effect.sync(() => void introductions--)
  )

/** `1479` -> `1,479`. */
export const count = (value: number): string => value.toLocaleString("en-US")
