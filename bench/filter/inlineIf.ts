/** The limit: the filter written out by hand, in each of the orders in which the trees have it. */
import type { Transaction } from "../transactions.ts"
import type { Select } from "./Selected.ts"
import { purchase, since } from "./tree.ts"

const pattern = new RegExp(purchase)

const isListed = (category: string): boolean => category === "groceries" || category === "restaurants"

const isBetween = (value: number, low: number, high: number): boolean => value >= low && value <= high

const fromFirst: Select<Transaction> = (rows) => {
  const selected: Array<number> = []
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!
    if (
      row.type.toLowerCase() === "debit" &&
      ((row.category !== null && isListed(row.category.toLowerCase())) ||
        row.description.toLowerCase().includes("coffee")) &&
      isBetween(Number(row.amount), -110, -5) &&
      row.date >= since &&
      (row.merchantName === null || pattern.test(row.description)) &&
      row.currency.toLowerCase() !== "usd"
    )
      selected.push(at)
  }
  return selected
}

const fromThird: Select<Transaction> = (rows) => {
  const selected: Array<number> = []
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!
    if (
      isBetween(Number(row.amount), -110, -5) &&
      row.date >= since &&
      (row.merchantName === null || pattern.test(row.description)) &&
      row.currency.toLowerCase() !== "usd" &&
      row.type.toLowerCase() === "debit" &&
      ((row.category !== null && isListed(row.category.toLowerCase())) ||
        row.description.toLowerCase().includes("coffee"))
    )
      selected.push(at)
  }
  return selected
}

const fromFifth: Select<Transaction> = (rows) => {
  const selected: Array<number> = []
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!
    if (
      (row.merchantName === null || pattern.test(row.description)) &&
      row.currency.toLowerCase() !== "usd" &&
      row.type.toLowerCase() === "debit" &&
      ((row.category !== null && isListed(row.category.toLowerCase())) ||
        row.description.toLowerCase().includes("coffee")) &&
      isBetween(Number(row.amount), -110, -5) &&
      row.date >= since
    )
      selected.push(at)
  }
  return selected
}

export const inlineIf: Select<Transaction> = (rows) => [...fromFirst(rows), ...fromThird(rows), ...fromFifth(rows)]
