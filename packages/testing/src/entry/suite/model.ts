/** What every model that answers questions of the kernel has to keep, as tests. */
export * as DecisionModelSuite from "../../suite/DecisionModelSuite.ts"
