import { expect, it } from "@effect/vitest"
import { listedBy } from "../src/commands/DerivedCommand.ts"
import { groups } from "../src/commands/operations.generated.ts"

it("names what a list of enrichments is of, and not the enrichments", () => {
  const all = groups.find(({ name }) => name === "enrichments")?.operations ?? []
  const named = all.flatMap(({ answers, command }) => (answers === "list" ? [listedBy(command.split(" "))] : []))
  expect(named.toSorted()).toEqual(["decisions", "enrichments", "findings", "links", "periods", "series"])
  expect(listedBy(["notes", "list"])).toBe("notes")
})
