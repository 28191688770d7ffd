/** One enrichment of a set kind among those that an analysis goes through, and what it is planned under (enrichments A10). */
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import type { Enrichment } from "./Enrichment.ts"
import type { SetKind } from "./kinds/SetKind.ts"

/** An enrichment of a set kind that is about to be planned. */
export interface SetStep {
  readonly enrichment: Enrichment
  readonly kind: SetKind
  readonly prepared: unknown
  /** The fields that it was prepared for. */
  readonly preparedFor: FieldCatalog
  /** What its partitions are planned under: a revision, and the version of the surroundings that the kind watches. */
  readonly tag: string
  /** The same, and the status of accounts where the kind has a pulse: what it was planned whole under. */
  readonly wholeTag: string
}

/** The part of a tag that says which enrichment it was: where it differs, nothing of what was kept counts. */
export const revisionOf = (tag: string): string => tag.split(/[~!]/u, 1)[0]!

export const tagOf = (revision: string, surroundings: string): string =>
  surroundings === "" ? revision : `${revision}~${surroundings}`
