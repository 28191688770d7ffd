/**
 * Ends the processes that this one started when it dies without having ended them: killed, or interrupted by a runner
 * that does not wait. A small process of its own watches, so that nothing of ours has to run for it.
 */
import { spawn } from "node:child_process"
import type { Socket } from "node:net"
import { resolve } from "node:path"

const program = resolve(import.meta.dirname, "guardianProcess.ts")

/** A process to end, as it is asked to the guardian. */
export interface Guarded {
  readonly pid: number
  /** What ends it in order; what does not end by it is killed. */
  readonly signal: NodeJS.Signals
  /** Removed when it has ended. */
  readonly folder?: string
}

/** A line to the guardian: watch it, or no longer. */
export type GuardianLine = { readonly watch: Guarded } | { readonly forget: number }

let lines: Socket | undefined

const open = (): Socket => {
  // Out of our process group: what is sent to all of it must not reach the guardian.
  const child = spawn(process.execPath, [program], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
  child.unref()
  const socket = child.stdin as Socket
  socket.unref()
  socket.on("error", () => {})
  return socket
}

const say = (line: GuardianLine): void => {
  lines ??= open()
  lines.write(`${JSON.stringify(line)}\n`)
}

/** The process ends with this one, whatever happens to this one. */
export const guard = (guarded: Guarded): void => say({ watch: guarded })

/** It has ended. */
export const forget = (pid: number): void => say({ forget: pid })
