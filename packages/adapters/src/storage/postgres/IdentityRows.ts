/** Rows about the identity of records as the kernel sees them. */
import type { Decided, IdentityFact, LoggedMatch, LoggedSuggestion } from "@millrace/core/identity"
import { instant, present } from "./Column.ts"

interface DecidedRow {
  readonly decided_by: Decided["by"] | null
  readonly decided_at: Date | null
}

export interface MatchRow extends DecidedRow {
  readonly id: LoggedMatch["id"]
  readonly workspace_id: LoggedMatch["workspaceId"]
  readonly account_id: LoggedMatch["accountId"]
  readonly data_type: LoggedMatch["dataType"]
  readonly record_id: string
  readonly version_before: number
  readonly before: LoggedMatch["before"]
  readonly observed: LoggedMatch["observed"]
  readonly separate_id: string | null
  readonly second_source: boolean
  readonly evidence: LoggedMatch["evidence"]
  readonly coverage: NonNullable<LoggedMatch["coverage"]> | null
  readonly job_id: NonNullable<LoggedMatch["jobId"]> | null
  readonly made_at: Date
  readonly state: LoggedMatch["state"]
}

export interface SuggestionRow extends DecidedRow {
  readonly id: LoggedSuggestion["id"]
  readonly workspace_id: LoggedSuggestion["workspaceId"]
  readonly account_id: LoggedSuggestion["accountId"]
  readonly data_type: LoggedSuggestion["dataType"]
  readonly record_id: string
  readonly observed_id: string
  readonly evidence: LoggedSuggestion["evidence"]
  readonly job_id: NonNullable<LoggedSuggestion["jobId"]> | null
  readonly made_at: Date
  readonly state: LoggedSuggestion["state"]
}

export interface FactRow {
  readonly id: IdentityFact["id"]
  readonly workspace_id: IdentityFact["workspaceId"]
  readonly account_id: IdentityFact["accountId"]
  readonly data_type: IdentityFact["dataType"]
  readonly kind: IdentityFact["kind"]
  readonly record_id: string
  readonly known_by: NonNullable<IdentityFact["key"]> | null
  readonly other_id: string | null
  readonly other_known_by: NonNullable<IdentityFact["otherKey"]> | null
  readonly made_by: IdentityFact["by"]
  readonly made_at: Date
  readonly lifted_by: IdentityFact["by"] | null
  readonly lifted_at: Date | null
}

const decidedOf = (by: Decided["by"] | null, at: Date | null): Decided | null =>
  by === null || at === null ? null : { by, at: instant(at) }

export const toMatch = (row: MatchRow): LoggedMatch => ({
  id: row.id,
  workspaceId: row.workspace_id,
  accountId: row.account_id,
  dataType: row.data_type,
  recordId: row.record_id,
  versionBefore: row.version_before,
  before: row.before,
  observed: row.observed,
  evidence: row.evidence,
  at: instant(row.made_at),
  state: row.state,
  ...present({
    separateId: row.separate_id,
    secondSource: row.second_source ? (true as const) : null,
    coverage: row.coverage,
    jobId: row.job_id,
    decided: decidedOf(row.decided_by, row.decided_at)
  })
})

export const toSuggestion = (row: SuggestionRow): LoggedSuggestion => ({
  id: row.id,
  workspaceId: row.workspace_id,
  accountId: row.account_id,
  dataType: row.data_type,
  recordId: row.record_id,
  observedId: row.observed_id,
  evidence: row.evidence,
  at: instant(row.made_at),
  state: row.state,
  ...present({ jobId: row.job_id, decided: decidedOf(row.decided_by, row.decided_at) })
})

export const toFact = (row: FactRow): IdentityFact => ({
  id: row.id,
  workspaceId: row.workspace_id,
  accountId: row.account_id,
  dataType: row.data_type,
  kind: row.kind,
  recordId: row.record_id,
  by: row.made_by,
  at: instant(row.made_at),
  ...present({
    key: row.known_by,
    otherId: row.other_id,
    otherKey: row.other_known_by,
    lifted: decidedOf(row.lifted_by, row.lifted_at)
  })
})
