/** Events of findings (decisions 5.10). */
import * as Schema from "effect/Schema"
import type { ActorRef } from "../access/ActorRef.ts"
import { eventTypes } from "../event/EventType.ts"
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

export const findingEvents = eventTypes(
  { subject: "finding", outbound: true, data: findingData },
  {
    "finding.created": "An enrichment found something that a person should look at.",
    "finding.updated": "A finding says something else, or somebody decided about it."
  }
)

/** The event that tells of a finding as it is now. */
export const findingEvent = (finding: Finding, cause: ActorRef): NewEvent => {
  const { data, enrichmentId, id, kind, status, subject, title, version, workspaceId } = finding
  return findingEvents[version === 1 ? "finding.created" : "finding.updated"].of({
    workspaceId,
    subjectId: id,
    cause,
    data: { finding: { id, enrichmentId, kind, status, title, subject, data } }
  })
}
