/** The audit: who did what to what, and whether what is kept of it is what was written. */
export { Audit, type AuditFilter, type ChainPlace, rowOf, type Verified } from "../audit/Audit.ts"
export {
  AuditContent,
  type AuditEntry,
  type AuditEntryId,
  type AuditOutcome,
  auditOutcomes,
  chainHash,
  chainStart
} from "../audit/AuditEntry.ts"
