/**
 * The catalogue of operations: everything that can be asked of a Millrace, once. The checks before a handler, the
 * OpenAPI document, the command line's tree and the access matrix in the documents are derived from it.
 */
import { auditOperations } from "./AuditOperations.ts"
import type { Operation } from "./Operation.ts"
import { accountOperations, bankOperations } from "./BankOperations.ts"
import { callbackOperations } from "./CallbackOperations.ts"
import { correctionOperations } from "./CorrectionOperations.ts"
import { decisionOperations, insightOperations } from "./DecisionOperations.ts"
import { enrichmentOperations, findingOperations, previewOperations, valueOperations } from "./EnrichmentOperations.ts"
import { feedOperations, uploadOperations } from "./FeedOperations.ts"
import { identityOperations } from "./IdentityOperations.ts"
import { joinOperations } from "./JoinOperations.ts"
import { jobOperations, recordOperations } from "./JobOperations.ts"
import { fieldOperations, rowOperations, tableOperations } from "./TableOperations.ts"
import { workspaceOperations } from "./WorkspaceOperations.ts"

export const operations = {
  ...identityOperations,
  ...workspaceOperations,
  ...auditOperations,
  ...bankOperations,
  ...accountOperations,
  ...callbackOperations,
  ...correctionOperations,
  ...joinOperations,
  ...feedOperations,
  ...uploadOperations,
  ...jobOperations,
  ...recordOperations,
  ...enrichmentOperations,
  ...findingOperations,
  ...insightOperations,
  ...decisionOperations,
  ...valueOperations,
  ...previewOperations,
  ...tableOperations,
  ...fieldOperations,
  ...rowOperations
} satisfies Readonly<Record<string, Operation>>

/** The ids of all operations. */
export type OperationId = keyof typeof operations
