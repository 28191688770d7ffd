/** The institutions of SnapTrade. */
import { type Institution, type InstitutionQuery, type ProviderError, readRows } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import type { SnapTradeClient } from "./Client.ts"
import * as Forms from "./Forms.ts"
import { addressOf, wordsOf } from "../upstream/Texts.ts"

/** All institutions, asked for at most once in a minute. */
export type Brokers = Effect.Effect<ReadonlyArray<Forms.Brokerage>, ProviderError>

export const makeBrokers = (client: SnapTradeClient): Effect.Effect<Brokers> =>
  Effect.cachedWithTTL(
    Effect.map(
      client.ask({ answer: Forms.List, path: "/brokerages", counts: { endpoint: "institutions" } }),
      (rows) => readRows(rows, Forms.Brokerage, "slug").rows
    ),
    "1 minute"
  )

/** SnapTrade does not say in which countries an institution is. */
export const institutionOf = (broker: Forms.Brokerage): Institution => {
  const logo = addressOf(broker.aws_s3_square_logo_url) ?? addressOf(broker.aws_s3_logo_url)
  const url = addressOf(broker.url)
  return {
    id: broker.slug,
    name: wordsOf(broker.display_name) ?? wordsOf(broker.name) ?? broker.slug,
    countryCodes: [],
    status:
      broker.enabled === false || broker.maintenance_mode === true
        ? "down"
        : broker.is_degraded === true
          ? "degraded"
          : "ok",
    ...(logo === undefined ? {} : { logo }),
    ...(url === undefined ? {} : { url })
  }
}

/** Those that SnapTrade offers whose name has the text in it. */
export const search = (brokers: Brokers, { limit, text }: InstitutionQuery) =>
  Effect.map(brokers, (known) => {
    const wanted = text.trim().toLowerCase()
    return known
      .filter(({ enabled }) => enabled !== false)
      .map(institutionOf)
      .filter(({ id, name }) => name.toLowerCase().includes(wanted) || id.toLowerCase().includes(wanted))
      .toSorted((a, b) => {
        // What begins with the text is meant more often than what has it somewhere.
        const [first, second] = [a, b].map(({ name }) => (name.toLowerCase().startsWith(wanted) ? 0 : 1))
        return first! - second! || (a.name < b.name ? -1 : 1)
      })
      .slice(0, limit)
  })
