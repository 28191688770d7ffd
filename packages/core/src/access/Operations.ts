/**
 * The catalogue of operations: everything that can be asked of a Millrace, once. The checks before a handler, the
 * OpenAPI document, the command line's tree and the access matrix in the documents are derived from it.
 */
import type { Operation } from "./Operation.ts"
import { accountOperations, bankOperations } from "./operations/BankOperations.ts"
import { correctionOperations } from "./operations/CorrectionOperations.ts"
import { feedOperations, uploadOperations } from "./operations/FeedOperations.ts"
import { identityOperations } from "./operations/IdentityOperations.ts"
import { jobOperations, recordOperations } from "./operations/JobOperations.ts"
import { fieldOperations, rowOperations, tableOperations } from "./operations/TableOperations.ts"

export const operations = {
  ...identityOperations,
  ...bankOperations,
  ...accountOperations,
  ...correctionOperations,
  ...feedOperations,
  ...uploadOperations,
  ...jobOperations,
  ...recordOperations,
  ...tableOperations,
  ...fieldOperations,
  ...rowOperations
} satisfies Readonly<Record<string, Operation>>

/** The ids of all operations. */
export type OperationId = keyof typeof operations
