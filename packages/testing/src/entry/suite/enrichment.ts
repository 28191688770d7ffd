/** What every enrichment kind has to keep, as tests. */
export { type RecordKindSuiteOptions, suite } from "../../suite/RecordKindSuite.ts"
export { type SetKindSuiteOptions, setSuite } from "../../suite/SetKindSuite.ts"
