/** What is reported about splits (enrichments B3, C7). */
import * as Schema from "effect/Schema"
import type { NewEvent } from "../../../event/Event.ts"
import { eventType } from "../../../event/EventType.ts"
import type { FieldValue } from "../../../record/FieldValue.ts"
import { Id } from "../../../shared/Ids.ts"

const splitMismatch = eventType({
  type: "split.mismatch",
  subject: "record",
  summary:
    "A record does not fall into its lines as it should: no line takes the rest of it, or its amount is less than the lines of a person.",
  outbound: true,
  data: Schema.Struct({ recordId: Schema.String, feedId: Id("feed"), accountId: Id("account") })
})

/** A change of a field that a feed delivers, as its history tells it. */
interface Change extends Pick<NewEvent, "workspaceId"> {
  readonly feedId: Id<"feed">
  readonly accountId: Id<"account">
  /** The row: a record, or one of its lines. */
  readonly recordId: string
  readonly field: string
  readonly after: FieldValue
  readonly actor: NewEvent["cause"]
}

/** Of what is new in the history of a feed: each record once, when it begins. */
export const splitMismatches = (changes: ReadonlyArray<Change>): ReadonlyArray<NewEvent> => {
  const found = new Map<string, NewEvent>()
  for (const { accountId, actor, after, feedId, field, recordId: rowId, workspaceId } of changes) {
    if (field !== "split.mismatch" || after !== true) continue
    const recordId = rowId.split(":", 1)[0]!
    const data = { recordId, feedId, accountId }
    found.set(recordId, splitMismatch.of({ workspaceId, subjectId: recordId, cause: actor, data }))
  }
  return [...found.values()]
}

export const splitEventTypes = [splitMismatch] as const
