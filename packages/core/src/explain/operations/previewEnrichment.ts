import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { InvalidInput } from "../../failure/Failure.ts"
import { rawNumber } from "../../operation/Amount.ts"
import { operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import type { Json } from "../../operation/StrictJson.ts"
import { record } from "../../operation/Success.ts"
import { limits } from "../../shared/Limits.ts"
import { exactObjectAt } from "../../table/operations/Cells.ts"
import { Previews, type Preview, type PreviewedRecord } from "../Previews.ts"
import type { Sample } from "../Samples.ts"
import { AiPending, Fault } from "./PreviewRecord.ts"

const Anything = Schema.Record(Schema.String, Schema.Unknown)

const PreviewBody = Schema.Struct({
  records: Schema.Array(Anything)
    .check(Schema.isMinLength(1), Schema.isMaxLength(limits.previewRecords))
    .annotate({
      description:
        "Records by the keys of source fields. A record whose id is known is looked at as a new version of itself; keys of " +
        "no source field are kept."
    })
}).annotate({ identifier: "PreviewBody" })

const countFields = { enrichmentId: Schema.String, enrichmentName: Schema.String, matchCount: Schema.Int }

const PreviewRecord = Schema.Struct({
  original: Anything,
  enriched: Anything,
  changedFields: Schema.Array(Schema.String),
  dropped: Schema.optionalKey(Schema.Literal(true)).annotateKey({
    description: "A filter keeps it from the destination."
  }),
  verdict: Schema.Struct({
    value: Schema.Literals(["deliver", "hold", "drop"]),
    enrichmentId: Schema.NullOr(Schema.String),
    reason: Schema.String
  }),
  lines: Schema.Array(
    Schema.Struct({ id: Schema.String, enriched: Anything, changedFields: Schema.Array(Schema.String) })
  ),
  links: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      kind: Schema.String,
      state: Schema.String,
      enrichmentId: Schema.String,
      members: Schema.Array(Schema.Struct({ recordId: Schema.String, role: Schema.String }))
    })
  ),
  trace: Schema.Array(
    Schema.Struct({
      enrichmentId: Schema.String,
      stage: Schema.Finite,
      rulePath: Schema.optionalKey(Schema.String),
      fields: Schema.Array(Schema.String)
    })
  ).annotate({ description: "What each enrichment said, in the order in which they ran." }),
  faults: Schema.Array(Fault)
})

const PreviewAnswer = Schema.Struct({
  records: Schema.Array(PreviewRecord).annotate({ description: "In the order in which they were sent." }),
  summary: Schema.Struct({
    totalRecords: Schema.Int,
    enrichedCount: Schema.Int.annotate({ description: "Records of which a field changed." }),
    rules: Schema.Array(Schema.Struct(countFields)),
    alerts: Schema.Array(
      Schema.Struct({
        ...countFields,
        wouldFire: Schema.Int.annotate({ description: "Messages that people would get." })
      })
    ),
    memory: Schema.optionalKey(Schema.Struct({ patternsApplied: Schema.Int, fieldsAutoFilled: Schema.Int })),
    others: Schema.Array(Schema.Struct({ ...countFields, type: Schema.String }))
  }),
  aiPending: Schema.Array(AiPending).annotate({
    description: "What a run would ask models about these records; nobody was asked for this answer."
  }),
  faults: Schema.Array(Fault).annotate({ description: "What concerns no record by itself." })
}).annotate({ identifier: "EnrichmentPreview" })

type Raw = Readonly<Record<string, unknown>>

/** A value as records hold it: numbers by their text, what is nested as JSON. */
const valueOf = (sent: unknown): Sample[string] => {
  if (sent === null || typeof sent === "string" || typeof sent === "boolean") return sent
  if (typeof sent === "object" && "rawJSON" in sent) return String(sent.rawJSON)
  return JSON.stringify(sent) ?? null
}

const sampleOf = (sent: Raw): Sample =>
  Object.fromEntries(Object.entries(sent).map(([key, value]) => [key, valueOf(value)]))

const encoder = new TextEncoder()

const tooLarge = (at: number) =>
  new InvalidInput({
    code: "INVALID_REQUEST",
    message: `Request is invalid: records[${at}] is larger than ${limits.previewRecordBytes} bytes`,
    details: [{ field: `records[${at}]`, message: `must be at most ${limits.previewRecordBytes} bytes of JSON` }]
  })

