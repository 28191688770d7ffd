import { expect, it } from "@effect/vitest"
import { suite } from "@millrace/testing/suite/enrichment"
import * as Effect from "effect/Effect"
import * as Kind from "../add-an-enrichment-kind.ts"

suite("add an enrichment kind", {
  kind: Kind.firstWord,
  dataType: "transactions",
  good: [{ categories: { bakery: "Food" } }, { categories: { SALARY: "Income", rent: "Home" } }],
  refused: [
    [{}, "categories"],
    [{ categories: { bakery: 1 } }, "categories.bakery"],
    [{ categories: { "two words": "Food" } }, "categories.two words"],
    [{ categories: { "": "Food" } }, "categories."],
    [{ categories: { bakery: "Food", BAKERY: "Bread" } }, "categories.BAKERY"]
  ],
  records: [{ description: "BAKERY 12" }, { description: " Rent\tMay" }, { description: "toString" }]
})

it.effect("add an enrichment kind: the pipeline runs it and says why", () =>
  Effect.gen(function* () {
    const { changes } = yield* Kind.program
    expect(changes).toEqual([
      expect.objectContaining({ field: "category", before: "UNCATEGORIZED", after: "Food", path: "bakery" })
    ])
  })
)
