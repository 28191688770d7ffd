/** What every enrichment kind has to keep, as tests. */
export { type RecordKindSuiteOptions, suite } from "../../suite/RecordKindSuite.ts"
