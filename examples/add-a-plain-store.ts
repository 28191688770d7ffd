/**
 * A store of your own beside those of Millrace, in the same storage and the same transactions: notes of a workspace, each with
 * a title that no other one has. The recipe is docs/recipes/plain-store.md.
 */
import { Id, Timestamp } from "@millrace/core"
import { type KeyedStore, keyedResource, Resources } from "@millrace/core/resource"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

export const Note = Schema.Struct({
  id: Schema.String.check(Schema.isPattern(/^note_[a-z0-9]{26}$/)),
  workspaceId: Id("workspace"),
  title: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)),
  text: Schema.String,
  createdAt: Timestamp.Timestamp,
  version: Schema.Int
})
export type Note = typeof Note.Type

export const noteResource = keyedResource<Note>({
  name: "note",
  schema: Note,
  columns: { title: "text", createdAt: "text" },
  unique: [{ fields: ["title"], within: "workspace" }],
  order: [{ field: "createdAt", direction: "ascending" }],
  versioned: true
})

export class NoteStore extends Context.Service<NoteStore, KeyedStore<Note>>()("example/NoteStore") {
  static readonly layer = Layer.effect(
    NoteStore,
    Effect.map(Resources, ({ openKeyed }) => NoteStore.of(openKeyed(noteResource)))
  )
}
