import * as Effect from "effect/Effect"
import { InvalidInput, limits } from "@millrace/core"
import {
  type Preview,
  type PreviewedRecord,
  Previews,
  type Sample,
  type Simulation,
  Simulations
} from "@millrace/core/kernel"
import { one } from "../api/Envelope.ts"
import { exactBody } from "../request/CurrentRequest.ts"
import { rawNumber } from "../wire/Amount.ts"
import { exactObjectAt } from "./Cells.ts"
import { serve } from "./Serve.ts"

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
const recordsOf = Effect.fnUntraced(function* (count: number) {
  const exact = yield* exactBody
  const sent = Array.from({ length: count }, (_, at) => exactObjectAt(exact, ["records", at]))
  const large = sent.findIndex((record) => encoder.encode(JSON.stringify(record)).length > limits.previewRecordBytes)
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

/** What is to be played, and how it is told from others, is nobody's business. */
const simulationToWire = ({
  fingerprint: _fingerprint,
  input: _input,
  version: _version,
  workspaceId: _workspaceId,
  ...simulation
}: Simulation) => simulation

export const layer = serve(
  "previews",
  Effect.map(Effect.all([Previews, Simulations]), ([previews, simulations]) => ({
    simulateEnrichments: ({ caller, payload }) =>
      Effect.map(simulations.simulate(caller, payload), (simulated) =>
        "report" in simulated ? one(simulated.report) : one(simulationToWire(simulated.simulation))
      ),
    getSimulation: ({ caller, ids }) =>
      Effect.map(simulations.get(caller, ids.simulation), (found) => one(simulationToWire(found))),
    cancelSimulation: ({ caller, ids }) =>
      Effect.map(simulations.cancel(caller, ids.simulation), (found) => one(simulationToWire(found))),
    previewEnrichment: Effect.fnUntraced(function* ({ caller, ids, payload }) {
      const sent = yield* recordsOf(payload.records.length)
      const preview = yield* previews.preview(caller, ids.feed, sent.map(sampleOf))
      const toWire = recordToWire(preview.catalog)
      return one({
        records: preview.records.map((record, at) => toWire(sent[at]!, record)),
        summary: summaryOf(preview),
        aiPending: preview.aiPending,
        faults: preview.faults
      })
    })
  }))
)
