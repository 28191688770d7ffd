/** What is found in a configuration block before it is saved. */
import type { Fault } from "../shared/StrictDecoding.ts"

/** What is wrong inside a configuration block. */
export type Issue = Fault

export interface Check {
  /** Stop the enrichment from being saved. */
  readonly errors: ReadonlyArray<Issue>
  /** Are shown, and block nothing. May be worked out when they are read. */
  readonly lints: ReadonlyArray<Issue>
}
