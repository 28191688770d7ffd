/** What PostgreSQL says, kept in a file of bounded size: the newest of it, and as much again that came before. */
import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from "node:fs"

export interface BoundedLog {
  readonly write: (text: Uint8Array) => void
  readonly close: () => void
}

const attempt = (step: () => void): void => {
  try {
    step()
  } catch {
    // The disk is full, for example: what follows is written when it can be.
  }
}

/**
 * Appends to `path`, and starts again at `mostBytes`; what was before is then `<path>.1`. Never fails: a log that cannot
 * be written is no reason to stop.
 */
export const boundedLog = (path: string, mostBytes: number): BoundedLog => {
  let file: number | undefined
  let size = 0
  const open = () => {
    // Made by us and read by us alone; a link in its place is not followed.
    file = openSync(
      path,
      constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0),
      0o600
    )
    size = fstatSync(file).size
  }
  const close = () => {
    if (file !== undefined) closeSync(file)
    file = undefined
  }
  attempt(open)
  return {
    write: (text) =>
      attempt(() => {
        if (file === undefined) open()
        if (size > 0 && size + text.length > mostBytes) {
          close()
          renameSync(path, `${path}.1`)
          open()
        }
        size += writeSync(file!, text.subarray(0, mostBytes))
      }),
    close: () => attempt(close)
  }
}
