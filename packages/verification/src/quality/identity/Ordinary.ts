/** What a ledger has to be, whatever the provider does with ids. */
import * as Effect from "effect/Effect"
import { behaviours } from "../../model/BankView.ts"
import { addQuality, errorsPerThousand, noQuality, playHistories } from "../../model/IdentityQuality.ts"
import { byIdentity } from "../../model/LedgerReplay.ts"
import { sizeOf, type Scene } from "./Scene.ts"
import { percent } from "./World.ts"

/** Providers that do what is usual. */
const usual = ["stable", "linked", "unlinked", "reidentified", "renumbered", "idless", "flickering"] as const

/**
 * One in ten thousand: what a bank takes back while nobody reads may have left the window before a second read can
 * confirm it, and is kept.
 */
const mostErrors = 0.1

export const ordinary: Scene = {
  name: "ordinary",
  title: "accounts are read day by day through seven usual kinds of providers and four worse ones",
  play: (effort) =>
    Effect.sync(() => {
      const options = { seed: effort.seed, histories: sizeOf(effort, { small: 1, quick: 4, full: 40 }), days: 120 }
      const played = new Map(behaviours.map((behaviour) => [behaviour, playHistories(behaviour, options, byIdentity)]))
      const all = [...played.values()].reduce(addQuality, noQuality())
      return [
        ...usual.map((behaviour) => ({
          name: `errors per 1,000: ${behaviour}`,
          value: errorsPerThousand(played.get(behaviour)!),
          goal: { max: mostErrors }
        })),
        { name: "errors per 1,000: all kinds", value: errorsPerThousand(all), goal: { max: 0.5 } },
        { name: "edits kept, %", value: percent(all.kept, all.edited), goal: { min: 90.3 } },
        {
          name: "edits kept where distinguished, %",
          value: percent(all.keptClear, all.editedClear),
          goal: { min: 97.2 }
        }
      ]
    })
}
