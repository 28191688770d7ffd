/** A bank that shows a purchase twice for some days: pending, and booked already. */
import * as Effect from "effect/Effect"
import { isClear, type AccountHistory } from "../../model/AccountHistory.ts"
import { errorsPerThousand } from "../../model/IdentityQuality.ts"
import type { Seeded } from "@millrace/testing/model"
import type { Scene } from "./Scene.ts"
import { anAccount, percent, playWorlds } from "./World.ts"

const account = anAccount(120)

/** Every fourth purchase stays in the list of what is pending for a day or two after it was booked. */
const slowList = (random: Seeded): AccountHistory => {
  const history = account(random)
  const events = history.events.map((event) => ({ ...event, lingers: event.id % 4 === 0 ? 1 + random.below(2) : 0 }))
  return { ...history, events }
}

export const lingering: Scene = {
  name: "lingering",
  title: "a bank lists purchases as pending for a day or two after they were booked",
  play: (effort) =>
    Effect.sync(() => {
      const histories = { small: 1, quick: 4, full: 20 }
      let history: AccountHistory | undefined
      const quality = playWorlds(
        effort,
        histories,
        ["reidentified", "idless", "unlinked"],
        (random) => (history = slowList(random)),
        {
          plain: true,
          counts: (event) =>
            event.lingers > 0 &&
            event.forms[0]!.cents === event.forms.find(({ pending }) => !pending)?.cents &&
            isClear(history!, event)
        }
      )
      return [
        { name: "notes lost, %", value: 100 - percent(quality.kept, quality.edited), goal: { max: 1 } },
        // What was taken back on the oldest day that a read shows cannot be told from what the bank no longer shows.
        { name: "errors per 1,000", value: errorsPerThousand(quality), goal: { max: 0.5 } }
      ]
    })
}
