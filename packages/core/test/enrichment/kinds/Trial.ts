/** What a bundled record kind is tried with, in a file `<kind>.trial.ts` of its own; `RecordKind.test.ts` finds it. */
import type { RecordKindSuiteOptions } from "@millrace/testing/suite/enrichment"

export interface Trial extends Pick<RecordKindSuiteOptions, "good" | "refused" | "limits"> {
  /** The type of the kind. */
  readonly type: string
  /** Beside those that all kinds are given. */
  readonly records?: RecordKindSuiteOptions["records"]
}

export const when = (field: string, operator: string, value: string) => ({
  logic: "and",
  conditions: [{ field, operator, value }]
})
/** One of the records. */
export const tram = when("description", "contains", "tram")
export const many = <A>(count: number, of: (n: number) => A) => Array.from({ length: count }, (_, n) => of(n))
