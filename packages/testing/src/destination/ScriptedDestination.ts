/**
 * A destination in memory that does what the test says: it fails, refuses single rows, loses its answer after
 * it has written, and people delete rows there. It takes the place of the file destination; each path is one.
 */
import {
  type DestinationDriver,
  DestinationUnavailable,
  type Outgoing,
  type Receipt,
  type WriteModel
} from "@millrace/core/destination"
import type { Fields } from "@millrace/core/record"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

export interface ScriptedRow {
  readonly key: string
  readonly ref: string
  values: Fields
  /** Since when look-ups show it, in milliseconds. */
  readonly visibleAt: number
}

/**
 * What happens to one of the next calls that write: nothing, before anything is written, after everything, all is answered
 * as written and nothing of it kept, or all is written and answered as refused, or not at all, which breaks the port.
 */
export type ScriptedFault = "none" | "unavailable" | "answerLost" | "keptNothing" | "deniedAll" | "answeredNothing"

/** One path: the rows that are there, and the faults to come. */
export class ScriptedPlace {
  /** May hold a key twice, as a destination without keys of its own would. */
  rows: Array<ScriptedRow> = []
  readonly faults: Array<ScriptedFault> = []
  /** Rows that are refused, told from their values. */
  refuses: (values: Fields) => boolean = () => false
  /** Records written or removed, whole files counted as one. */
  writes = 0
  /** What was answered under which key, by a destination that remembers keys. */
  readonly answers = new Map<string, Receipt>()
  /** How often the whole file was written or changed by people; 0 where there is none. */
  edition = 0
  private refs = 0

  /** The references of those keys that look-ups show at that instant. */
  find(keys: ReadonlyArray<string>, now: number): ReadonlyMap<string, string> {
    const wanted = new Set(keys)
    const shown = this.rows.filter((row) => wanted.has(row.key) && row.visibleAt <= now)
    return new Map(shown.map((row) => [row.key, row.ref]))
  }

  /** A person deletes a row. */
  remove(key: string): void {
    this.edition++
    this.rows = this.rows.filter((row) => row.key !== key)
  }

  create(key: string, values: Fields, visibleAt = -Infinity): string {
    const ref = `r${++this.refs}`
    this.rows.push({ key, ref, values, visibleAt })
    return ref
  }

  /** The next reference, of a row that is not kept. */
  refOfNothing(): string {
    return `r${++this.refs}`
  }
}

const Config = Schema.Struct({ path: Schema.String, format: Schema.String })

const unavailable = (message: string) => new DestinationUnavailable({ message })

const remembered = (place: ScriptedPlace, one: Outgoing): Receipt => {
  const before = place.answers.get(one.idempotencyKey)
  if (before !== undefined) return before
  const answer = writeOne(place, "idempotencyKey", one)
  if (answer.outcome !== "failed") place.answers.set(one.idempotencyKey, answer)
  return answer
}

const hasKeys = (model: WriteModel): boolean => model !== "readBack" && model !== "idempotencyKey"

/** Writes one record as destinations of that model do. */
export const writeOne = (place: ScriptedPlace, model: WriteModel, one: Outgoing, visibleAt = -Infinity): Receipt => {
  const { key, op, remoteRef, values } = one
  if (op === "remove") {
    place.rows = place.rows.filter((row) => row.key !== key)
    return { key, outcome: "done" }
  }
  if (place.refuses(values)) return { key, outcome: "failed", reason: "is refused here" }
  const held = place.rows.find((row) =>
    op === "update" && !hasKeys(model) && remoteRef !== undefined ? row.ref === remoteRef : row.key === key
  )
  if (op === "update") {
    if (held === undefined) return { key, outcome: "skipped" }
    held.values = values
    return { key, outcome: "done", remoteRef: held.ref }
  }
  // Without keys of its own a destination makes another row of the same record.
  if (held === undefined || !hasKeys(model)) {
    return { key, outcome: "done", remoteRef: place.create(key, values, visibleAt) }
  }
  held.values = values
  return { key, outcome: "done", remoteRef: held.ref }
}

/** Answers as if everything had been written. */
const claimOne = (place: ScriptedPlace, { key, op }: Outgoing): Receipt =>
  op === "remove" ? { key, outcome: "done" } : { key, outcome: "done", remoteRef: place.refOfNothing() }

/** Longer than any life that a test plays. */
const defaultKeySeconds = 90 * 86_400

export interface ScriptedOptions {
  /** For how long keys are remembered. */
  readonly keySeconds?: number
  /** By how much look-ups lag behind writes; it says so. */
  readonly lagSeconds?: number
}

export const makeScriptedDestination = (
  model: Exclude<WriteModel, "transactional">,
  batch: number,
  { keySeconds = defaultKeySeconds, lagSeconds = 0 }: ScriptedOptions = {}
) => {
  const places = new Map<string, ScriptedPlace>()
  const at = (path: string): ScriptedPlace => {
    let place = places.get(path)
    if (place === undefined) places.set(path, (place = new ScriptedPlace()))
    return place
  }

  /** A call that writes, with the next fault around it. */
  const faulty = <A>(place: ScriptedPlace, call: (keeps: boolean, fault: ScriptedFault) => A) =>
    Effect.suspend(() => {
      const fault = place.faults.shift() ?? "none"
      if (fault === "unavailable") return unavailable("The destination is away")
      const answer = call(fault !== "keptNothing", fault)
      return fault === "answerLost" ? unavailable("The connection broke") : Effect.succeed(answer)
    })

  const driver: DestinationDriver<typeof Config.Type> = {
    type: "file",
    label: "Scripted file",
    Config,
    capabilities:
      model === "idempotencyKey"
        ? { write: model, canRemove: true, batch, keySeconds }
        : model === "wholeFile"
          ? { write: model, canRemove: true, batch }
          : { write: model, canRemove: true, batch, visibleSeconds: lagSeconds },
    check: () => Effect.succeed([]),
    ...(model === "wholeFile"
      ? {
          claim: (_workspaceId, { path }) =>
            Effect.succeed({ place: path, taken: { field: "path", message: `Another feed writes "${path}".` } })
        }
      : {}),
    open: (_feed, { path }) =>
      Effect.sync(() => {
        const place = at(path)
        return {
          write: (records) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              faulty(place, (keeps, fault) => {
                place.writes += records.length
                const receipts = records.map((one) =>
                  !keeps
                    ? claimOne(place, one)
                    : model === "idempotencyKey"
                      ? remembered(place, one)
                      : // Without a lag it is seen at once, whatever the clock of who looks says.
                        writeOne(place, model, one, lagSeconds === 0 ? -Infinity : now + lagSeconds * 1_000)
                )
                if (fault === "answeredNothing") return []
                if (fault !== "deniedAll") return receipts
                return receipts.map(({ key }): Receipt => ({ key, outcome: "failed", reason: "is refused, it says" }))
              })
            ),
          lookup: (keys) => Effect.map(Clock.currentTimeMillis, (now) => place.find(keys, now)),
          replace: (rows) =>
            Effect.flatMap(Stream.runCollect(rows), (all) =>
              faulty(place, () => {
                place.writes++
                place.edition++
                place.rows = all.map(({ key, values }, i) => ({
                  key,
                  ref: `${path}#${i}`,
                  values,
                  visibleAt: -Infinity
                }))
                return { rows: all.length, ref: path, standing: String(place.edition) }
              })
            ),
          standing: () => Effect.sync(() => (place.edition === 0 ? undefined : String(place.edition)))
        }
      })
  }
  return { driver, at }
}

export type ScriptedDestination = ReturnType<typeof makeScriptedDestination>
