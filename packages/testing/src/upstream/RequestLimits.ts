/** The limits of an upstream as the upstream itself counts them. */
import type { FakeRequest } from "./FakeRequest.ts"

export interface RequestLimit {
  readonly name: string
  readonly requests: number
  readonly seconds: number
  /** What has the limit: every connection for itself, or all together. */
  readonly per: "client" | "connection"
  /** Requests that count; all unless given. */
  readonly endpoint?: string
}

export interface Excess {
  readonly limit: RequestLimit
  readonly request: FakeRequest
  /** Seconds until there is a place again. */
  readonly retryAfter: number
}

/** Counts requests in windows that slide. What is refused counts as well. */
export class RequestLimits {
  private readonly limits: ReadonlyArray<RequestLimit>
  private readonly times = new Map<string, Array<number>>()

  constructor(limits: ReadonlyArray<RequestLimit>) {
    this.limits = limits
  }

  /** The limit that the request goes beyond, if it does. */
  count(request: FakeRequest): Excess | undefined {
    let excess: Excess | undefined
    for (const limit of this.limits) {
      if (limit.endpoint !== undefined && limit.endpoint !== request.endpoint) continue
      if (limit.per === "connection" && request.connectionRef === undefined) continue
      const key = `${limit.name} ${limit.per === "connection" ? request.connectionRef : ""}`
      const since = request.at - limit.seconds * 1000
      const times = (this.times.get(key) ?? []).filter((at) => at > since)
      times.push(request.at)
      this.times.set(key, times)
      if (times.length > limit.requests) {
        const oldest = times[times.length - limit.requests - 1]!
        const retryAfter = Math.max(1, Math.ceil((oldest - since) / 1000))
        if (excess === undefined || retryAfter > excess.retryAfter) excess = { limit, request, retryAfter }
      }
    }
    return excess
  }
}
