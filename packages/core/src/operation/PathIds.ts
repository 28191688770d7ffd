/** Ids in paths: malformed, unknown and foreign ones get one and the same 404 (decisions 1.1). */
import { NotFound } from "../failure/Failure.ts"
import { idKindOf } from "../record/DataType.ts"
import { type Id, isId } from "../shared/Ids.ts"

const resources = {
  workspace: "Workspace",
  bank: "Bank",
  account: "Account",
  attempt: "Attempt",
  feed: "Feed",
  job: "Job",
  table: "Table",
  field: "Field",
  row: "Row",
  transaction: "Transaction",
  match: "Match",
  suggestion: "Suggestion",
  upload: "Upload",
  page: "Page",
  enrichment: "Enrichment",
  finding: "Finding",
  series: "Series",
  simulation: "Simulation",
  decision: "Decision",
  // Of whatever type of data: a transaction, a receipt.
  record: "Record"
} as const

/** What ids in paths name. */
type Identified = keyof typeof resources

const isIdentified = (kind: string): kind is Identified => Object.hasOwn(resources, kind)

const recordKinds = Object.values(idKindOf)

/** What a word in a path means, where that is another one in the kernel. */
type IdOf<K extends Identified> = K extends "attempt"
  ? Id<"connectionAttempt">
  : K extends "page"
    ? Id<"uploadPage">
    : K extends "decision"
      ? Id<"fact">
      : K extends "series"
        ? string
        : Id<K>

/** Of a series: it follows from what it is made of. */
const seriesId = /^ser_[0-9a-z]{26}$/

const isIdentifiedBy = <K extends Identified>(kind: K, text: string): text is IdOf<K> =>
  kind === "attempt"
    ? isId("connectionAttempt", text)
    : kind === "page"
      ? isId("uploadPage", text)
      : kind === "decision"
        ? isId("fact", text)
        : kind === "series"
          ? seriesId.test(text)
          : kind === "record"
            ? recordKinds.some((one) => isId(one, text))
            : isId(kind as Exclude<Identified, "attempt" | "page" | "record" | "decision" | "series">, text)

/** The answer where a text can be no id of the kind. */
const unidentified = (kind: Identified, text: string): NotFound | undefined =>
  isIdentifiedBy(kind, text) ? undefined : new NotFound({ resource: resources[kind] })

/** The names of the parameters of a path. */
export type ParametersOf<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? ParametersOf<Head> | ParametersOf<Tail>
  : Path extends `:${infer Name}`
    ? Name
    : never

/** The ids of a path, each under what it names: `bank_id` is `bank`. */
export type IdsOf<Path extends string> = {
  readonly [
    Name in ParametersOf<Path> as Name extends `${infer Kind extends Identified}_id` ? Kind : never
  ]: Name extends `${infer Kind extends Identified}_id` ? IdOf<Kind> : never
}

/** What a path names otherwise than by an id, as it was sent. */
export type NamesOf<Path extends string> = {
  readonly [Name in ParametersOf<Path> as Name extends `${Identified}_id` ? never : Name]: string
}

const suffix = "_id"

/** What the ids of a path name, or the first that can be none. */
export const idsOf = (params: Readonly<Record<string, string>>): Readonly<Record<string, string>> | NotFound => {
  const ids: Record<string, string> = {}
  for (const [name, text] of Object.entries(params)) {
    const kind = name.slice(0, -suffix.length)
    if (!name.endsWith(suffix) || !isIdentified(kind)) continue
    const unknown = unidentified(kind, text)
    if (unknown !== undefined) return unknown
    ids[kind] = text
  }
  return ids
}
