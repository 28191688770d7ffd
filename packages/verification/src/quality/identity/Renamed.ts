/** A merchant whose bookings carry another name than its authorisations. */
import * as Effect from "effect/Effect"
import type { AccountHistory } from "../../model/AccountHistory.ts"
import { errorsPerThousand, perThousand } from "../../model/IdentityQuality.ts"
import type { Seeded } from "@millrace/testing/model"
import type { Scene } from "./Scene.ts"
import { merchantName, percent, playWorlds, worldOf, type Purchase } from "./World.ts"

const fare = 0

/** Fares of one price, mostly one a day, among other purchases. */
const commuter = (random: Seeded): AccountHistory => {
  const days = 120
  const purchases: Array<Purchase> = []
  for (let day = 0; day < days; day++) {
    const rides = random.below(10) < 7 ? 1 + Number(random.once(8)) : 0
    for (let n = 0; n < rides; n++) {
      const lag = 1 + random.below(3)
      purchases.push({
        merchant: fare,
        day,
        cents: -275,
        pendingText: "METRO TRANSIT",
        bookedText: "MTA*NYCT PAYGO",
        lag
      })
    }
    for (let n = random.below(3); n > 0; n--) {
      const merchant = 1 + random.below(15)
      const text = merchantName(merchant)
      const lag = random.below(4)
      purchases.push({
        merchant,
        day,
        cents: -500 - random.below(9_000),
        pendingText: text,
        bookedText: `${text} BERLIN DE`,
        lag
      })
    }
  }
  const merchants = ["METRO TRANSIT", ...Array.from({ length: 15 }, (_, n) => merchantName(n + 1))]
  return worldOf(days, merchants, purchases)
}

export const renamed: Scene = {
  name: "renamed",
  title: "METRO TRANSIT -2.75 is booked as MTA*NYCT PAYGO -2.75, nearly every day",
  play: (effort) =>
    Effect.sync(() => {
      const histories = { small: 1, quick: 3, full: 20 }
      const rides = playWorlds(effort, histories, ["reidentified", "idless", "unlinked"], commuter, {
        counts: ({ merchant }) => merchant === fare,
        plain: true
      })
      return [
        { name: "edits of rides kept, %", value: percent(rides.kept, rides.edited), goal: { min: 88 } },
        { name: "errors per 1,000", value: errorsPerThousand(rides), goal: { max: 0 } }
      ]
    })
}

/** Everything costs 5, 10, 20, 50 or 100; a few merchants book under another name, and a few purchases are never booked. */
const roundWorld = (random: Seeded): AccountHistory => {
  const days = 120
  const many = 30
  const legal = Array.from({ length: many }, (_, n) =>
    random.once(6) ? `${merchantName(79 - n)} HOLDINGS` : undefined
  )
  const purchases: Array<Purchase> = []
  for (let day = 0; day < days; day++) {
    for (let n = random.below(3); n > 0; n--) {
      const merchant = random.below(many)
      const text = merchantName(merchant)
      purchases.push({
        merchant,
        day,
        cents: -random.pick([500, 1_000, 2_000, 5_000, 10_000]),
        pendingText: text,
        bookedText: legal[merchant] ?? `${text} BERLIN DE`,
        lag: random.once(5) ? 0 : 1 + random.below(3),
        dropped: random.once(20)
      })
    }
  }
  return worldOf(
    days,
    Array.from({ length: many }, (_, n) => merchantName(n)),
    purchases
  )
}

export const roundPrices: Scene = {
  name: "round-prices",
  title: "everything costs 5, 10, 20, 50 or 100, so that an amount says little about which purchase is meant",
  play: (effort) =>
    Effect.sync(() => {
      const histories = { small: 3, quick: 6, full: 60 }
      const quality = playWorlds(effort, histories, ["reidentified", "idless"], roundWorld, { plain: true })
      return [
        {
          name: "records that became another merchant's, per 1,000",
          value: perThousand(quality.merchantChanges, quality),
          goal: { max: 5 }
        },
        { name: "errors per 1,000", value: errorsPerThousand(quality), goal: { max: 0 } }
      ]
    })
}
