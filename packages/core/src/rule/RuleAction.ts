/** What a rule does to a field when its conditions hold (specification 2.3, enrichments E4). */
import * as Schema from "effect/Schema"
import { limits } from "../shared/Limits.ts"
import { ScalarValue } from "./ConditionGroup.ts"

const field = Schema.NonEmptyString.check(Schema.isMaxLength(limits.mappingKeyLength))

const SetField = Schema.Struct({
  kind: Schema.optionalKey(
    Schema.Literal("set").annotate({ message: "must be set, template, regexExtract, case or math" })
  ),
  field,
  value: ScalarValue
})

const Template = Schema.Struct({
  kind: Schema.Literal("template"),
  field,
  template: Schema.NonEmptyString.check(Schema.isMaxLength(limits.templateLength))
})

const RegexExtract = Schema.Struct({
  kind: Schema.Literal("regexExtract"),
  field,
  source: field,
  pattern: Schema.NonEmptyString,
  /** 0 is the whole match; 1 when absent. */
  group: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })))
})

const Case = Schema.Struct({
  kind: Schema.Literal("case"),
  field,
  mode: Schema.Literals(["upper", "lower", "title"]),
  /** The field itself when absent. */
  source: Schema.optionalKey(field)
})

const Arithmetic = Schema.Struct({
  kind: Schema.Literal("math"),
  field,
  op: Schema.Literals(["abs", "negate", "round2"]),
  /** The field itself when absent. */
  source: Schema.optionalKey(field)
})

export const RuleAction = Schema.Union([SetField, Template, RegexExtract, Case, Arithmetic]).annotate({
  message: "must be an action of kind set, template, regexExtract, case or math"
})
export type RuleAction = typeof RuleAction.Type
