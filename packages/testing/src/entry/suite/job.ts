/** What every job engine has to keep, as tests. */
export * as JobEngineSuite from "../../suite/JobEngineSuite.ts"
export * as TaskRunnerSuite from "../../suite/TaskRunnerSuite.ts"
