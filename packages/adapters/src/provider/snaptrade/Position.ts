/** Where a page of activities ended: bound to its run, and to the row that it ended with. */
import { createHash } from "node:crypto"
import type { PullRequest } from "@millrace/core/provider"

export interface Position {
  /** Rows that were read. */
  readonly offset: number
  /** Rows that there were. */
  readonly total: number
  /** Fingerprint of the last row that was read. */
  readonly last: string
}

const form = /^v1:([\w-]{16}):(\d{1,9}):(\d{1,9}):([\w-]{16})$/

export const fingerprint = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16)

const runOf = (connectionRef: string, { dataType, from, providerAccountIds, to }: PullRequest): string =>
  fingerprint([connectionRef, dataType, from, to, ...providerAccountIds].join("\n"))

export const writePosition = (connectionRef: string, request: PullRequest, position: Position): string =>
  `v1:${runOf(connectionRef, request)}:${position.offset}:${position.total}:${position.last}`

/** `undefined` for one that was not written for this run. */
export const readPosition = (connectionRef: string, request: PullRequest, text: string): Position | undefined => {
  const [, run, offset, total, last] = form.exec(text) ?? []
  return run === undefined || run !== runOf(connectionRef, request)
    ? undefined
    : { offset: Number(offset), total: Number(total), last: last! }
}
