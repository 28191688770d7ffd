/** Real rows: both legs of the card payments of one person, from a labelled set that is not part of the repository. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { SetAccount, SetRecord } from "@millrace/core/enrichment"
import { CalendarDate, Currency } from "@millrace/core"
import * as Effect from "effect/Effect"
import type { Scene } from "../identity/Scene.ts"
import { linksOf, pairName, PairTally } from "./Linked.ts"

const file = join(
  import.meta.dirname,
  "../../../../../../shared/data/labelled/personal-finance-kaggle/data__personal_transactions.csv"
)

const dollar = Currency.make("USD")

const accountOf = (name: string, n: number): SetAccount => ({
  accountId: `acct_0000000000000000000000000${n}` as SetAccount["accountId"],
  bankId: "bank_00000000000000000000000001" as SetAccount["bankId"],
  bankName: "Bank",
  accountName: name,
  accountNumber: "",
  accountType: name === "Checking" ? "checking" : "credit_card",
  currency: dollar
})

interface Row {
  readonly record: SetRecord
  readonly day: number
  readonly amount: string
  readonly isLeg: boolean
}

const readRows = () => {
  const lines = readFileSync(file, "utf8").split(/\r?\n/).slice(1)
  const cells = lines.filter((line) => line !== "").map((line) => line.split(","))
  const names = [...new Set(cells.map((row) => row[5]!))].toSorted()
  const accounts = new Map(names.map((name, n) => [name, accountOf(name, n + 1)]))
  const rows = cells.map((row, n): Row => {
    const [date, description, amount, direction, category, name] = row as [
      string,
      string,
      string,
      string,
      string,
      string
    ]
    const [month, day, year] = date.split(/[-/]/) as [string, string, string]
    const on = CalendarDate.make(`${year}-${month}-${day}`)
    const signed = direction === "debit" ? `-${amount}` : amount
    return {
      // The category is what is to be found: the kind is not shown it.
      record: {
        recordId: `r${String(n).padStart(4, "0")}`,
        accountId: accounts.get(name)!.accountId,
        fields: { date: on, description, amount: signed, currency: dollar }
      },
      day: CalendarDate.toEpochDay(on),
      amount,
      isLeg: category === "Credit Card Payment"
    }
  })
  return { rows, accounts: [...accounts.values()] }
}

/** Legs of equal amounts, each with the nearest of the other direction. */
const truthOf = (rows: ReadonlyArray<Row>): ReadonlySet<string> => {
  const isOut = ({ record }: Row) => String(record.fields["amount"]).startsWith("-")
  const legs = rows.filter(({ isLeg }) => isLeg)
  const pairs = legs
    .filter(isOut)
    .flatMap((out) =>
      legs
        .filter((into) => !isOut(into) && into.amount === out.amount)
        .map((into) => ({ out, into, gap: Math.abs(into.day - out.day) }))
    )
    .filter(({ gap }) => gap <= 10)
    .toSorted((a, b) => a.gap - b.gap)
  const used = new Set<Row>()
  const truth = new Set<string>()
  for (const { into, out } of pairs) {
    if (used.has(into) || used.has(out)) continue
    used.add(into).add(out)
    truth.add(pairName(out.record.recordId, into.record.recordId))
  }
  return truth
}

export const cardPayments: Scene = {
  name: "transfers-real",
  title: "transfer_match is shown the rows of a person with 143 legs of card payments, without their labels",
  missing: () =>
    existsSync(file) ? undefined : "the labelled set personal-finance-kaggle is not beside the repository",
  play: () =>
    Effect.gen(function* () {
      const { accounts, rows } = readRows()
      const truth = truthOf(rows)
      const links = yield* linksOf({
        accounts,
        records: rows.map(({ record }) => record),
        facts: [],
        today: CalendarDate.make("2019-12-31")
      })
      const tally = new PairTally(truth.size)
      for (const { members, state } of links) {
        if (state === "auto") tally.add(truth.has(pairName(members[0]!, members.at(-1)!)))
      }
      return [
        { name: "legs", value: rows.filter(({ isLeg }) => isLeg).length },
        { name: "pairs", value: truth.size },
        { name: "F1 of links made", value: tally.f1, goal: { min: 0.95 } },
        { name: "links made that are right, %", value: 100 * tally.precision, goal: { min: 98 } }
      ]
    }).pipe(Effect.orDie)
}
