/** If conditions hold, set fields (enrichments C5). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { dataTypes } from "../../record/DataType.ts"
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import { checkAction, declaredBy } from "../../rule/ActionPlan.ts"
import { checkConditions, movesWithTheDay } from "../../rule/lint/ConditionCheck.ts"
import { ConditionGroup } from "../../rule/ConditionGroup.ts"
import type { PatternEngine } from "../../pattern/Pattern.ts"
import { RuleAction } from "../../rule/RuleAction.ts"
import { RuleEngine } from "../../rule/RuleEngine.ts"
import { actionPath, ruleLints } from "../../rule/lint/RuleLint.ts"
import { limits } from "../../shared/Limits.ts"
import type { Check, Issue, RecordKind } from "./Kind.ts"

const ruleFields = {
  id: Schema.optionalKey(Schema.NonEmptyString.check(Schema.isMaxLength(64))),
  name: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(limits.nameLength)))
}

const actionsPerRule = 20

const SentRule = Schema.Struct({
  ...ruleFields,
  enabled: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  conditions: ConditionGroup,
  action: Schema.optionalKey(RuleAction),
  actions: Schema.optionalKey(Schema.NonEmptyArray(RuleAction).check(Schema.isMaxLength(actionsPerRule)))
}).check(
  Schema.makeFilter((rule) =>
    // What is answered carries both; only two that differ leave open what is meant.
    (rule.action === undefined && rule.actions === undefined) ||
    (rule.action !== undefined &&
      rule.actions !== undefined &&
      JSON.stringify(rule.action) !== JSON.stringify(rule.actions[0]))
      ? "give action or actions"
      : undefined
  )
)

const Rule = SentRule.pipe(
  Schema.decodeTo(
    Schema.Struct({
      ...ruleFields,
      enabled: Schema.Boolean,
      conditions: Schema.toType(ConditionGroup),
      actions: Schema.NonEmptyArray(Schema.toType(RuleAction))
    }),
    SchemaTransformation.transform({
      decode: ({ action, actions, ...rest }) => ({ ...rest, actions: actions ?? ([action!] as const) }),
      encode: ({ actions, ...rest }) => ({ ...rest, action: actions[0], ...(actions.length > 1 ? { actions } : {}) })
    })
  )
)
export type Rule = typeof Rule.Type

export const RuleConfig = Schema.Struct({
  phase: Schema.Literals(["pre", "main", "post"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("main" as const))),
  mode: Schema.Literals(["all", "first"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("all" as const))),
  rules: Schema.NonEmptyArray(Rule).check(Schema.isMaxLength(limits.rulesPerEnrichment))
})
export type RuleConfig = typeof RuleConfig.Type

const stages = { pre: 20, main: 60, post: 130 } as const

/** 64 bits of FNV-1a in two halves: stable everywhere, and no secret. */
const hash = (text: string): string => {
  let low = 0x811c9dc5
  let high = 0x01000193
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193)
    high = Math.imul(high ^ text.charCodeAt(at), 0x5bd1e995)
  }
  return (low >>> 0).toString(36).padStart(7, "0") + (high >>> 0).toString(36).padStart(7, "0")
}

/** The id of a rule, made of its position and content where none was given. */
export const ruleId = (rule: Rule, position: number): string =>
  rule.id ?? `rule_${hash(`${position}:${JSON.stringify([rule.conditions, rule.actions])}`)}`

const actionsOf = (config: RuleConfig): ReadonlyArray<RuleAction> => config.rules.flatMap(({ actions }) => actions)

/** The fields there are once the rules have run. */
const withDeclared = (config: RuleConfig, catalog: FieldCatalog): FieldCatalog =>
  new Map([...catalog, ...declaredBy(actionsOf(config), catalog)])

const check = (config: RuleConfig, source: FieldCatalog, patterns: PatternEngine): Check => {
  const catalog = withDeclared(config, source)
  const stage = stages[config.phase]
  const errors: Array<Issue> = []
  const checks: Array<Check> = []
  const ids = new Set<string>()
  for (const [index, rule] of config.rules.entries()) {
    const at = `rules[${index}]`
    if (rule.id !== undefined && ids.has(rule.id)) errors.push({ field: `${at}.id`, message: `"${rule.id}" is taken` })
    if (rule.id !== undefined) ids.add(rule.id)
    const conditions = checkConditions(rule.conditions, `${at}.conditions`, catalog, stage, patterns)
    errors.push(...conditions.errors)
    checks.push(conditions)
    for (const [position, action] of rule.actions.entries()) {
      const path = actionPath(rule.actions, index, position)
      for (const { key, message } of checkAction(action, catalog, patterns))
        errors.push({ field: `${path}.${key}`, message })
      if (config.phase === "post" && action.field === "merchantName")
        errors.push({ field: `${path}.field`, message: '"merchantName" is read by an earlier stage' })
    }
  }
  let found: ReadonlyArray<Issue> | undefined
  return {
    errors,
    // Comparing rules with each other takes longer than all other checks, and runs have no use for it.
    get lints() {
      return (found ??= [
        ...checks.flatMap(({ lints }) => lints),
        ...(errors.length > 0 ? [] : ruleLints(config.rules, config.mode, catalog, patterns))
      ])
    }
  }
}

/** The kind `rule` on an engine for patterns. */
export const makeRule = ({ patterns }: { readonly patterns: PatternEngine }): RecordKind<RuleConfig, RuleEngine> => ({
  type: "rule",
  label: "Rules",
  family: "record",
  stage: (config) => stages[config.phase],
  capabilities: { authority: "rule", dataTypes, writes: ["*"], perWorkspace: limits.enrichmentsPerWorkspace },
  Config: RuleConfig,
  check: (config, catalog) => check(config, catalog, patterns),
  declares: (config, catalog) =>
    declaredBy(
      config.rules.filter(({ enabled }) => enabled).flatMap(({ actions }) => actions),
      catalog
    ),
  prepare: (config, catalog) =>
    new RuleEngine(
      config.rules.flatMap((rule, index) =>
        rule.enabled ? [{ id: ruleId(rule, index), conditions: rule.conditions, actions: rule.actions }] : []
      ),
      config.mode,
      withDeclared(config, catalog),
      patterns
    ),
  plan: (engine, view, context) => engine.run(view.fields, context),
  movesWithTheDay: (config, source) => {
    const catalog = withDeclared(config, source)
    return config.rules.some(({ conditions, enabled }) => enabled && movesWithTheDay(conditions, catalog, patterns))
  },
  explain: (config, claim) => {
    const index = config.rules.findIndex((rule, position) => ruleId(rule, position) === claim.path)
    const rule = config.rules[index]
    const name = rule?.name === undefined || rule.name === "" ? `Rule ${index + 1}` : `Rule "${rule.name}"`
    return claim.value === null
      ? `${name} cleared ${claim.field}`
      : `${name} set ${claim.field} to ${JSON.stringify(claim.value)}`
  }
})
