import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { limits } from "../../shared/Limits.ts"
import { FindingStatus } from "../Finding.ts"
import { Findings } from "../Findings.ts"
import { findingExample } from "./Examples.ts"
import { FindingRecord, findingToWire } from "./FindingRecord.ts"

const UpdateFinding = Schema.Struct({
  status: FindingStatus,
  note: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(limits.findingNote)))
}).annotate({ identifier: "UpdateFinding" })

export const updateFinding = operation({
  noun: "findings",
  id: "updateFinding",
  put: "/v1/enrichments/:enrichment_id/findings/:finding_id",
  summary: "Decide about a finding",
  description:
    "Keeps what a person decided about a finding. One that was dismissed stays so, also when it is found again. The " +
    "enrichment learns of it where its type does.",
  access: { anyOf: ["enrichments:write"], role: "editor", app: "own" },
  repeats: "inherent",
  command: "enrichments findings update",
  tool: "update_finding",
  body: UpdateFinding,
  success: record(FindingRecord),
  errors: ["Conflict", "Unprocessable"],
  example: {
    body: { status: "dismissed", note: "Two coffees that morning" },
    data: { ...findingExample, status: "dismissed", note: "Two coffees that morning", version: 2 }
  },
  audits: audits(Findings, "update"),
  run: ({ caller, ids, body }) =>
    Findings.use((findings) =>
      Effect.map(findings.update(caller, ids.enrichment, ids.finding, body), (finding) => findingToWire(finding))
    )
})
