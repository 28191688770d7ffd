/** Reads whose oldest day comes again under other ids and in other words. */
import type { Coverage } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import { Seeded } from "@millrace/testing/model"
import { dateOf } from "../../model/AccountHistory.ts"
import { amountOf, type BankRead, type TrueObservation } from "../../model/BankView.ts"
import { reworded } from "./Rewording.ts"
import { sizeOf, type Effort, type Scene, type Size } from "./Scene.ts"
import { addOutcome, noOutcome, outcomeOf, type Outcome } from "./StatementFiles.ts"
import { bookingsOf } from "./TwoSources.ts"
import { merchantName } from "./World.ts"

const histories: Readonly<Record<Size, number>> = { small: 2, quick: 20, full: 150 }

/** An account whose whole list, or latest window, is read four times; after two reads the ids and texts are others. */
const played = (seed: number, kind: "full" | "window"): Outcome => {
  const random = new Seeded(seed)
  const bookings = bookingsOf(random, { days: 2 + random.below(20) })
  if (bookings.length === 0) return noOutcome()
  const shown = (day: number, session: number): BankRead => {
    const observations = bookings.map((booking): TrueObservation => {
      const date = dateOf(booking.day)
      const text = reworded(new Seeded(seed * 100 + session * 10_000 + booking.event), merchantName(booking.merchant))
      const amount = amountOf(booking.cents)
      const fields = { date, description: text, originalDescription: text, amount, currency: "EUR", pending: false }
      const hash = JSON.stringify(fields)
      const providerId = `${session}:${booking.event}`
      return { providerId, pendingProviderId: "", date, pending: false, hash, fields, event: booking.event }
    })
    const coverage: Coverage =
      kind === "full"
        ? { kind: "full", complete: true }
        : { kind: "window", from: dateOf(bookings[0]!.day), to: dateOf(day), complete: true }
    return { idTrust: "stable", coverage, observations, removed: new Set() }
  }
  const reads = [shown(30, 0), shown(31, 0), shown(32, 1), shown(33, 1), shown(35, 1)]
  return outcomeOf(bookings, reads, 36)
}

export const oldestDay: Scene = {
  name: "oldest-day",
  title: "a whole list, or a window, is read again under new ids and in other words, its oldest day included",
  play: (effort: Effort) =>
    Effect.sync(() =>
      (["full", "window"] as const).flatMap((kind) => {
        const outcome = Array.from({ length: sizeOf(effort, histories) }, (_, n) =>
          played(effort.seed + n, kind)
        ).reduce(addOutcome, noOutcome())
        const per = (count: number): number => (1_000 * count) / outcome.rows
        return [
          { name: `${kind}: doubled per 1,000`, value: per(outcome.doubled), goal: { max: 0 } },
          { name: `${kind}: lost per 1,000`, value: per(outcome.lost), goal: { max: 0 } }
        ]
      })
    )
}
