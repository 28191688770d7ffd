/** Answers of the API as data: one record, or the rows of a list with its pages. */
import * as Effect from "effect/Effect"
import { Api, type Answer, type Request } from "./Api.ts"
import { AnswerUnreadable } from "../program/Failure.ts"
import { Notes } from "../program/Notes.ts"
import { isArray, isNumber, isObject, parse, stringify, type Json, type JsonObject } from "../output/ExactJson.ts"
import { Output, type Columns } from "../program/Output.ts"
import { Settings } from "../program/Settings.ts"

const unreadable = (what: string) => new AnswerUnreadable({ message: `The answer is not one of this API: ${what}.` })

export const bodyOf = (answer: Answer): Effect.Effect<JsonObject, AnswerUnreadable> =>
  Effect.try({ try: () => parse(answer.text), catch: () => unreadable("it is not JSON") }).pipe(
    Effect.filterOrFail(isObject, () => unreadable("it is not a JSON object"))
  )

const textAt = (value: Json | undefined, key: string): string | undefined => {
  const found = isObject(value) ? value[key] : undefined
  return typeof found === "string" ? found : undefined
}

const textsAt = (value: Json | undefined, key: string): ReadonlyArray<string> => {
  const found = isObject(value) ? value[key] : undefined
  return isArray(found) ? found.filter((text) => typeof text === "string") : []
}

/** What an answer says about its data. */
const tellMeta = Effect.fn("Requests.tellMeta")(function* ({ meta }: JsonObject) {
  const notes = yield* Notes
  if (isObject(meta) && meta["stale"] === true) {
    yield* notes.say(
      `The bank could not be asked now; this is what it said at ${textAt(meta, "asOf") ?? "an earlier time"}.`
    )
  }
  for (const warning of textsAt(meta, "warnings")) yield* notes.say(`warning: ${warning}`)
  const total = isObject(meta) ? meta["total"] : undefined
  if (isNumber(total)) yield* notes.say(`${total.rawJSON} in all`)
  const removed = textsAt(meta, "removed")
  if (removed.length > 0) yield* notes.say(`No longer there: ${removed.join(", ")}`)
})

export const rowsOf = (body: JsonObject): Effect.Effect<ReadonlyArray<JsonObject>, AnswerUnreadable> => {
  const { data } = body
  return isArray(data) && data.every(isObject)
    ? Effect.succeed(data)
    : Effect.fail(unreadable("it has no list of records"))
}

const nextCursorOf = ({ meta }: JsonObject): string | undefined =>
  isObject(meta) && meta["hasMore"] === true ? textAt(meta, "nextCursor") : undefined

/** The record of an answer. */
export const recordOf = Effect.fn("Requests.recordOf")(function* (answer: Answer) {
  const body = yield* bodyOf(answer)
  yield* tellMeta(body)
  return isObject(body["data"]) ? body["data"] : yield* unreadable("it has no record")
})

/** Sends a request and shows the record of its answer. */
export const showRecord = Effect.fn("Requests.showRecord")(function* (
  request: Request,
  columns?: ReadonlyArray<string>
) {
  const record = yield* recordOf(yield* (yield* Api).send(request))
  yield* (yield* Output).record(record, columns)
})

/** Queries that are posted take their cursor where they have everything else. */
const withCursor = (request: Request, cursor: string): Request => {
  if (request.method === "POST" && typeof request.body === "string") {
    const body = parse(request.body)
    return { ...request, body: stringify({ ...(isObject(body) ? body : {}), cursor }) }
  }
  return { ...request, query: [...(request.query ?? []).filter(([name]) => name !== "cursor"), ["cursor", cursor]] }
}

/** Hands every page to `each`: the first one, or all of them with `--all`. */
const eachPage = Effect.fn("Requests.eachPage")(function* <E, R>(
  request: Request,
  each: (rows: ReadonlyArray<JsonObject>) => Effect.Effect<void, E, R>
) {
  const { all } = yield* Settings
  const api = yield* Api
  const seen = new Set<string>()
  let page = request
  for (;;) {
    const body = yield* bodyOf(yield* api.send(page))
    const next = nextCursorOf(body)
    yield* each(yield* rowsOf(body))
    yield* tellMeta(body)
    if (next === undefined || !all) return next
    if (seen.has(next)) return yield* unreadable("its pages never end")
    seen.add(next)
    page = withCursor(request, next)
  }
})

/** A list that looks whole and is not would be taken for all there is. */
const tellMore = Effect.fnUntraced(function* (count: number, noun: string, next: string | undefined) {
  if (next === undefined) return
  yield* (yield* Notes).say(
    `There are more ${noun} than these ${count}: add --all for all of them, or --cursor ${next} for the next ones`
  )
})

/** Shows the list of one answer. */
export const showAnswer = Effect.fn("Requests.showAnswer")(function* (body: JsonObject, noun: string) {
  const rows = yield* rowsOf(body)
  yield* (yield* Output).list(rows, noun)
  yield* tellMore(rows.length, noun, nextCursorOf(body))
})

/** Sends the request of a list and shows its rows; `noun` names them in the plural. */
export const showList = Effect.fn("Requests.showList")(function* (request: Request, noun: string, columns?: Columns) {
  const { format } = yield* Settings
  const output = yield* Output
  const rows: Array<JsonObject> = []
  let count = 0
  const next = yield* eachPage(request, (page) => {
    count += page.length
    // Lines need no heading, so they can be written as they come in.
    return format === "ndjson"
      ? output.lines(page)
      : Effect.sync(() => {
          for (const row of page) rows.push(row)
        })
  })
  if (format !== "ndjson") yield* output.list(rows, noun, columns)
  yield* tellMore(count, noun, next)
})

/** The whole number of a field, for showing only. */
export const countAt = (record: JsonObject, key: string): string => {
  const value = record[key]
  return isNumber(value) ? value.rawJSON : "0"
}
