/** What goes wrong in each scenario, and how healthy the connection says it is. */
import {
  CheckpointInvalid,
  type ConnectionHealth,
  ConsentRequired,
  InstitutionUnavailable,
  MutationDuringPagination,
  NotReady,
  type ProviderError,
  RateLimited,
  ReauthRequired
} from "@millrace/core/provider"
import { Timestamp } from "@millrace/core"
import type { DemoConnection } from "./DemoConnection.ts"

const minute = 60_000
const checkpointLife = 60 * minute
const readyAfter = 10_000

/** Seconds until first data are there; 0 when they are. */
const waitLeft = (connection: DemoConnection, now: number): number =>
  Math.max(0, Math.ceil(((connection.connectedAt ?? 0) + readyAfter - now) / 1000))

/** Why a read fails in this scenario at this instant. */
export const incident = (
  connection: DemoConnection,
  now: number,
  run: { readonly begunAt: number; readonly checkpointAt: number | undefined }
): ProviderError | undefined => {
  switch (connection.scenario) {
    case "reauth":
      return new ReauthRequired({ message: "The demo bank asks for a new sign-in.", providerCode: "DEMO_LOGIN" })
    case "consent":
      return new ConsentRequired({ message: "The consent at the demo bank has expired.", providerCode: "DEMO_CONSENT" })
    case "down":
      return new InstitutionUnavailable({
        message: "The demo bank is down for maintenance.",
        providerCode: "DEMO_DOWN",
        retryAfter: 60
      })
    case "rate-limit":
      return Math.floor(now / 2000) % 2 === 1
        ? new RateLimited({ message: "Too many requests.", scope: "connection", retryAfter: 2 })
        : undefined
    case "not-ready": {
      const left = waitLeft(connection, now)
      return left > 0 ? new NotReady({ message: "First data are being collected.", retryAfter: left }) : undefined
    }
    case "mutating":
      return Math.floor(now / minute) === Math.floor(run.begunAt / minute)
        ? undefined
        : new MutationDuringPagination({ message: "The ledger changed while it was paged." })
    case "checkpoint-lost":
      return run.checkpointAt !== undefined && run.begunAt - run.checkpointAt > checkpointLife
        ? new CheckpointInvalid({ message: "The checkpoint is no longer known.", providerCode: "DEMO_CURSOR" })
        : undefined
    default:
      return undefined
  }
}

/** Health of the connection at an instant. */
export const health = (connection: DemoConnection, now: number): ConnectionHealth => {
  const lastUpstreamUpdateAt = Timestamp.fromMillis(Math.floor(now / minute) * minute)
  switch (connection.scenario) {
    case "reauth":
      return {
        status: "reauth_required",
        errorCode: "REAUTH_REQUIRED",
        errorMessage: "The demo bank asks for a new sign-in."
      }
    case "consent":
      return {
        status: "consent_expired",
        errorCode: "CONSENT_EXPIRED",
        errorMessage: "The consent at the demo bank has expired."
      }
    case "down":
      return {
        status: "degraded",
        errorCode: "INSTITUTION_UNAVAILABLE",
        errorMessage: "The demo bank is down for maintenance."
      }
    case "not-ready":
      return waitLeft(connection, now) > 0 ? { status: "pending" } : { status: "connected", lastUpstreamUpdateAt }
    default:
      return { status: "connected", lastUpstreamUpdateAt }
  }
}
