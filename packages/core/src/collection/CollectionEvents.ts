/** What happened to the things of a collection. Events name the thing, and hold nothing of what is in it. */
import type { ActorRef } from "../access/ActorRef.ts"
import type { NewEvent } from "../event/Event.ts"
import { type EventType, eventType } from "../event/EventType.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import * as Schema from "effect/Schema"

export const happenings = ["created", "updated", "deleted", "restored"] as const
export type Happening = (typeof happenings)[number]

const Data = Schema.Struct({
  id: Schema.String,
  version: Schema.Int,
  /** The fields that are others now. */
  changed: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Whether it is gone permanently. */
  permanent: Schema.optionalKey(Schema.Boolean)
})
type Data = typeof Data.Type

export interface CollectionEvents {
  readonly types: ReadonlyArray<EventType<Data>>
  readonly of: (
    happening: Happening,
    thing: { readonly id: string; readonly workspaceId: WorkspaceId; readonly version: number },
    cause: ActorRef,
    more?: Pick<Data, "changed" | "permanent">
  ) => NewEvent
}

const summaries: Readonly<Record<Happening, string>> = {
  created: "was made.",
  updated: "was changed; `changed` names the fields that are others now.",
  deleted: "was deleted; `permanent` where it is not in the trash.",
  restored: "was taken out of the trash."
}

/** `subject` begins the names of the events: `note` for `note.created`. */
export const collectionEvents = (subject: string, title: string, trash: boolean): CollectionEvents => {
  const typeOf = (happening: Happening) =>
    eventType({ type: `${subject}.${happening}`, subject, summary: `${title} ${summaries[happening]}`, data: Data })
  const types = Object.fromEntries(happenings.map((happening) => [happening, typeOf(happening)])) as Record<
    Happening,
    EventType<Data>
  >
  return {
    types: Object.values(types).filter((type) => trash || type !== types.restored),
    of: (happening, { id, version, workspaceId }, cause, more = {}) =>
      types[happening].of({ workspaceId, subjectId: id, cause, data: { id, version, ...more } })
  }
}
