/** Ids in paths: malformed, unknown and foreign ones get one and the same 404 (decisions 1.1). */
import * as Effect from "effect/Effect"
import { type Id, type IdKind, isId, NotFound } from "@millrace/core"

const resources = {
  workspace: "Workspace",
  bank: "Bank",
  account: "Account",
  feed: "Feed",
  job: "Job",
  table: "Table",
  field: "Field",
  row: "Row",
  transaction: "Transaction",
  match: "Match",
  suggestion: "Suggestion",
  upload: "Upload",
  enrichment: "Enrichment",
  finding: "Finding"
} as const satisfies Partial<Record<IdKind, string>>

/** What ids in paths name. */
export type Identified = keyof typeof resources

export const isIdentified = (kind: string): kind is Identified => Object.hasOwn(resources, kind)

export const identified = <K extends Identified>(kind: K, text: string): Effect.Effect<Id<K>, NotFound> =>
  isId(kind, text) ? Effect.succeed(text) : Effect.fail(new NotFound({ resource: resources[kind] }))
