import * as Effect from "effect/Effect"
import { InvalidInput } from "@millrace/core"
import type { EnrichmentFact, RecordChange } from "@millrace/core/enrichment"
import {
  type Explanation,
  Explanations,
  RecordWords,
  type SplitRequest,
  Undoing,
  type Words
} from "@millrace/core/kernel"
import { one } from "../api/Envelope.ts"
import { serve } from "./Serve.ts"

const factToWire = ({ dataType: _d, workspaceId: _w, ...fact }: EnrichmentFact) => fact
const changeToWire = ({ workspaceId: _w, ...change }: RecordChange) => change

type Sent = Readonly<Record<string, string | number | boolean | null>>

/** Numbers come as text to the kernel, with all their digits. */
const asText = (fields: Sent) =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field, typeof value === "number" ? String(value) : value])
  )

interface SentSplit extends Omit<SplitRequest, "lines"> {
  readonly lines: ReadonlyArray<{ readonly key?: string; readonly amount?: string | number; readonly set?: Sent }>
}

const splitFromWire = ({ lines, ...rest }: SentSplit): SplitRequest => ({
  ...rest,
  lines: lines.map(({ amount, set, ...line }) => ({
    ...line,
    ...(amount === undefined ? {} : { amount: String(amount) }),
    ...(set === undefined ? {} : { set: asText(set) })
  }))
})

const wordsToWire = ({ words, ...rest }: Words) => one({ ...rest, words: words.map(factToWire) })

/** Name every part, so that nothing internal can slip through. */
const explanationToWire = ({ history, links, record, rows }: Explanation) => ({
  recordId: record.id,
  accountId: record.accountId,
  dataType: record.dataType,
  state: record.state,
  version: record.version,
  rows: rows.map(({ deliveries, ...row }) => ({
    ...row,
    deliveries: deliveries.map(({ jobId, op, recordId, state, updatedAt, version }) => ({
      recordId,
      op,
      state,
      version,
      jobId,
      updatedAt
    }))
  })),
  links,
  history: history.map(changeToWire)
})

const likeNames: ReadonlySet<string> = new Set(["field", "fields", "name"])

/** Whoever misspells the one parameter must not lose everything that was said: without it all is cleared. */
const notMisspelt = (self: string) => {
  const other = [...new URL(self, "http://localhost").searchParams.keys()].find((name) => likeNames.has(name))
  if (other === undefined) return Effect.void
  const message = "is not a known parameter; fields are named by names"
  return Effect.fail(
    new InvalidInput({
      code: "INVALID_REQUEST",
      message: `Request is invalid: ${other} ${message}`,
      details: [{ field: other, message }]
    })
  )
}

export const layer = serve(
  "values",
  Effect.gen(function* () {
    const explanations = yield* Explanations
    const words = yield* RecordWords
    const undoing = yield* Undoing
    return {
      explainRecord: ({ caller, ids }) =>
        Effect.map(explanations.explain(caller, ids.record), (found) => one(explanationToWire(found))),
      setRecordFields: ({ caller, ids, payload: { fields = {}, lock, split } }) =>
        Effect.map(
          words.set(caller, ids.record, {
            fields: asText(fields),
            ...(lock === undefined ? {} : { lock }),
            ...(split === undefined ? {} : { split: split === null ? null : splitFromWire(split) })
          }),
          wordsToWire
        ),
      clearRecordFields: Effect.fnUntraced(function* ({ caller, ids, query: { names }, self }) {
        yield* notMisspelt(self)
        const cleared = names === undefined ? undefined : names.split(",").map((name) => name.trim())
        return wordsToWire(yield* words.clear(caller, ids.record, cleared))
      }),
      undoChange: ({ caller, ids, payload }) =>
        Effect.map(undoing.undo(caller, ids.record, payload), ({ facts, recordId }) =>
          one({ recordId, facts: facts.map(factToWire) })
        ),
      undoRun: ({ caller, ids, payload }) =>
        Effect.map(undoing.undoRun(caller, ids.job, payload.redo), (run) => one(run))
    }
  })
)
