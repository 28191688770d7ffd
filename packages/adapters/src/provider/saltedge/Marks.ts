/**
 * Where a read of transactions ended, and from where the next one begins.
 *
 * Ids grow in the order in which rows arrive, so a read from an id on shows all that came since, of whatever day. Every row
 * of the days from `day` on has the id `from` or a later one: so the next read shows those days whole, and what is not
 * shown of them any more is gone.
 */
import { createHash } from "node:crypto"
import { CalendarDate } from "@millrace/core"
import type { PullRequest } from "@millrace/core/provider"
import { inOrder } from "./Ids.ts"

export interface Checkpoint {
  readonly from: string
  readonly day: CalendarDate.CalendarDate
}

const checkpointForm = /^v1:(\d{1,30}):(\d{4}-\d{2}-\d{2})$/

export const writeCheckpoint = ({ day, from }: Checkpoint): string => `v1:${from}:${day}`

/** `undefined` for what is none of ours. */
export const readCheckpoint = (text: string): Checkpoint | undefined => {
  const [, from, written = ""] = checkpointForm.exec(text) ?? []
  const day = CalendarDate.parse(written)
  return from === undefined || day === undefined ? undefined : { from, day }
}

/** What is known after some pages. */
export interface Progress {
  /** The id that the next page begins with. */
  readonly next: string
  /** The first id of the days that the next read shows again. */
  readonly first?: string
  /** The last id that was shown. */
  readonly last?: string
}

export interface Position extends Progress {
  /** Fingerprint of the state of the connection when the read began. */
  readonly stamp: string
}

export const fingerprint = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 16)

const positionForm = /^v1:([\w-]{16}):([\w-]{16}):(\d{1,30}):(\d{0,30}):(\d{0,30})$/

const runOf = (ref: string, { checkpoint = "", from, providerAccountIds, to }: PullRequest): string =>
  fingerprint([ref, from, to, checkpoint, ...providerAccountIds].join("\n"))

export const writePosition = (
  ref: string,
  request: PullRequest,
  { first = "", last = "", next, stamp }: Position
): string => `v1:${runOf(ref, request)}:${stamp}:${next}:${first}:${last}`

/** `undefined` for one that was not written for this run. */
export const readPosition = (ref: string, request: PullRequest, text: string): Position | undefined => {
  const [, run, stamp = "", next = "", first = "", last = ""] = positionForm.exec(text) ?? []
  return run === undefined || run !== runOf(ref, request)
    ? undefined
    : { stamp, next, ...(first === "" ? {} : { first }), ...(last === "" ? {} : { last }) }
}

/** The progress after rows more, of which those from `day` on are to be shown again. */
export const after = (
  before: Pick<Progress, "first" | "last">,
  rows: ReadonlyArray<{ readonly id: string; readonly date: string }>,
  day: CalendarDate.CalendarDate
): Pick<Progress, "first" | "last"> => {
  let { first, last } = before
  for (const { date, id } of rows) {
    if (date >= day && (first === undefined || inOrder(id, first) < 0)) first = id
    if (last === undefined || inOrder(id, last) > 0) last = id
  }
  return { ...(first === undefined ? {} : { first }), ...(last === undefined ? {} : { last }) }
}
