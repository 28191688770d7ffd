/** The rules as closures that are asked one after the other: what one writes by hand before there are many. */
import type { Transaction } from "../transactions.ts"
import { copyOf, type Edited } from "./Edited.ts"
import type { TextRule } from "./TextRule.ts"

interface Closures {
  /** `text` is the description in lower case. */
  readonly holds: (row: Transaction, text: string) => boolean
  readonly act: (record: ReturnType<typeof copyOf>, row: Transaction) => void
}

const holdsOf = (asked: TextRule["asked"]): Closures["holds"] => {
  switch (asked.how) {
    case "contains":
      return (_, text) => text.includes(asked.text)
    case "equals":
      return (_, text) => text === asked.text
    case "matches": {
      const pattern = new RegExp(asked.pattern)
      return (row) => pattern.test(row.description)
    }
    case "containsAndSpends":
      return (row, text) => Number(row.amount) < asked.below && text.includes(asked.text)
  }
}

/** What an action does; the peers that only find rules use it too. */
export const actOf = (done: TextRule["done"]): Closures["act"] =>
  done.how === "set"
    ? (record) => {
        record[done.field] = done.value
      }
    : (record, row) => {
        record[done.field] = done.before + row.description
      }

/** A function of rows to the changed ones. */
export const naive = (rules: ReadonlyArray<TextRule>) => {
  const closures = rules.map(({ asked, done }): Closures => ({ holds: holdsOf(asked), act: actOf(done) }))
  return (rows: ReadonlyArray<Transaction>): ReadonlyArray<Edited> => {
    const edited: Array<Edited> = []
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!
      const text = row.description.toLowerCase()
      let record: ReturnType<typeof copyOf> | undefined
      let hits = 0
      for (const { holds, act } of closures) {
        if (!holds(row, text)) continue
        record ??= copyOf(row)
        act(record, row)
        hits++
      }
      if (record !== undefined) edited.push({ at, hits, record })
    }
    return edited
  }
}
