/** Balances of a real bank: do they follow from its rows on every account, and is a row that is gone or doubled named first? */
import { existsSync } from "node:fs"
import { CalendarDate, Decimal, StrictDecoding, Timestamp } from "@millrace/core"
import type { SetKind } from "@millrace/core/enrichment"
import { Seeded, SetWorld } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Figure, Scene } from "../identity/Scene.ts"
import { percent } from "../identity/World.ts"
import { type BankRow, bankRows, researchFile, skipped } from "../series/RealData.ts"
import { accountOf } from "../series/Whole.ts"
import { monitorKind } from "./TieOut.ts"

const account = accountOf(1, "CZK")

/** The file is cut within this day: of some accounts it has the balance of a row that it does not have. */
const cutDay = "1994-03-31"

/** The bank wrote balances in tenths of a crown, and rows in hundredths. */
const checks = [{ kind: "tieOut", key: "books", persistHours: 0, tolerance: "0.20" }]

interface BankDay {
  readonly date: CalendarDate.CalendarDate
  readonly rows: ReadonlyArray<BankRow>
  readonly balance: Decimal.Decimal
}

/** Rows of a day stand in no order: its last one is that whose balance is nearest to what all of them come to. */
const daysOf = (rows: ReadonlyArray<BankRow>): ReadonlyArray<BankDay> => {
  const days: Array<BankDay> = []
  let before = Decimal.zero
  const byDay = Map.groupBy(rows, ({ record }) => String(record.fields["date"]))
  for (const date of [...byDay.keys()].toSorted()) {
    if (date >= cutDay) break
    const all = byDay.get(date)!
    const sum = Decimal.add(before, Decimal.sum(all.map(({ amount }) => amount)))
    const off = ({ balance }: BankRow) => Decimal.abs(Decimal.subtract(balance, sum))
    const last = all.reduce((a, b) => (Decimal.compare(off(b), off(a)) < 0 ? b : a))
    days.push({ date: CalendarDate.make(date), rows: all, balance: last.balance })
    before = last.balance
  }
  return days
}

type Wrong = { readonly sort: "omitted" | "doubled"; readonly row: BankRow }

/** One account, read on each day on which something was booked. */
const play = Effect.fnUntraced(function* (kind: SetKind, days: ReadonlyArray<BankDay>, wrong?: Wrong) {
  const world = new SetWorld({
    kind,
    config: Result.getOrThrow(StrictDecoding.decode(kind.Config, { checks })),
    dataType: "transactions",
    accounts: [account],
    baseCurrency: account.currency,
    today: days[0]!.date
  })
  for (const { balance, date, rows } of days) {
    for (const row of rows) {
      const { fields, recordId } = row.record
      const isWrong = row === wrong?.row
      world.put(
        isWrong && wrong?.sort === "omitted" ? { ...row.record, fields: { ...fields, removed: true } } : row.record
      )
      if (isWrong && wrong?.sort === "doubled") world.put({ ...row.record, recordId: `${recordId}x` })
    }
    world.today = date
    world.at = Timestamp.make(`${date}T20:00:00.000Z`)
    world.accounts = [{ ...account, status: { balance, balanceAsOf: world.at } }]
    world.pulse()
    yield* world.plan()
    const found = world.said.flatMap(([, { findings = [] }]) => findings)[0]
    if (found === undefined) continue
    const [first] = found.data["explanations"] as ReadonlyArray<{ readonly recordIds: ReadonlyArray<string> }>
    const id = wrong?.row.record.recordId
    return { noticed: true, named: first!.recordIds.some((one) => one === id || one === `${id}x`) }
  }
  return { noticed: false, named: false }
})

/** Days before and behind the row that is made wrong, so that there is something to compare with. */
const [fewestBefore, fewestBehind] = [3, 4]

export const bankTieOut: Scene = {
  name: "bank-tie-out",
  title:
    "every account of a Czech bank of 1993, from public research data that is not part of the repository: as it is, " +
    "with a row gone, and with a row doubled",
  play: (effort) =>
    Effect.gen(function* () {
      const file = researchFile("trans")
      if (!existsSync(file)) return skipped("the research data")
      const byAccount = [...Map.groupBy(bankRows(file), (row) => row.account).values()]
      // Tests look at every twentieth account.
      const accounts = effort.size === "small" ? byAccount.filter((_, n) => n % 20 === 0) : byAccount
      const random = new Seeded(effort.seed)
      let [tied, tried, omitted, doubled] = [0, 0, 0, 0]
      const open: Array<string> = []
      for (const rows of accounts) {
        const days = daysOf(rows)
        if (days.length === 0) {
          tied++
          continue
        }
        if ((yield* play(monitorKind, days)).noticed) open.push(rows[0]!.account)
        else tied++
        const choices = days.slice(fewestBefore, -fewestBehind).flatMap((day) => day.rows)
        if (choices.length === 0) continue
        tried++
        const row = random.pick(choices)
        if ((yield* play(monitorKind, days, { sort: "omitted", row })).named) omitted++
        if ((yield* play(monitorKind, days, { sort: "doubled", row })).named) doubled++
      }
      const figures: ReadonlyArray<Figure> = [
        { name: "accounts", value: accounts.length },
        { name: "accounts that tie out on every day, %", value: percent(tied, accounts.length), goal: { min: 100 } },
        { name: "accounts in which a row was made wrong", value: tried },
        { name: "rows that are gone, named first, %", value: percent(omitted, tried), goal: { min: 90 } },
        { name: "rows that are there twice, named first, %", value: percent(doubled, tried), goal: { min: 90 } }
      ]
      if (open.length > 0) process.stderr.write(`do not tie out: ${open.slice(0, 20).join(", ")}\n`)
      return figures
    }).pipe(Effect.orDie)
}
