/** Providers that tell what changed and list what is gone. */
import * as Effect from "effect/Effect"
import { errorsPerThousand, playLives } from "../../model/IdentityQuality.ts"
import { byIdentity } from "../../model/LedgerReplay.ts"
import { sizeOf, type Scene } from "../Scene.ts"
import { percent } from "./World.ts"

const feeds = ["linked", "unlinked"] as const

export const changeFeeds: Scene = {
  name: "change-feeds",
  title: "providers tell changes and list what is gone: with and without links, late, again, and under lasting ids",
  play: (effort) =>
    Effect.sync(() => {
      const options = { seed: effort.seed, lives: sizeOf(effort, { small: 1, quick: 4, full: 40 }), days: 120 }
      return feeds.flatMap((behaviour) => {
        const quality = playLives(behaviour, options, byIdentity)
        return [
          { name: `errors per 1,000: ${behaviour}`, value: errorsPerThousand(quality), goal: { max: 0 } },
          {
            name: `edits kept where told apart, %: ${behaviour}`,
            value: percent(quality.keptClear, quality.editedClear),
            goal: { min: 97 }
          }
        ]
      })
    })
}
