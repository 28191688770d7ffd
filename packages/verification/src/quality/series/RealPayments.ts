/** Real payments that are not part of the repository: the bills of one person, and accounts with their standing orders. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { CalendarDate } from "@millrace/core"
import type { SetRecord } from "@millrace/core/enrichment"
import * as Effect from "effect/Effect"
import type { Figure, Scene } from "../identity/Scene.ts"
import { recurringKind, seriesIn } from "./Recurring.ts"
import { bankRows, cellsOf, data, linesOf, researchFile, skipped } from "./RealData.ts"
import { accountOf, planWhole } from "./Whole.ts"

/** What the person paid each month under one name, as the categories of the set say: bills, and no shops. */
const bills: ReadonlySet<string> = new Set([
  "Mortgage & Rent",
  "Utilities",
  "Music",
  "Mobile Phone",
  "Internet",
  "Auto Insurance",
  "Television",
  "Movies & DVDs"
])

interface Payment {
  readonly record: SetRecord
  readonly month: string
  readonly name: string
  readonly category: string
}

const personalPayments = (file: string): ReadonlyArray<Payment> =>
  linesOf(file).map((line, n) => {
    const [date = "", name = "", amount = "", direction = "", category = "", account = ""] = line.split(",")
    const [month = "", day = "", year = ""] = date.split(/[-/]/)
    return {
      record: {
        recordId: `r${String(n).padStart(4, "0")}`,
        accountId: accountOf(account === "Checking" ? 1 : account === "Platinum Card" ? 2 : 3, "USD").accountId,
        fields: {
          date: `${year}-${month}-${day}`,
          amount: direction === "debit" ? `-${amount}` : amount,
          currency: "USD",
          description: name,
          pending: false
        }
      },
      month: `${year}-${month}`,
      name,
      category
    }
  })

const fewestMonths = 6

export const monthlyBills: Scene = {
  name: "monthly-bills",
  title: "the bills of one person over 21 months, from a labelled set that is not part of the repository",
  play: Effect.fnUntraced(function* () {
    const file = join(data, "labelled/personal-finance-kaggle/data__personal_transactions.csv")
    if (!existsSync(file)) return skipped("the labelled set")
    const payments = personalPayments(file)
    const plans = yield* planWhole({
      kind: recurringKind,
      config: { direction: "out" },
      records: payments.map(({ record }) => record),
      accounts: [1, 2, 3].map((n) => accountOf(n, "USD")),
      today: "2019-09-30"
    })
    const found = seriesIn(plans)
    const names = [...Map.groupBy(payments, ({ name }) => name)].flatMap(([name, all]) => {
      const months = new Set(all.map(({ month }) => month)).size
      const isBill = all.some(({ category }) => bills.has(category)) && all.length === months && months >= fewestMonths
      return isBill ? [{ name, ids: new Set(all.map(({ record }) => record.recordId)) }] : []
    })
    const right = names.filter(({ ids }) =>
      found.some(
        ({ cadence, recordIds }) =>
          cadence === "monthly" && recordIds.filter((id) => ids.has(id)).length >= 0.8 * ids.size
      )
    )
    const figures: ReadonlyArray<Figure> = [
      { name: "monthly bills found, %", value: (100 * right.length) / names.length, goal: { min: 95 } },
      { name: "monthly bills", value: names.length },
      { name: "series found", value: found.length }
    ]
    return figures
  })
}

const fewestPayments = 4

export const standingOrders: Scene = {
  name: "standing-orders",
  title: "the standing orders of a Czech bank of 1993, from public research data that is not part of the repository",
  play: Effect.fnUntraced(function* ({ size }) {
    const [trans, order] = [researchFile("trans"), researchFile("order")]
    if (!existsSync(trans) || !existsSync(order)) return skipped("the research data")
    const orders = Map.groupBy(linesOf(order).map(cellsOf), (cells) => cells[1]!)
    const byAccount = [...Map.groupBy(bankRows(trans), ({ account }) => account)]
    // Tests look at every tenth account.
    const accounts = size === "small" ? byAccount.filter((_, n) => n % 10 === 0) : byAccount
    let known = 0
    let right = 0
    for (const [account, rows] of accounts) {
      const last = rows.reduce(
        (day, { record }) => (String(record.fields["date"]) > day ? String(record.fields["date"]) : day),
        ""
      )
      const plans = yield* planWhole({
        kind: recurringKind,
        config: { direction: "out" },
        records: rows.map(({ record }) => record),
        accounts: [accountOf(1, "CZK")],
        today: CalendarDate.make(last)
      })
      const found = seriesIn(plans)
      for (const [, , bank = "", to = "", amount = ""] of orders.get(account) ?? []) {
        const paid = rows.filter((row) => row.order === `${bank} ${to} ${Number(amount)}`)
        // Two orders of one amount to one account cannot be distinguished, nor are few payments a series.
        const days = new Set(paid.map(({ record }) => record.fields["date"]))
        if (paid.length < fewestPayments || days.size < paid.length) continue
        const ids = new Set(paid.map(({ record }) => record.recordId))
        known++
        if (
          found.some(
            ({ cadence, recordIds }) =>
              cadence === "monthly" && recordIds.filter((id) => ids.has(id)).length >= 0.8 * ids.size
          )
        ) {
          right++
        }
      }
    }
    const figures: ReadonlyArray<Figure> = [
      {
        name: "standing orders found as monthly, %",
        value: known === 0 ? 100 : (100 * right) / known,
        goal: { min: 95 }
      },
      { name: "standing orders with four payments or more", value: known }
    ]
    return figures
  })
}
