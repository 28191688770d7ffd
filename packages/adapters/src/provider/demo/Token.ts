/** Positions and checkpoints: all that a later call has to know, bound to the world they were made in. */
import { CalendarDate } from "@millrace/core"
import type { PullRequest } from "@millrace/core/provider"
import { fingerprint } from "./Seed.ts"

const form = /^v1:([0-9a-z]{14}):([0-9a-z]{1,11}):([0-9a-z-]{1,10})$/

/** Where the last run ended: what had been read is everything dated `from` or later, as it was `at`. */
export interface Checkpoint {
  readonly at: number
  readonly from: CalendarDate.CalendarDate
}

const number = (text: string): number | undefined => {
  const value = Number.parseInt(text, 36)
  return Number.isSafeInteger(value) && value.toString(36) === text ? value : undefined
}

export const writeCheckpoint = (key: string, checkpoint: Checkpoint): string =>
  `v1:${fingerprint(key)}:${checkpoint.at.toString(36)}:${checkpoint.from}`

/** `undefined` for a foreign, damaged or future one. */
export const readCheckpoint = (key: string, text: string, now: number): Checkpoint | undefined => {
  const match = form.exec(text)
  const at = number(match?.[2] ?? "")
  const from = CalendarDate.parse(match?.[3] ?? "")
  return at === undefined || from === undefined || at > now || match?.[1] !== fingerprint(key)
    ? undefined
    : { at, from }
}

/** Where the page before ended: the run goes on in the world in which it began. */
export interface Position {
  readonly begunAt: number
  readonly offset: number
}

const runKey = (key: string, request: PullRequest): string =>
  fingerprint(
    [key, request.dataType, request.from, request.to, request.checkpoint ?? "", ...request.providerAccountIds].join("|")
  )

export const writePosition = (key: string, request: PullRequest, position: Position): string =>
  `v1:${runKey(key, request)}:${position.begunAt.toString(36)}:${position.offset.toString(36)}`

/** `undefined` for one of another run, damaged or from the future. */
export const readPosition = (key: string, request: PullRequest, text: string, now: number): Position | undefined => {
  const match = form.exec(text)
  const begunAt = number(match?.[2] ?? "")
  const offset = number(match?.[3] ?? "")
  return begunAt === undefined || offset === undefined || begunAt > now || match?.[1] !== runKey(key, request)
    ? undefined
    : { begunAt, offset }
}
