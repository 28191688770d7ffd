/** Data on standard output, in the format that was asked for. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Notes } from "./Notes.ts"
import { Settings } from "./Settings.ts"
import { escapeJson } from "../output/Clean.ts"
import * as Csv from "../output/Csv.ts"
import { stringify, type Json, type JsonObject } from "../output/ExactJson.ts"
import { namesOf, pick, unknownOf } from "../output/Fields.ts"
import * as Table from "../output/Table.ts"

/** The fields that a table shows; the other formats have all of them. */
export type Columns = ReadonlyArray<string> | ((records: ReadonlyArray<JsonObject>) => ReadonlyArray<string>)

export class Output extends Context.Service<
  Output,
  {
    /** As it is. */
    readonly text: (text: string) => Effect.Effect<void>
    readonly record: (record: JsonObject, columns?: ReadonlyArray<string>) => Effect.Effect<void>
    /** `noun` says what there is none of. */
    readonly list: (records: ReadonlyArray<JsonObject>, noun: string, columns?: Columns) => Effect.Effect<void>
    /** Any JSON, for the formats that can write any. */
    readonly value: (value: Json) => Effect.Effect<void>
    /** Some records of a list that is written line by line as it comes in. */
    readonly lines: (records: ReadonlyArray<JsonObject>) => Effect.Effect<void>
  }
>()("@millrace/cli/program/Output") {}

const jsonOf = (value: Json, indent?: number): string => `${escapeJson(stringify(value, indent))}\n`

const text = (data: string) => Effect.sync(() => void process.stdout.write(data))

const chosen = (columns: Columns | undefined, records: ReadonlyArray<JsonObject>): ReadonlyArray<string> =>
  columns === undefined ? namesOf(records) : typeof columns === "function" ? columns(records) : columns

const make = Effect.gen(function* () {
  const { colors, fields, format, lineEnd, width } = yield* Settings
  const notes = yield* Notes
  const style = { colors, width }

  const warnOfUnknown = Effect.fnUntraced(function* (records: ReadonlyArray<JsonObject>) {
    const unknown = records.length === 0 || fields === undefined ? [] : unknownOf(records, fields)
    if (unknown.length > 0) yield* notes.say(`warning: no record has the field ${unknown.join(", ")}`)
  })

  const picked = (record: JsonObject): JsonObject => (fields === undefined ? record : pick(record, fields))

  const value = (data: Json): Effect.Effect<void> => {
    switch (format) {
      case "yaml":
        return Effect.flatMap(
          Effect.promise(() => import("../output/Yaml.ts")),
          ({ write }) => text(write(data))
        )
      case "toon":
        return Effect.flatMap(
          Effect.promise(() => import("../output/Toon.ts")),
          ({ write }) => text(write(data))
        )
      case "ndjson":
        return text(jsonOf(data))
      default:
        return text(jsonOf(data, 2))
    }
  }

  const lines = (records: ReadonlyArray<JsonObject>) => text(records.map((record) => jsonOf(picked(record))).join(""))

  return Output.of({
    text,
    value,
    lines,
    record: Effect.fnUntraced(function* (record, columns) {
      yield* warnOfUnknown([record])
      if (format === "table") return yield* text(Table.record(record, fields ?? columns, style))
      if (format === "csv") return yield* text(Csv.write([record], fields ?? namesOf([record]), lineEnd))
      return yield* value(picked(record))
    }),
    list: Effect.fnUntraced(function* (records, noun, columns) {
      yield* warnOfUnknown(records)
      if (format === "table") {
        if (records.length === 0) return yield* notes.say(`No ${noun}.`)
        if (fields !== undefined) return yield* text(Table.list(records, fields, style))
        const overview = Table.overview(records, chosen(columns, records), style)
        yield* text(overview.text)
        if (overview.leftOut > 0) {
          yield* notes.say(
            `${overview.leftOut} more ${overview.leftOut === 1 ? "column does" : "columns do"} not fit: name some with --fields, or use -o json`
          )
        }
        return
      }
      if (format === "csv") return yield* text(Csv.write(records, fields ?? namesOf(records), lineEnd))
      if (format === "ndjson") return yield* lines(records)
      return yield* value(records.map(picked))
    })
  })
})

export const layer = Layer.effect(Output, make)
