/** Kinds that may ask a model, run with nobody to ask: over records, taught by what people said. */
import { NodeDigest } from "@millrace/adapters"
import { bundledKinds, type Outcome, type RecordKind, RunWork } from "@millrace/core/enrichment"
import { provenPatterns } from "@millrace/core/pattern"
import { catalogOf, type Fields } from "@millrace/core/record"
import { CalendarDate, StrictDecoding, Timestamp } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** A value that a person gave a record. */
export interface Taught {
  readonly fields: Fields
  readonly value: string
}

const at = Timestamp.make("2026-01-01T00:00:00.000Z")
const scope = { workspaceId: "ws_1", enrichmentId: "enr_1", dataType: "transactions" } as unknown as Parameters<
  NonNullable<RecordKind["open"]>
>[1]

/** What the kind says of each record, after people said what they said. */
export const kindRun = Effect.fnUntraced(function* (type: string, sent: object, taught: ReadonlyArray<Taught>) {
  const values = taught.map(({ fields, value }, n) => ({ recordId: `taught_${n}`, fields, value, at }))
  const models = {
    models: new Map(),
    asking: {
      keyOf: () => () => "",
      ask: () => Effect.succeed({ found: new Map(), exhausted: undefined, failures: [], pending: [] })
    },
    words: { read: () => Effect.succeed({ values, facts: [] }) },
    told: { begins: () => Effect.succeed(true), tell: () => Effect.void }
  }
  const kind = bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256, models }).find(
    (one): one is RecordKind => one.family === "record" && one.type === type
  )!
  const config = Result.getOrThrow(StrictDecoding.decode(kind.Config, sent))
  const { prepared } = yield* Effect.orDie(kind.open!(kind.prepare(config, catalogOf("transactions")), scope))
  const context = { today: CalendarDate.make("2026-05-31"), work: new RunWork() }
  return (fields: Fields): Outcome => kind.plan(prepared, { recordId: "r", fields }, context)
})

export const valueOf = ({ claims }: Outcome, field: string): string | undefined => {
  const value = claims.find((claim) => claim.field === field)?.value
  return typeof value === "string" ? value : undefined
}
