/** Data that is not part of the repository, as scenes read it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Decimal } from "@millrace/core"
import type { SetRecord } from "@millrace/core/enrichment"
import type { Figure } from "../identity/Scene.ts"
import { accountOf } from "./Whole.ts"

export const data = join(import.meta.dirname, "../../../../../../shared/data")

/** Nothing is measured where the data is missing, and the table says so. */
export const skipped = (what: string): ReadonlyArray<Figure> => [{ name: `skipped: ${what} is not here`, value: 0 }]

export const linesOf = (file: string): ReadonlyArray<string> =>
  readFileSync(file, "utf8")
    .split(/\r?\n/)
    .slice(1)
    .filter((line) => line !== "")

/** A file of the Czech bank of 1993. */
export const researchFile = (name: "order" | "trans"): string => join(data, `berka/asc/${name}.asc`)

export interface BankRow {
  readonly record: SetRecord
  readonly account: string
  /** Who is paid, and how much: what names a standing order. */
  readonly order: string
  readonly amount: Decimal.Decimal
  /** Of the account, once the row was booked. */
  readonly balance: Decimal.Decimal
}

export const cellsOf = (line: string): ReadonlyArray<string> =>
  line.split(";").map((cell) => cell.replaceAll('"', "").trim())

const dayOf = (text: string): string => `19${text.slice(0, 2)}-${text.slice(2, 4)}-${text.slice(4, 6)}`

export const bankRows = (file: string): ReadonlyArray<BankRow> =>
  linesOf(file).map((line) => {
    const [
      id = "",
      account = "",
      date = "",
      type = "",
      operation = "",
      amount = "",
      balance = "",
      symbol = "",
      bank = "",
      to = ""
    ] = cellsOf(line)
    const signed = Decimal.make(`${type === "PRIJEM" ? "" : "-"}${Number(amount)}`)
    return {
      account,
      amount: signed,
      balance: Decimal.make(`${Number(balance)}`),
      order: `${bank} ${to} ${Number(amount)}`,
      record: {
        recordId: id,
        accountId: accountOf(1, "CZK").accountId,
        fields: {
          date: dayOf(date),
          amount: signed,
          currency: "CZK",
          description: [symbol, operation, bank].filter((word) => word !== "").join(" "),
          pending: false
        }
      }
    }
  })