/** Records with every digit of their numbers. Each is bounded, as the body is. */
const recordsOf = Effect.fnUntraced(function* (exact: Json, count: number) {
  const sent = Array.from({ length: count }, (_, at) => exactObjectAt(exact, ["records", at]))
  const large = sent.findIndex((one) => encoder.encode(JSON.stringify(one)).length > limits.previewRecordBytes)
  return large === -1 ? sent : yield* tooLarge(large)
})

const changed = (original: Raw, changes: PreviewedRecord["changes"], catalog: Preview["catalog"]) => ({
  enriched: {
    ...original,
    ...Object.fromEntries(
      changes.map(({ after, field }) => [
        field,
        typeof after === "string" && catalog.get(field) === "num" ? rawNumber(after) : after
      ])
    )
  },
  changedFields: changes.map(({ field }) => field).toSorted()
})

const recordToWire =
  (catalog: Preview["catalog"]) =>
  (original: Raw, { changes, faults, lines, links, trace, verdict }: PreviewedRecord) => ({
    original,
    ...changed(original, changes, catalog),
    ...(verdict.value === "deliver" ? {} : { dropped: true as const }),
    verdict: { value: verdict.value, enrichmentId: verdict.enrichmentId, reason: verdict.reason },
    lines: lines.map(({ changes: own, lineId }) => ({ id: lineId, ...changed(original, own, catalog) })),
    links,
    trace,
    faults
  })

const counted = ({ enrichmentId, enrichmentName, matchCount }: Preview["enrichments"][number]) => ({
  enrichmentId,
  enrichmentName,
  matchCount
})

const summaryOf = ({ enrichedCount, enrichments, memory, records }: Preview) => {
  return {
    totalRecords: records.length,
    enrichedCount,
    rules: enrichments.filter(({ type }) => type === "rule").map(counted),
    alerts: enrichments
      .filter(({ type }) => type === "alert")
      .map((alert) => ({ ...counted(alert), wouldFire: alert.wouldFire })),
    ...(memory === undefined ? {} : { memory }),
    others: enrichments
      .filter(({ type }) => type !== "rule" && type !== "alert" && type !== "memory")
      .map((other) => ({ ...counted(other), type: other.type }))
  }
}

const sampleExample = { date: "2026-03-04", description: "GREEN TEA HOUSE", amount: -4.8 }

const previewExample = {
  records: [
    {
      original: sampleExample,
      enriched: { ...sampleExample, category: "Drinks" },
      changedFields: ["category"],
      verdict: { value: "deliver", enrichmentId: null, reason: "" },
      lines: [],
      links: [],
      trace: [{ enrichmentId: exampleIds.enrichment, stage: 60, rulePath: "r1", fields: ["category"] }],
      faults: []
    }
  ],
  summary: {
    totalRecords: 1,
    enrichedCount: 1,
    rules: [{ enrichmentId: exampleIds.enrichment, enrichmentName: "Drinks", matchCount: 1 }],
    alerts: [],
    others: []
  },
  aiPending: [],
  faults: []
}

export const previewEnrichment = operation({
  noun: "previews",
  id: "previewEnrichment",
  post: "/v1/feeds/:feed_id/enrich/preview",
  summary: "Show what the enrichments of a feed would make of records; nothing is stored or sent",
  description:
    "Runs the enrichments that are switched on for the feed over records that you send, by the way of real runs: as new " +
    "versions of records whose ids are known, and as new records otherwise. Nothing is stored, sent or asked outside; models " +
    "answer from what was kept. A record that a filter keeps from the destination comes back with `dropped`.",
  access: { anyOf: ["enrichments:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "feeds preview",
  tool: "preview_enrichment",
  body: PreviewBody,
  success: record(PreviewAnswer),
  example: {
    body: { records: [{ date: "2026-03-04", description: "GREEN TEA HOUSE", amount: -4.8 }] },
    data: previewExample
  },
  run: ({ caller, ids, body, exact }) =>
    Effect.gen(function* () {
      const previews = yield* Previews
      const sent = yield* recordsOf(exact, body.records.length)
      const preview = yield* previews.preview(caller, ids.feed, sent.map(sampleOf))
      const toWire = recordToWire(preview.catalog)
      return {
        records: preview.records.map((one, at) => toWire(sent[at]!, one)),
        summary: summaryOf(preview),
        aiPending: preview.aiPending,
        faults: preview.faults
      }
    })
})
