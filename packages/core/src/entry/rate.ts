/** For authors of rate limiters and upstream budgets: the ports, and the arithmetic of windows and allowances. */
export * as Allowance from "../rate/Allowance.ts"
export { RateLimiter } from "../rate/RateLimiter.ts"
export * as Refill from "../rate/Refill.ts"
export type { RequestBudget } from "../rate/RequestBudget.ts"
export * as RollingWindow from "../rate/RollingWindow.ts"
export { type Line, type Place, type Upstream, UpstreamBudget } from "../rate/UpstreamBudget.ts"
