import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds, exampleTime } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { Id } from "../../shared/Ids.ts"
import { Undoing } from "../Undoing.ts"
import { personExample } from "./Examples.ts"
import { FactRecord, FieldName, factToWire } from "./ExplanationRecord.ts"

const UndoChange = Schema.Struct({
  field: Schema.optionalKey(FieldName),
  enrichmentId: Schema.optionalKey(Id("enrichment")).annotateKey({
    description: "Absent: the one whose word about the field holds."
  }),
  linkId: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))).annotateKey({
    description: "A link that ties the record to others, such as a transfer, in the place of a field and an enrichment."
  }),
  redo: Schema.optionalKey(Schema.Boolean).annotateKey({ description: "Takes an undo of the same back." })
}).annotate({ identifier: "UndoChange" })

const silenceExample = {
  id: exampleIds.fact,
  kind: "suppress",
  enrichmentId: exampleIds.enrichment,
  recordId: exampleIds.transaction,
  field: "category",
  by: personExample,
  at: exampleTime
}

export const undoChange = operation({
  noun: "values",
  id: "undoChange",
  post: "/v1/records/:record_id/undo",
  summary:
    "Silence an enrichment about a field of a record, or about all of it, or take a link apart; or let it speak again",
  description:
    "Silences an enrichment about a field of a record, or about the whole record, also in its later revisions, until `redo` " +
    "lets it speak again. The value is then what it would be without it. With `linkId`, a transfer or another link that " +
    "`explainRecord` tells is taken apart: its records are not tied together again, and may be tied to others.",
  access: { anyOf: ["enrichments:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "records undo",
  tool: "undo_change",
  body: UndoChange,
  success: record(Schema.Struct({ recordId: Schema.String, facts: Schema.Array(FactRecord) })),
  example: { body: { field: "category" }, data: { recordId: exampleIds.transaction, facts: [silenceExample] } },
  audits: audits(Undoing, "undo"),
  run: ({ caller, ids, body }) =>
    Undoing.use((undoing) =>
      Effect.map(undoing.undo(caller, ids.record, body), ({ facts, recordId }) => ({
        recordId,
        facts: facts.map(factToWire)
      }))
    )
})
