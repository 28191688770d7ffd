/** What every provider driver has to keep, as tests. */
export { applied, keyOf, type Model, run, type Run } from "../../suite/ProviderRun.ts"
export { upstreamSuite, type UpstreamSuiteOptions } from "../../suite/UpstreamSuite.ts"
