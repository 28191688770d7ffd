import * as Schema from "effect/Schema"
import { EnrichmentFact } from "../../enrichment/kinds/EnrichmentFact.ts"
import { Id } from "../../shared/Ids.ts"
import { limits } from "../../shared/Limits.ts"
import type { Words } from "../RecordWords.ts"

export const Value = Schema.NullOr(Schema.Union([Schema.String, Schema.Boolean])).annotate({
  description: "Numbers are exact decimals as text."
})

export const ShadowRecord = Schema.Struct({ field: Schema.String, value: Value, enrichmentId: Schema.String })

const { dataType: _type, workspaceId: _ws, ...factFields } = EnrichmentFact.fields

export const FactRecord = Schema.Struct(factFields).annotate({ identifier: "EnrichmentFact" })

export const deliver = Schema.Literals(["lines", "parent", "both"])

const SaidSplit = Schema.Struct({
  by: factFields.by,
  at: factFields.at,
  deliver,
  lines: Schema.Array(
    Schema.Struct({
      lineId: Schema.String,
      key: Schema.String,
      amount: Schema.String,
      set: Schema.Record(Schema.String, Value)
    })
  ),
  mismatch: Schema.Boolean.annotate({
    description: "The amount has become less than the lines before the last: they share it in proportion."
  })
}).annotate({ identifier: "RecordSplit", description: "How a person split the record." })

export const WordsRecord = Schema.Struct({
  recordId: Schema.String,
  words: Schema.Array(FactRecord).annotate({ description: "What a person said of fields, and holds." }),
  split: Schema.optionalKey(SaidSplit),
  shadows: Schema.Array(Schema.Struct({ ...ShadowRecord.fields, feedId: Id("feed"), rowId: Schema.String })),
  warnings: Schema.optionalKey(
    Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))
  ).annotateKey({ description: "What was kept and may have been meant otherwise, such as a field that nobody knows." })
}).annotate({ identifier: "RecordWords" })

export const FieldName = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.mappingKeyLength))

export const factToWire = ({ dataType: _d, workspaceId: _w, ...fact }: EnrichmentFact) => fact

export const wordsToWire = ({ words, ...rest }: Words) => ({ ...rest, words: words.map(factToWire) })
