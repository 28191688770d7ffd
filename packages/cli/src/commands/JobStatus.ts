/** The statuses of a sync job. The schemas of the API would cost every start time. */
export const jobStatuses = ["created", "in_progress", "paused", "completed", "failed", "cancelled"] as const

const active: ReadonlySet<string> = new Set(["created", "in_progress", "paused"])

export const isActive = (status: string): boolean => active.has(status)
