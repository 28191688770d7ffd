/** Real rows with the categories that a person gave them, from a labelled set that is not part of the repository. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import type { Scene } from "../identity/Scene.ts"
import { kindRun, type Taught, valueOf } from "./KindRun.ts"

const file = join(
  import.meta.dirname,
  "../../../../../../shared/data/labelled/personal-finance-kaggle/data__personal_transactions.csv"
)

const readRows = (): ReadonlyArray<Taught> => {
  const lines = readFileSync(file, "utf8").split(/\r?\n/).slice(1)
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [, description = "", amount = "", direction, value = ""] = line.split(",")
      const fields = {
        description,
        originalDescription: description,
        amount: direction === "debit" ? `-${amount}` : amount,
        category: "UNCATEGORIZED"
      }
      return { fields, value }
    })
}

export const labelledCategories: Scene = {
  name: "labelled-categories",
  title: "806 rows of one person, half of them labelled: the other half by the local classifier",
  missing: () => (existsSync(file) ? undefined : "the labelled set is not there: ../shared/data/labelled"),
  play: Effect.fnUntraced(function* ({ seed }) {
    const random = new Seeded(seed)
    const rows = readRows()
      .map((row) => ({ row, turn: random.below(1_000_000) }))
      .toSorted((a, b) => a.turn - b.turn)
      .map(({ row }) => row)
    const [taught, judged] = [rows.slice(0, rows.length / 2), rows.slice(rows.length / 2)]
    const categories = [...new Set(rows.map(({ value }) => value))].toSorted().map((id) => ({ id, label: id }))
    const run = yield* kindRun("ai_categorize", { categories }, taught)
    let [answered, right] = [0, 0]
    for (const { fields, value } of judged) {
      const said = valueOf(run(fields), "category")
      if (said === undefined) continue
      answered++
      if (said === value) right++
    }
    return [
      { name: "right where it answers", value: right / answered, goal: { min: 0.85 } },
      { name: "rows that it answers", value: answered / judged.length }
    ]
  })
}
