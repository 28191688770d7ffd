/** What happens at a bank: rows are posted, settle under another id, change, and go. */
import { CalendarDate } from "@millrace/core"
import type { Seeded } from "@millrace/testing/model"
import type { ScriptedBank, TrueRow } from "@millrace/testing/fake"

export const accountIds = ["a", "b"] as const

/** Days back that rows are dated. */
const reachDays = 200

const things = ["Desk", "Lamp", "Chair", "Shelf", "Kettle", "Ladder"] as const

/** As canonical text: no zero at the end. */
const sizeOf = (random: Seeded): string => `${1 + random.below(9_000)}.${1 + random.below(9)}`

const amountOf = (random: Seeded): string => `${random.once(2) ? "-" : ""}${sizeOf(random)}`

/** Money that came does not become money that went: under the id of the one, the other would be another event. */
const correctionOf = ({ amount }: TrueRow, random: Seeded): string =>
  `${amount.startsWith("-") ? "-" : ""}${sizeOf(random)}`

const descriptionOf = (random: Seeded): string => `${random.pick(things)} ${random.below(1_000_000)}`

const post = (bank: ScriptedBank, random: Seeded): void => {
  const today = CalendarDate.inZone(Date.now(), "UTC")
  bank.post({
    account: random.pick(accountIds),
    date: CalendarDate.addDays(today, -random.below(reachDays)),
    amount: amountOf(random),
    description: descriptionOf(random),
    pending: random.once(4)
  })
}

export const fill = (bank: ScriptedBank, rows: number, random: Seeded): void => {
  for (let n = 0; n < rows; n++) post(bank, random)
}

const change = (bank: ScriptedBank, row: TrueRow, random: Seeded): void => {
  if (row.pending) bank.settle(row, { newId: true, link: true })
  else if (random.once(4)) bank.remove(row)
  else if (random.once(2)) bank.change(row, { amount: correctionOf(row, random) })
  else bank.change(row, { description: descriptionOf(random) })
}

/** A few changes at once. */
export const mutate = (bank: ScriptedBank, random: Seeded): void => {
  const rows = [...bank.rows.values()]
  for (let n = 1 + random.below(4); n > 0; n--) {
    if (rows.length === 0 || random.once(2)) post(bank, random)
    else {
      const row = random.pick(rows)
      if (bank.rows.get(row.line) === row) change(bank, row, random)
    }
  }
}
