/** The parts of a configuration that enrichments which may ask a model share (enrichments C3, C6). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import { defaultModel, type DecisionModel, endpointOf, localModel } from "../../../model/DecisionModel.ts"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import type { Issue } from "../../../rule/Check.ts"
import { ConditionGroup } from "../../../rule/ConditionGroup.ts"
import { checkConditions } from "../../../rule/lint/ConditionCheck.ts"

export const share = (fallback: number) =>
  Schema.Finite.check(Schema.isBetween({ minimum: 0.5, maximum: 0.99 })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(fallback))
  )
const count = (maximum: number, fallback: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(fallback))
  )
export const flag = (fallback: boolean) => Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(fallback)))

const mostTokens = 100_000_000

/** Which model is asked about what, and how often: keys of a run, `usual` ones unless the configuration says, and tokens of a month. */
export const modelFields = (keys: { readonly most: number; readonly usual: number }, tokens: number) => ({
  /** Who is asked: nobody (`local`), the first endpoint that the workspace may ask (`default`), or one by its name. */
  model: Schema.String.check(Schema.isBetweenLength(1, 64)).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(localModel))
  ),
  allowExternal: flag(false),
  when: Schema.optionalKey(ConditionGroup),
  maxKeysPerRun: count(keys.most, keys.usual),
  monthlyTokens: count(mostTokens, tokens),
  /** Whether a model may see text of documents, which come from their senders. */
  allowUntrusted: flag(false)
})

interface ModelConfig {
  readonly model: string
  readonly allowExternal: boolean
  readonly when?: ConditionGroup | undefined
}

export const unknownModel = (model: string, known: ReadonlyArray<string>): string =>
  `"${model}" is no model here; there are ${known.join(", ")}`

/** What is wrong with them, together. */
export const modelIssues = (
  { allowExternal, model, when }: ModelConfig,
  catalog: FieldCatalog,
  stage: number,
  models: ReadonlyMap<string, DecisionModel>,
  patterns: PatternEngine
): { readonly errors: ReadonlyArray<Issue>; readonly lints: ReadonlyArray<Issue> } => {
  const errors: Array<Issue> = []
  if (model !== localModel) {
    if (endpointOf(models, model) === undefined) {
      const known = [localModel, ...(models.size === 0 ? [] : [defaultModel]), ...models.keys()]
      errors.push({ field: "model", message: unknownModel(model, known) })
    } else if (!allowExternal) {
      errors.push({ field: "allowExternal", message: "must be true: this model sends text outside the server" })
    }
  }
  const conditions = when === undefined ? undefined : checkConditions(when, "when", catalog, stage, patterns)
  return { errors: [...errors, ...(conditions?.errors ?? [])], lints: conditions?.lints ?? [] }
}
