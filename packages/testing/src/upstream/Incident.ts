/** What goes wrong at an upstream, as a script says it. Each fake writes it in the dialect of its upstream. */
import type { FakeRequest } from "./FakeRequest.ts"

/** Answers that refuse; body and headers are those of the upstream. */
export type Refusal =
  | {
      readonly kind: "rateLimited"
      /** Seconds that the answer asks to wait, where the upstream has a header or field for it. */
      readonly retryAfter: number
      /** What must wait: requests of the same endpoint, of the same connection, or all. `client` unless given. */
      readonly scope?: "endpoint" | "connection" | "client"
    }
  /** Statuses 401, 403, 500 and 503. */
  | { readonly kind: "unauthorized" | "forbidden" | "serverError" | "unavailable" }
  /** An error that the upstream has a code of its own for, by that code. */
  | { readonly kind: "code"; readonly code: string; readonly status?: number }

/**
 * What happens to one request.
 *
 * `slow`: the answer comes after so many seconds of the upstream's clock. `halfOpen`: status and headers come, the body
 * never does. `dropped`: the connection is cut, and nothing was done. `lost`: everything was done, and the connection is
 * cut before the answer. `truncated`: the body ends in its middle, with the length of the whole one. `htmlPage`: a page
 * for people, with status 200 unless given. `unknownEnum`: words of closed lists are new ones. `unknownFields`: every
 * object has fields more. `unreadableRow`: of what has that `id`, nothing can be read but the id and the values that are
 * `kept`. `row`: what has that `id` is replaced by what `change` makes of it. `accounts`: in lists of accounts, the account of that `id` is replaced by what `change` makes of it. `mutated`: the body is changed at random by the seed; what comes is JSON still.
 * `answer`: exactly this, as JSON where it is no text.
 */
export type Incident =
  | Refusal
  | { readonly kind: "slow"; readonly seconds: number }
  | { readonly kind: "halfOpen" | "dropped" | "lost" | "truncated" | "unknownEnum" | "unknownFields" }
  | { readonly kind: "htmlPage"; readonly status?: number }
  | { readonly kind: "mutated"; readonly seed: number }
  | { readonly kind: "unreadableRow"; readonly id: string; readonly kept: ReadonlyArray<string> }
  | {
      readonly kind: "row"
      readonly id: string
      readonly change: (row: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>
    }
  | {
      readonly kind: "accounts"
      readonly id: string
      readonly change: (account: Readonly<Record<string, unknown>>) => ReadonlyArray<unknown>
    }
  | {
      readonly kind: "answer"
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body: unknown
    }

export interface IncidentPlan {
  readonly incident: Incident
  /** Requests that it happens to; all unless given. */
  readonly only?: (request: FakeRequest) => boolean
  /** How many of them; one unless given. */
  readonly times?: number
}

/**
 * States of a connection that last until they are mended. `reauth`: the person must sign in again. `consentExpired`: the
 * consent has run out. `gone`: the upstream does not know the connection any more. `institutionDown`: the bank is away.
 */
export const breakages = ["reauth", "consentExpired", "gone", "institutionDown"] as const
export type Breakage = (typeof breakages)[number]

/** Whether the answer is one that refuses, in the upstream's own words. */
export const isRefusal = (incident: Incident): incident is Refusal =>
  incident.kind === "rateLimited" ||
  incident.kind === "unauthorized" ||
  incident.kind === "forbidden" ||
  incident.kind === "serverError" ||
  incident.kind === "unavailable" ||
  incident.kind === "code"
