/**
 * A collection of your own: notes of a workspace, each with a title that no other one has. The server that runs it serves
 * `/v1/notes` beside its own, and `millrace notes create --title Rent` works on it. The recipe is
 * docs/recipes/plain-store.md.
 */
import { collection } from "@millrace/core/collection"
import { extension } from "@millrace/core/extension"
import * as Schema from "effect/Schema"

export const notes = collection({
  one: "Note",
  many: "Notes",
  about: "Notes of a workspace.",
  prefix: "note",
  scopes: { read: "tables:read", write: "tables:write" },
  fields: {
    title: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
    text: Schema.String,
    color: Schema.optionalKey(Schema.Literals(["red", "green", "blue"]))
  },
  defaults: { text: "" },
  unique: [{ fields: ["title"], within: "workspace" }],
  filters: ["color"],
  trash: true,
  events: true,
  example: { title: "Rent", text: "Due on the first.", color: "red" }
})

export default extension({ collections: [notes] })
