import { readFileSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { program } from "../run-a-provider.ts"

it("add a collection: takes no more lines than the recipe promises", () => {
  const recipe = readFileSync(new URL("../../docs/recipes/plain-store.md", import.meta.url), "utf8")
  const promised = Number(/at most (\d+) lines with its operations/.exec(recipe)?.[1])
  const lines = readFileSync(new URL("../add-a-collection.ts", import.meta.url), "utf8")
    .trimEnd()
    .split("\n").length
  expect(lines).toBeLessThanOrEqual(promised)
})

it.live("add a provider: its rows arrive exact and in order", () =>
  Effect.gen(function* () {
    const rows = yield* program
    expect(rows.map(({ values }) => [values["date"], values["amount"], values["description"]])).toEqual([
      ["2026-01-05", "2100", "Salary"],
      ["2026-01-06", "-4.8", "Bakery"],
      ["2026-01-09", "-950", "Rent"]
    ])
  })
)
