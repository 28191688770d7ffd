/** Everything that a provider can answer instead of data. */
import type { ConnectionHealth } from "@millrace/core/provider"
import * as ProviderError from "../../../core/src/provider/ProviderError.ts"
import { CalendarDate } from "@millrace/core"
import type { Seeded } from "@millrace/testing/model"

const message = "scripted"

/** One of every tag, some more often than others: what goes away by itself is the usual case. */
export const randomError = (random: Seeded, now: number): ProviderError.ProviderError => {
  switch (random.below(18)) {
    case 0:
    case 1:
    case 2:
      return new ProviderError.ProviderUnavailable({ message })
    case 3:
      return new ProviderError.ProviderUnavailable({ message, retryAfter: random.pick([1, 30, 600]) })
    case 4:
    case 5:
      return new ProviderError.RateLimited({ message, scope: "client", retryAfter: random.pick([1, 20, 900]) })
    case 6:
    case 7:
      return new ProviderError.MutationDuringPagination({ message })
    case 8:
      return new ProviderError.ProtocolViolation({ message, path: "rows[0]" })
    case 9:
      return new ProviderError.NotReady({ message, retryAfter: 400 })
    case 10:
      return new ProviderError.InstitutionUnavailable({ message })
    case 11:
      return new ProviderError.InstitutionUnavailable({ message, permanent: true })
    case 12:
      return new ProviderError.ReauthRequired({ message })
    case 13:
      return new ProviderError.ConsentRequired({ message })
    case 14:
      return new ProviderError.ConnectionGone({ message })
    case 15:
      return new ProviderError.RangeNotAllowed({
        message,
        earliest: CalendarDate.addDays(CalendarDate.inZone(now, "UTC"), -300)
      })
    case 16:
      return random.once(2)
        ? new ProviderError.Unsupported({ message, dataType: "transactions" })
        : new ProviderError.InvalidConnectPayload({ message })
    default:
      return random.once(2)
        ? new ProviderError.Misconfigured({ message })
        : new ProviderError.CheckpointInvalid({ message })
  }
}

export const randomHealth = (random: Seeded): ConnectionHealth => ({
  status: random.pick(["reauth_required", "consent_expired", "disconnected", "error", "degraded", "pending"])
})
