/** Events of findings (decisions 5.10). */
import * as Schema from "effect/Schema"
import type { ActorRef } from "../access/ActorRef.ts"
import { eventType } from "../event/EventType.ts"
import type { NewEvent } from "../event/Event.ts"
import { Id } from "../shared/Ids.ts"
import { Finding, FindingStatus } from "./Finding.ts"

const findingData = Schema.Struct({
  finding: Schema.Struct({
    id: Id("finding"),
    enrichmentId: Id("enrichment"),
    kind: Schema.String,
    status: FindingStatus,
    title: Schema.String,
    subject: Finding.fields.subject,
    data: Finding.fields.data
  })
})

const findingCreated = eventType({
  type: "finding.created",
  subject: "finding",
  summary: "An enrichment found something that a person should look at.",
  outbound: true,
  data: findingData
})

const findingUpdated = eventType({
  type: "finding.updated",
  subject: "finding",
  summary: "A finding says something else, or somebody decided about it.",
  outbound: true,
  data: findingData
})

export const findingEventTypes = [findingCreated, findingUpdated]

/** The event that tells of a finding as it is now. */
export const findingEvent = (finding: Finding, cause: ActorRef): NewEvent => {
  const { data, enrichmentId, id, kind, status, subject, title, version, workspaceId } = finding
  const type = version === 1 ? findingCreated : findingUpdated
  return type.of({
    workspaceId,
    subjectId: id,
    cause,
    data: { finding: { id, enrichmentId, kind, status, title, subject, data } }
  })
}
