/** Ids in paths: malformed, unknown and foreign ones get one and the same 404 (decisions 1.1). */
import { type Id, isId, NotFound } from "@millrace/core"
import { idKindOf } from "@millrace/core/record"

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
export type Identified = keyof typeof resources

export const isIdentified = (kind: string): kind is Identified => Object.hasOwn(resources, kind)

const recordKinds = Object.values(idKindOf)

/** What a word in a path means, where that is another one in the kernel. */
export type IdOf<K extends Identified> = K extends "attempt"
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
export const unidentified = (kind: Identified, text: string): NotFound | undefined =>
  isIdentifiedBy(kind, text) ? undefined : new NotFound({ resource: resources[kind] })
