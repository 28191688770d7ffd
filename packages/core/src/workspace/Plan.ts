/** Plans and what they allow (specification 8.1, decisions 9). */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"

export const planNames = ["free", "starter", "standard", "professional", "business", "enterprise"] as const
export const PlanName = Schema.Literals(planNames)
export type PlanName = typeof PlanName.Type

/** `undefined` limits mean no limit. */
export interface Plan {
  /** Whether API keys may call more than whoami. */
  readonly apiAccess: boolean
  /** Requests in a rolling 60 seconds, shared by the keys and apps of a workspace. Of `enterprise`: unless agreed otherwise. */
  readonly requestsPerMinute: number
  readonly banks: number | undefined
  readonly feeds: number | undefined
  readonly fastestSchedule: "hourly" | "daily" | "weekly"
  readonly historyDays: number | undefined
  readonly members: number | undefined
  readonly portals: number | undefined
  readonly rows: number | undefined
  /** Automations that are active at a time. */
  readonly automations: number | undefined
  readonly mailboxes: number | undefined
  /** Bytes of uploaded files that are kept at one time, of all feeds of the workspace. */
  readonly fileBytes: number | undefined
}

const mebibyte = 1_048_576

export const plans: Readonly<Record<PlanName, Plan>> = {
  free: {
    apiAccess: false,
    requestsPerMinute: 10,
    banks: 1,
    feeds: 1,
    fastestSchedule: "weekly",
    historyDays: 90,
    members: 1,
    portals: 0,
    rows: 1_000,
    automations: 1,
    mailboxes: 0,
    fileBytes: 50 * mebibyte
  },
  starter: {
    apiAccess: false,
    requestsPerMinute: 10,
    banks: 3,
    feeds: 3,
    fastestSchedule: "daily",
    historyDays: 365,
    members: 2,
    portals: 0,
    rows: 10_000,
    automations: 3,
    mailboxes: 1,
    fileBytes: 250 * mebibyte
  },
  standard: {
    apiAccess: true,
    requestsPerMinute: 10,
    banks: 5,
    feeds: 10,
    fastestSchedule: "daily",
    historyDays: 730,
    members: 5,
    portals: 0,
    rows: 100_000,
    automations: 10,
    mailboxes: 3,
    fileBytes: 1_024 * mebibyte
  },
  professional: {
    apiAccess: true,
    requestsPerMinute: 20,
    banks: 20,
    feeds: 50,
    fastestSchedule: "hourly",
    historyDays: 1_825,
    members: 15,
    portals: 5,
    rows: 1_000_000,
    automations: 50,
    mailboxes: 10,
    fileBytes: 5_120 * mebibyte
  },
  business: {
    apiAccess: true,
    requestsPerMinute: 30,
    banks: 100,
    feeds: 250,
    fastestSchedule: "hourly",
    historyDays: 3_650,
    members: 50,
    portals: 50,
    rows: 5_000_000,
    automations: 200,
    mailboxes: 50,
    fileBytes: 20_480 * mebibyte
  },
  enterprise: {
    apiAccess: true,
    requestsPerMinute: 600,
    banks: undefined,
    feeds: undefined,
    fastestSchedule: "hourly",
    historyDays: undefined,
    members: undefined,
    portals: undefined,
    rows: undefined,
    automations: undefined,
    mailboxes: undefined,
    fileBytes: undefined
  }
}

/** Requests a minute of workspaces on `enterprise`: what the operator of the installation decides. */
export const AgreedRate = Context.Reference<number>("@millrace/core/workspace/Plan/AgreedRate", {
  defaultValue: () => plans.enterprise.requestsPerMinute
})

/** The plan with the agreed rate where it is by agreement. */
export const planWith = (agreedRate: number, name: PlanName): Plan =>
  name === "enterprise" ? { ...plans.enterprise, requestsPerMinute: agreedRate } : plans[name]
