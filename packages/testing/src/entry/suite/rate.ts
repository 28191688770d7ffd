/** What every rate limiter and upstream budget has to keep, as tests. */
export * as RateLimiterSuite from "../../suite/RateLimiterSuite.ts"
export * as UpstreamBudgetSuite from "../../suite/UpstreamBudgetSuite.ts"
