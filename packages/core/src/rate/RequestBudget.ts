/** The requests that an upstream allows. */

/** What an upstream lets one client ask, in requests per minute; at least 1. */
export interface RequestBudget {
  /** For all connections together. */
  readonly perMinute: number
  /** For each connection. */
  readonly perConnectionPerMinute?: number
}
