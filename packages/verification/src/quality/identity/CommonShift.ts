/** Reads whose days are all one off, as a bank in another time zone tells them on some days. */
import { CalendarDate } from "@millrace/core"
import * as Effect from "effect/Effect"
import type { BankRead } from "../../model/BankView.ts"
import { errorsPerThousand, perThousand } from "../../model/IdentityQuality.ts"
import type { Seeded } from "@millrace/testing/model"
import type { Scene } from "./Scene.ts"
import { anAccount, playWorlds } from "./World.ts"

const shifted = (read: BankRead, days: number): BankRead => ({
  ...read,
  observations: read.observations.map((row) => {
    const date = CalendarDate.addDays(row.date!, days)
    const fields = { ...row.fields, date }
    return { ...row, date, fields, hash: JSON.stringify(fields) }
  })
})

/** Three reads of ten, always in the same direction, until the history is quiet. */
const zone = (random: Seeded) => {
  const days = random.once(2) ? 1 : -1
  return (read: BankRead, day: number) => shifted(read, day < 140 && random.below(10) < 3 ? days : 0)
}

export const commonShift: Scene = {
  name: "shifted-days",
  title: "three reads of ten date every row one day off, and no row has an id",
  play: (effort) =>
    Effect.sync(() => {
      const quality = playWorlds(effort, { small: 1, quick: 4, full: 20 }, ["idless", "renumbered"], anAccount(120), {
        anyDay: true,
        through: zone
      })
      return [
        {
          name: "booked records that became another row, per 1,000",
          value: perThousand(quality.bookedChanges, quality),
          goal: { max: 5 }
        },
        { name: "errors per 1,000", value: errorsPerThousand(quality), goal: { max: 5 } }
      ]
    })
}
