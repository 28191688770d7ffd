/** What SnapTrade says in its headers of the limits that `limitsOf` names. */
import type { OutboundResponse } from "@millrace/core/outbound"
import type { LimitReading } from "@millrace/core/provider"

const seconds = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,9}(\.\d+)?$/.test(text.trim()) ? Math.ceil(Number(text)) : undefined

const named = [
  ["client", "x-ratelimit"],
  ["account", "x-ratelimit-account"]
] as const

/** What is left of each limit, as far as the answer says it. */
export const readLimits = ({ headers }: Pick<OutboundResponse, "headers">): ReadonlyArray<LimitReading> =>
  named.flatMap(([limit, prefix]) => {
    const remaining = seconds(headers[`${prefix}-remaining`])
    const resetSeconds = seconds(headers[`${prefix}-reset`])
    return remaining === undefined || resetSeconds === undefined ? [] : [{ limit, remaining, resetSeconds }]
  })

/** The limit that a 429 is about: the one that is used up; of two the one that lasts longer. */
export const exhausted = (answer: Pick<OutboundResponse, "headers">): LimitReading | undefined =>
  readLimits(answer)
    .filter(({ remaining }) => remaining === 0)
    .toSorted((a, b) => b.resetSeconds - a.resetSeconds)[0]
