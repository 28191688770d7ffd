/** Fields of records by name; those of nested objects are named with dots, `state.status`. */
import { isObject, type Json, type JsonObject } from "./ExactJson.ts"

/** Every value that is not an object, by its name with dots; lists stay whole. */
export const flatten = (record: JsonObject, prefix = ""): ReadonlyArray<readonly [name: string, value: Json]> =>
  Object.entries(record).flatMap(([key, value]) =>
    isObject(value) && Object.keys(value).length > 0
      ? flatten(value, `${prefix}${key}.`)
      : [[`${prefix}${key}`, value] as const]
  )

/** The value of a field, `undefined` where the record has none. */
export const valueOf = (record: JsonObject, name: string): Json | undefined => {
  if (Object.hasOwn(record, name)) return record[name]
  for (let dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
    const key = name.slice(0, dot)
    const inner = Object.hasOwn(record, key) ? record[key] : undefined
    if (isObject(inner)) return valueOf(inner, name.slice(dot + 1))
  }
  return undefined
}

/** The names of all fields of some records, in the order they are first met. */
export const namesOf = (records: ReadonlyArray<JsonObject>): ReadonlyArray<string> => [
  ...new Set(records.flatMap((record) => flatten(record).map(([name]) => name)))
]

/** A record with the chosen fields only, in the order they were chosen; `null` for those it does not have. */
export const pick = (record: JsonObject, names: ReadonlyArray<string>): JsonObject =>
  Object.fromEntries(names.map((name) => [name, valueOf(record, name) ?? null]))

/** Those of `names` that no record has. */
export const unknownOf = (records: ReadonlyArray<JsonObject>, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => records.every((record) => valueOf(record, name) === undefined))
