/** What the server says to the person who starts it. Plain lines; bars and colours only on a terminal. */
import * as Effect from "effect/Effect"

const { stdout } = process

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

export const say = (line = ""): Effect.Effect<void> => Effect.sync(() => void stdout.write(`${line}\n`))

const nameWidth = 12

/** `  Name        value`. */
export const field = (name: string, value: string): Effect.Effect<void> =>
  say(`  ${dim(name.padEnd(nameWidth))}${value}`)

const barWidth = 24

/** `done` of `total`, or a moving mark while the total is not known. */
const bar = (done: number, total: number | undefined, tick: number): string => {
  if (total === undefined) {
    const at = tick % barWidth
    return `[${" ".repeat(at)}=${" ".repeat(barWidth - at - 1)}]`
  }
  const filled = total === 0 ? barWidth : Math.min(barWidth, Math.floor((done / total) * barWidth))
  return `[${"=".repeat(filled)}${" ".repeat(barWidth - filled)}]`
}

export interface Progress {
  readonly done: number
  readonly total: number | undefined
  readonly text: string
}

const columns = (): number => (stdout.columns > 0 ? stdout.columns : 80)

/** Draws over the same line on a terminal; elsewhere nothing is drawn until the end. */
export const progress = (name: string, state: Progress, tick: number): Effect.Effect<void> =>
  Effect.sync(() => {
    if (!isTerminal) return
    const left = `${bar(state.done, state.total, tick)} ${state.text}`.slice(0, columns() - nameWidth - 3)
    stdout.write(`\r\u001b[2K  ${dim(name.padEnd(nameWidth))}${left}`)
  })

export const endProgress: Effect.Effect<void> = Effect.sync(() => {
  if (isTerminal) stdout.write("\r\u001b[2K")
})

/** `1479` -> `1,479`. */
export const count = (value: number): string => value.toLocaleString("en-US")
