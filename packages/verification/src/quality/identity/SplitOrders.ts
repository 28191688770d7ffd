/** Orders that are authorised as a whole and booked in parts. */
import * as Effect from "effect/Effect"
import type { AccountHistory } from "../../model/AccountHistory.ts"
import { errorsPerThousand } from "../../model/IdentityQuality.ts"
import type { Seeded } from "@millrace/testing/model"
import type { Scene } from "./Scene.ts"
import { merchantName, percent, playWorlds, worldOf, type Purchase } from "./World.ts"

const shop = 0

/** Two or three parts of which one is the largest; none is half of the whole in a third of the orders. */
const partsOf = (random: Seeded): ReadonlyArray<number> => {
  const part = () => 1_000 + random.below(3_000)
  const rest = random.list(1, 2, part)
  return [...rest, Math.max(...rest) + 100 + random.below(2_000)].map((cents) => -cents)
}

const orders = (random: Seeded): AccountHistory => {
  const days = 120
  const purchases: Array<Purchase> = []
  for (let day = 0; day < days; day++) {
    if (random.once(4)) {
      const parts = partsOf(random)
      const cents = parts.reduce((sum, part) => sum + part, 0)
      const texts = { pendingText: "ONLINE STORE", bookedText: "ONLINE STORE BERLIN DE" }
      const lag = 1 + random.below(3)
      purchases.push({
        merchant: shop,
        day,
        cents,
        lag,
        parts: parts.map((part) => ({ cents: part, later: 0 })),
        ...texts
      })
    }
    for (let n = random.below(3); n > 0; n--) {
      const merchant = 1 + random.below(15)
      const text = merchantName(merchant)
      const texts = { pendingText: text, bookedText: `${text} BERLIN DE` }
      purchases.push({ merchant, day, cents: -500 - random.below(9_000), lag: random.below(4), ...texts })
    }
  }
  return worldOf(days, ["ONLINE STORE", ...Array.from({ length: 15 }, (_, n) => merchantName(n + 1))], purchases)
}

export const splitOrders: Scene = {
  name: "split-orders",
  title: "an order of 90 is booked as 30 and 60",
  play: (effort) =>
    Effect.sync(() => {
      const histories = { small: 1, quick: 3, full: 20 }
      const quality = playWorlds(effort, histories, ["reidentified", "idless", "unlinked"], orders, {
        counts: ({ merchant }) => merchant === shop,
        plain: true
      })
      return [
        { name: "notes on the largest part, %", value: percent(quality.kept, quality.edited), goal: { min: 95 } },
        { name: "errors per 1,000", value: errorsPerThousand(quality), goal: { max: 0 } }
      ]
    })
}
