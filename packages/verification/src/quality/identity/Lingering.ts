/** A bank that shows a purchase twice for some days: pending, and booked already. */
import * as Effect from "effect/Effect"
import { isClear, type BankLife } from "../../model/BankLife.ts"
import { errorsPerThousand } from "../../model/IdentityQuality.ts"
import type { Seeded } from "@millrace/testing/model"
import type { Scene } from "./Scene.ts"
import { anAccount, percent, playWorlds } from "./World.ts"

const account = anAccount(120)

/** Every fourth purchase stays in the list of what is pending for a day or two after it was booked. */
const slowList = (random: Seeded): BankLife => {
  const life = account(random)
  const events = life.events.map((event) => ({ ...event, lingers: event.id % 4 === 0 ? 1 + random.below(2) : 0 }))
  return { ...life, events }
}

export const lingering: Scene = {
  name: "lingering",
  title: "a bank lists purchases as pending for a day or two after they were booked",
  play: (effort) =>
    Effect.sync(() => {
      const lives = { small: 1, quick: 4, full: 20 }
      let life: BankLife | undefined
      const quality = playWorlds(
        effort,
        lives,
        ["reidentified", "idless", "unlinked"],
        (random) => (life = slowList(random)),
        {
          plain: true,
          counts: (event) =>
            event.lingers > 0 &&
            event.forms[0]!.cents === event.forms.find(({ pending }) => !pending)?.cents &&
            isClear(life!, event)
        }
      )
      return [
        { name: "notes lost, %", value: 100 - percent(quality.kept, quality.edited), goal: { max: 1 } },
        // What was taken back on the oldest day that a read shows cannot be told from what the bank no longer shows.
        { name: "errors per 1,000", value: errorsPerThousand(quality), goal: { max: 0.5 } }
      ]
    })
}
