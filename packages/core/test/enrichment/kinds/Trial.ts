/**
 * What bundled kinds are tried with: a record kind in a file `<kind>.trial.ts` of its own, which `RecordKind.test.ts` finds, and a
 * set kind in `<kind>.setTrial.ts`, as a list, which `SetKind.test.ts` finds.
 */
import type { RecordKindSuiteOptions, SetKindSuiteOptions } from "@millrace/testing/suite/enrichment"

export interface Trial extends Pick<RecordKindSuiteOptions, "good" | "refused" | "limits"> {
  /** The type of the kind. */
  readonly type: string
  /** Beside those that all kinds are given. */
  readonly records?: RecordKindSuiteOptions["records"]
}

export type SetTrial = SetKindSuiteOptions

export const when = (field: string, operator: string, value: string) => ({
  logic: "and",
  conditions: [{ field, operator, value }]
})
/** One of the records. */
export const tram = when("description", "contains", "tram")
export const many = <A>(count: number, of: (n: number) => A) => Array.from({ length: count }, (_, n) => of(n))
