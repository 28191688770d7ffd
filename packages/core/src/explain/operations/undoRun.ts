import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { Id } from "../../shared/Ids.ts"
import { Undoing } from "../Undoing.ts"

const UndoRun = Schema.Struct({ redo: Schema.optionalKey(Schema.Boolean) }).annotate({ identifier: "UndoRun" })

export const undoRun = operation({
  noun: "values",
  id: "undoRun",
  post: "/v1/jobs/:job_id/undo",
  summary: "Take back all that enrichments changed in a job; or let them speak again",
  description:
    "Silences each enrichment about each value that it changed in the job. Values that people have spoken about since stay " +
    "(`kept`), and so does what the provider said. Links of records that the job made, such as transfers, are taken apart. " +
    "`redo` lets them speak again. Feeds follow at once, without asking a provider.",
  access: { anyOf: ["enrichments:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "jobs undo",
  tool: "undo_run",
  body: UndoRun,
  bodyOptional: true,
  success: record(Schema.Struct({ jobId: Id("job"), fields: Schema.Int, links: Schema.Int, kept: Schema.Int }), {
    status: 202
  }),
  example: { body: {}, data: { jobId: exampleIds.job, fields: 12, links: 2, kept: 1 } },
  audits: audits(Undoing, "undoRun"),
  run: ({ caller, ids, body }) =>
    Undoing.use((undoing) => Effect.map(undoing.undoRun(caller, ids.job, body.redo), (run) => run))
})
