/** Plans of enrichments, in threads of their own. */
export * as PlanningThreads from "../planning/PlanningThreads.ts"
