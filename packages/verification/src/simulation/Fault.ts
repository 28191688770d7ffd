/** Faults that are injected into a connection, or into the destination of one of its feeds. */
import { CalendarDate } from "@millrace/core"
import { isTrusted, longAgo } from "@millrace/testing/fake"
import type { ConnectionScenario } from "./ConnectionScenario.ts"
import type { FollowingFeed } from "./FollowingFeed.ts"
import { randomError, randomHealth } from "./ProviderErrors.ts"

export const faults = [
  "lose checkpoint",
  "provider errors",
  "look errors",
  "unhealthy",
  "short read",
  "shorter history",
  "unlist",
  "change while paged",
  "destination faults",
  "refusals"
] as const
export type Fault = (typeof faults)[number]

const isSnapshot = ({ provider }: ConnectionScenario): boolean => provider.options.changeModel.startsWith("snapshot")

/**
 * The bank changes between two pages of a read. A snapshot does not tell: where a row goes, those behind it move up,
 * and one of them is on no page of a read that says that it is whole; and a row that is repeated at the edge of a page
 * may be another one there, under the same id. Where a row comes, those behind it move down, and one may be on two
 * pages: without ids nobody can tell it from a twin.
 */
const changeWhilePaged = (scenario: ConnectionScenario, now: () => number): void => {
  const { upstream } = scenario
  upstream.meanwhile.push(() => {
    const before = upstream.rows.size
    scenario.happen(now(), 1)
    if (!isSnapshot(scenario)) return
    if (upstream.rows.size < before || upstream.repeatsEdges) scenario.misled = true
    if (upstream.rows.size > before && !isTrusted(scenario.provider.options.idTrust)) scenario.doubled = true
  })
}

/** Lets it happen. `now` in milliseconds. */
export const inject = (scenario: ConnectionScenario, under: FollowingFeed, fault: Fault, now: () => number): void => {
  const { provider, random, sometimes, upstream } = scenario
  switch (fault) {
    case "lose checkpoint":
      if (provider.options.changeModel !== "delta") return
      sometimes.happened("provider forgets the checkpoint")
      return upstream.loseCheckpoints()
    case "provider errors":
      upstream.failures.push(...random.list(1, 4, () => (random.once(3) ? undefined : randomError(random, now()))))
      return
    case "look errors":
      upstream.lookFailures.push(randomError(random, now()))
      return
    case "unhealthy":
      upstream.health = random.once(2) ? { status: "connected" } : randomHealth(random)
      if (upstream.health.status !== "connected") sometimes.happened("connection unhealthy")
      return
    case "short read":
      if (!isSnapshot(scenario)) return
      scenario.misled = true
      upstream.shortReads = 1 + random.below(2)
      upstream.shortBy = random.pick([3, Infinity])
      upstream.shortAtStart = random.once(2)
      return sometimes.happened("provider answers short")
    case "shorter history": {
      // Anyone who tells only what is new says nothing about what is old.
      if (provider.options.changeModel === "appendOnly") return
      const from = random.once(3) ? longAgo : CalendarDate.addDays(CalendarDate.inZone(now(), "UTC"), -random.below(8))
      upstream.keeps = { from, rows: scenario.listedRows }
      return sometimes.happened("bank shows less than it claims")
    }
    case "unlist": {
      const account = random.pick(upstream.accountIds)
      if (upstream.unlisted.delete(account)) return
      upstream.unlisted.add(account)
      return sometimes.happened("bank lists an account no longer")
    }
    case "change while paged":
      if (scenario.meanwhiles-- <= 0) return
      sometimes.happened("bank changes while it is paged")
      return changeWhilePaged(scenario, now)
    case "destination faults":
      under.place?.faults.push(
        ...random.list(1, 6, () => {
          const outcome = random.pick(["none", "unavailable", "answerLost", "unavailable", "unavailable"] as const)
          if (outcome !== "none") {
            sometimes.happened(outcome === "unavailable" ? "destination away" : "destination answer lost")
          }
          return outcome
        })
      )
      return
    case "refusals":
      if (under.place !== undefined) {
        const word = random.pick(["coffee", "rent", "books"])
        under.place.refuses = random.once(2) ? () => false : (values) => values["description"] === word
      }
      return
  }
}
