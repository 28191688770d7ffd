/** Events of feeds themselves; what their runs do are events of jobs. They name a feed, and hold nothing of its configuration. */
import * as Schema from "effect/Schema"
import type { ActorRef } from "../access/ActorRef.ts"
import type { NewEvent } from "../event/Event.ts"
import { eventType } from "../event/EventType.ts"
import { Id } from "../shared/Ids.ts"
import type { Feed } from "./Feed.ts"

const named = { feedId: Id("feed"), name: Schema.String, version: Schema.Int }

const feedCreated = eventType({
  type: "feed.created",
  subject: "feed",
  summary: "A feed was made.",
  data: Schema.Struct(named)
})

const feedUpdated = eventType({
  type: "feed.updated",
  subject: "feed",
  summary: "A feed was changed; `changed` names the fields that are others now.",
  data: Schema.Struct({ ...named, changed: Schema.Array(Schema.String) })
})

const feedDeleted = eventType({
  type: "feed.deleted",
  subject: "feed",
  summary: "A feed was deleted.",
  data: Schema.Struct(named)
})

export const feedEventTypes = [feedCreated, feedUpdated, feedDeleted] as const

/** Fields that every change moves, or that follow from others. */
const following: ReadonlySet<string> = new Set(["nextRunAt", "updatedAt", "version"])

const changedOf = (before: Feed, after: Feed): ReadonlyArray<string> =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => !following.has(key))
    .filter((key) => JSON.stringify(before[key as keyof Feed]) !== JSON.stringify(after[key as keyof Feed]))
    .toSorted()

/** The event of a feed that was made, changed or deleted: what it was, and what it is now. */
export const feedEvent = (
  change: { readonly before?: Feed; readonly after: Feed } | { readonly before: Feed },
  cause: ActorRef
): NewEvent => {
  const { after, before } = { after: undefined, before: undefined, ...change }
  const { id, name, version, workspaceId } = (after ?? before)!
  const of = { workspaceId, subjectId: id, cause }
  const data = { feedId: id, name, version }
  if (after === undefined) return feedDeleted.of({ ...of, data })
  if (before === undefined) return feedCreated.of({ ...of, data })
  return feedUpdated.of({ ...of, data: { ...data, changed: changedOf(before, after) } })
}
