import { expect, it } from "@effect/vitest"
import { listedBy } from "../src/commands/Derived.ts"
import { decisions } from "../src/commands/Decisions.ts"

it("names what a list of enrichments is of, and not the enrichments", () => {
  const named = decisions.flatMap(({ answers, command }) => (answers === "list" ? [listedBy(command.split(" "))] : []))
  expect(named).toEqual(["periods", "series", "links", "decisions"])
  expect(listedBy(["notes", "list"])).toBe("notes")
})
