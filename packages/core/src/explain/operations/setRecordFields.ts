import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { limits } from "../../shared/Limits.ts"
import { RecordWords } from "../RecordWords.ts"
import type { SplitRequest } from "../SplitRequest.ts"
import { wordsExample } from "./Examples.ts"
import { FieldName, WordsRecord, deliver, wordsToWire } from "./ExplanationRecord.ts"

const names = Schema.Array(FieldName).check(Schema.isMinLength(1), Schema.isMaxLength(limits.wordFields))

const sent = Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))

const SplitRecord = Schema.Struct({
  deliver: Schema.optionalKey(deliver).annotateKey({
    description: "Which rows feeds deliver; the lines unless given."
  }),
  lines: Schema.Array(
    Schema.Struct({
      key: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))).annotateKey({
        description: "Names the line for ever; line_1, line_2 and so on unless given."
      }),
      amount: Schema.optionalKey(
        Schema.Union([Schema.String.check(Schema.isMaxLength(40)), Schema.Finite])
      ).annotateKey({
        description: "With the sign of the record. The last line may leave it out: it has what is left."
      }),
      set: Schema.optionalKey(Schema.Record(Schema.String, sent).check(Schema.isMaxProperties(20))).annotateKey({
        description: "What fields of the line hold."
      })
    })
  ).check(Schema.isBetweenLength(2, limits.recordLines))
}).annotate({ identifier: "SplitRecord" })

const SetRecordFields = Schema.Struct({
  fields: Schema.optionalKey(
    Schema.Record(Schema.String, sent)
      .check(Schema.isMaxProperties(limits.wordFields))
      .annotate({ description: "Field -> value; null empties it. A number may be sent as text, with all its digits." })
  ),
  lock: Schema.optionalKey(names.annotate({ description: "Fields that stay as they are shown now." })),
  split: Schema.optionalKey(Schema.NullOr(SplitRecord).annotate({ expected: "an object, or null" })).annotateKey({
    description: "How the record falls into lines, whose sum is its amount; null makes it whole again."
  })
}).annotate({ identifier: "SetRecordFields" })

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

export const setRecordFields = operation({
  noun: "values",
  id: "setRecordFields",
  put: "/v1/records/:record_id/fields",
  summary: "Say what fields of a record hold, or lock them as they are: no enrichment overrules it",
  description:
    "Keeps a person's own values of fields, and locks others as they are shown. Every feed that shows the record follows at " +
    "once, without asking a provider; no enrichment overrules them. What enrichments would have written is told as a shadow. `split` lets a " +
    "record fall into lines with amounts of their own; where its amount changes later, the last line has the difference.",
  access: { anyOf: ["banks:write"], role: "editor", app: "own" },
  repeats: "inherent",
  command: "records set",
  tool: "set_record_fields",
  body: SetRecordFields,
  success: record(WordsRecord),
  errors: ["Unprocessable"],
  example: {
    body: {
      fields: { category: "Gifts" },
      lock: ["merchantName"],
      split: { lines: [{ amount: "-15.00", set: { category: "Cash" } }, { set: { category: "Groceries" } }] }
    },
    data: wordsExample
  },
  audits: audits(RecordWords, "set"),
  run: ({ caller, ids, body: { fields = {}, lock, split } }) =>
    RecordWords.use((words) =>
      Effect.map(
        words.set(caller, ids.record, {
          fields: asText(fields),
          ...(lock === undefined ? {} : { lock }),
          ...(split === undefined ? {} : { split: split === null ? null : splitFromWire(split) })
        }),
        wordsToWire
      )
    )
})
