import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { enrichmentContract } from "../../enrichment/EnrichmentContract.ts"
import { operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import { Day } from "../../operation/Parameters.ts"
import { Accepted, orAccepted, record } from "../../operation/Success.ts"
import { Id } from "../../shared/Ids.ts"
import { limits } from "../../shared/Limits.ts"
import { Simulations } from "../Simulations.ts"
import { simulationExample, simulationStateExample } from "./Examples.ts"
import { SimulationRecord, SimulationAnswer, simulationToWire } from "./PreviewRecord.ts"

const FieldName = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.mappingKeyLength))

const RecordRef = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))

const ofEnrichment = { enrichmentId: Id("enrichment") }

const Change = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("create"), enrichment: enrichmentContract.create }),
  Schema.Struct({ kind: Schema.Literal("update"), ...ofEnrichment, change: enrichmentContract.update }),
  Schema.Struct({ kind: Schema.Literal("delete"), ...ofEnrichment }),
  Schema.Struct({ kind: Schema.Literal("reorder"), ...ofEnrichment, order: Schema.Int }),
  Schema.Struct({ kind: Schema.Literal("enable"), ...ofEnrichment, enabled: Schema.Boolean }),
  Schema.Struct({
    kind: Schema.Literal("silence"),
    ...ofEnrichment,
    recordId: RecordRef,
    field: Schema.optionalKey(FieldName).annotateKey({ description: "About all of the record unless given." })
  }).annotate({ description: "A person has the enrichment be silent, as undoChange does." }),
  Schema.Struct({
    kind: Schema.Literal("link"),
    ...ofEnrichment,
    recordId: RecordRef,
    otherId: RecordRef,
    linked: Schema.Boolean
  }).annotate({ description: "A person says that two records belong together, or do not." }),
  Schema.Struct({ kind: Schema.Literal("lift"), decisionId: Id("fact") }).annotate({
    description: "A decision is taken back."
  })
]).annotate({
  expected: "an object whose kind is create, update, delete, reorder, enable, silence, link or lift"
})

const SimulateBody = Schema.Struct({
  changes: Schema.Array(Change).check(Schema.isMinLength(1), Schema.isMaxLength(limits.simulatedChanges)),
  from: Schema.optionalKey(Day.annotate({ description: "Only records of this day or a later one are reported." })),
  to: Schema.optionalKey(Day.annotate({ description: "Only records of this day or an earlier one are reported." })),
  feedIds: Schema.optionalKey(
    Schema.Array(Schema.String).check(Schema.isMaxLength(limits.feedAccounts)).annotate({
      description: "Only rows of these feeds are reported."
    })
  ),
  asOf: Schema.optionalKey(Day.annotate({ description: "The day that it is taken to be." }))
}).annotate({ identifier: "SimulateBody" })

export const simulateEnrichments = operation({
  noun: "previews",
  id: "simulateEnrichments",
  post: "/v1/enrichments/simulate",
  summary: "Show what changes of enrichments would do to the records that are there; nothing is stored or sent",
  description:
    "Returns what up to 20 changes of enrichments would do to the records that are there: the difference between all of them " +
    "run through the enrichments as they would be, and as they are. Values that would come, change and go, with samples; " +
    "lines, links, series, budgets, findings and messages; what each feed would deliver, and what models would be asked. Decisions " +
    "of people can be supposed as well: silence, link and lift. Nothing is stored, sent or asked outside. More " +
    "than 20,000 records, and whatever takes longer than 10 seconds, are looked at in the background: then the answer is 202 with an `id`, by which `getSimulation` tells " +
    "how far it came and what it found. Who asks the same again while that is open gets the same `id`. At most 5 are open " +
    "(422).",
  access: { anyOf: ["enrichments:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "enrichments simulate",
  tool: "simulate_enrichments",
  body: SimulateBody,
  success: orAccepted(record(SimulationAnswer), SimulationRecord),
  errors: ["Unprocessable"],
  example: {
    body: { changes: [{ kind: "enable", enrichmentId: exampleIds.enrichment, enabled: false }], from: "2026-01-01" },
    data: simulationExample,
    accepted: { ...simulationStateExample, status: "queued" }
  },
  run: ({ caller, body }) =>
    Simulations.use((simulations) =>
      Effect.map(simulations.simulate(caller, body), (simulated) =>
        "report" in simulated ? simulated.report : new Accepted(simulationToWire(simulated.simulation))
      )
    )
})
