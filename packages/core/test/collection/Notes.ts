/** A collection for tests: everything that a definition can say. */
import { collection } from "../../src/collection/Collection.ts"
import * as Schema from "effect/Schema"

export const notes = collection({
  one: "Note",
  many: "Notes",
  about: "Notes of a workspace.",
  prefix: "note",
  scopes: { read: "tables:read", write: "tables:write" },
  trash: true,
  fields: {
    title: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
    text: Schema.String,
    color: Schema.optionalKey(Schema.Literals(["red", "green"])),
    rank: Schema.Int
  },
  defaults: { text: "", rank: 0 },
  unique: [{ fields: ["title"], within: "workspace" }],
  order: [
    { field: "rank", direction: "descending" },
    { field: "color", direction: "ascending" },
    { field: "createdAt", direction: "ascending" }
  ],
  filters: ["color", "rank"],
  events: true,
  check: ({ text, title }) => (text === title ? [{ field: "text", message: "must not repeat the title" }] : []),
  example: { title: "Rent", text: "Is due on the first", color: "red" }
})
