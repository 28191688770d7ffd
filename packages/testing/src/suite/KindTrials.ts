/** What suites of both families of kinds try configurations and records with. */
import {
  type AnyKind,
  type Enrichment,
  type EnrichmentFact,
  type FactRequest,
  notesOf,
  type RecordNotes
} from "@millrace/core/enrichment"
import { CalendarDate, StrictDecoding, Timestamp } from "@millrace/core"
import type { DataType, FieldCatalog, Fields } from "@millrace/core/record"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { plainEnrichment } from "../fixture/Enrichment.ts"

const at = Timestamp.make("2026-05-31T00:00:00.000Z")
const workspaceId = "ws_00000000000000000000000001" as Enrichment["workspaceId"]

/** Days that break calendars: a leap day, both nights on which European clocks change, the ends of years. */
export const hardDays = ["2028-02-29", "2026-10-25", "2027-03-28", "2026-12-31", "2027-01-01"].map((day) =>
  CalendarDate.make(day)
)

/** An enrichment of the kind, as it is stored. */
export const storedEnrichment = (kind: AnyKind, sent: unknown, dataType: DataType): Enrichment => {
  const config = Result.getOrThrow(StrictDecoding.decode(kind.Config, sent))
  return plainEnrichment(kind.type, Schema.encodeUnknownSync(kind.Config)(config), { name: kind.label, dataType })
}

/** Facts as they are kept. */
export const keptFacts = (dataType: DataType, requests: ReadonlyArray<FactRequest>): ReadonlyArray<EnrichmentFact> =>
  requests.map((request, n) => ({
    ...request,
    id: `fct_0000000000000000000000000${n}` as EnrichmentFact["id"],
    workspaceId,
    dataType,
    by: { kind: "user", userId: "usr_1" },
    at
  }))

/** The annotations of a record about which people decided this. */
export const notesFrom = (
  dataType: DataType,
  recordId: string,
  requests: ReadonlyArray<FactRequest>
): RecordNotes | undefined => notesOf([], keptFacts(dataType, requests)).get(recordId)

/** What is wrong with a configuration. */
export const faultsIn = (kind: AnyKind, sent: unknown, catalog: FieldCatalog): ReadonlyArray<StrictDecoding.Fault> => {
  const decoded = StrictDecoding.decode(kind.Config, sent)
  return Result.isFailure(decoded) ? decoded.failure : kind.check(decoded.success, catalog).errors
}

type Json = unknown

const isObject = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Of no field: neither text nor a number, a list or an object that any configuration knows. */
const wrong = { "no such thing": [null] }

const pathOf = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`)

/** Every configuration that is this one but for a value that cannot be, or one field too many, with the place of the fault. */
export const mutantsOf = (value: Json, path = ""): ReadonlyArray<readonly [mutant: Json, path: string]> => {
  if (Array.isArray(value)) {
    return value.flatMap((item: Json, n) =>
      mutantsOf(item, `${path}[${n}]`).map(([mutant, place]) => [value.with(n, mutant), place] as const)
    )
  }
  if (!isObject(value)) return [[wrong, path]]
  const inner = Object.entries(value).flatMap(([key, item]) =>
    mutantsOf(item, pathOf(path, key)).map(([mutant, place]) => [{ ...value, [key]: mutant }, place] as const)
  )
  return path === "" ? inner : [[wrong, path], ...inner]
}

/**
 * Whether a fault was told at a place, at a part of it, or at what it is a part of: where the value says what the things beside
 * it may be, it is they that are wrong.
 */
export const isAt = (place: string, { field }: { readonly field: string }): boolean => {
  const end = Math.max(place.lastIndexOf("."), place.lastIndexOf("["))
  return field.startsWith(end === -1 ? place : place.slice(0, end)) || place.startsWith(field)
}

/** A record whose fields cannot be read: anyone who looks at one fails. */
export const poison: Fields = new Proxy<Fields>(
  {},
  {
    get: () => {
      throw new Error("this record is poison")
    },
    has: () => true
  }
)

/** Values that no field of a record should have, and that records of careless sources do have. */
export const hostile = [
  "",
  " ",
  "-",
  "NaN",
  "1e999",
  "9".repeat(60),
  "2026-02-30",
  "\u0000",
  "\ud800",
  true,
  false,
  null
]
