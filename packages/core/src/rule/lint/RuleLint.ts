/** Rules of a list that get in each other's way (enrichments E6), two at a time. The lint reports what is certain. */
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import type { PatternEngine } from "../../pattern/Pattern.ts"
import type { Issue } from "../Check.ts"
import { conditionOf } from "../Condition.ts"
import { leavesOf, type ConditionGroup } from "../ConditionGroup.ts"
import type { RuleAction } from "../RuleAction.ts"
import { parseTemplate } from "../Template.ts"
import { caseIssues, caseUse } from "./CaseLint.ts"
import { formulaOf, Implication, type Formula } from "./Implication.ts"

export type RuleMode = "all" | "first"

export interface SentRule {
  readonly enabled: boolean
  readonly conditions: ConditionGroup
  readonly actions: ReadonlyArray<RuleAction>
}

/** A rule that may run, with its place in the list as it was sent. */
interface ListedRule {
  readonly index: number
  readonly conditions: ConditionGroup
  readonly actions: ReadonlyArray<RuleAction>
  readonly formula: Formula
  /** Fields that its conditions read. */
  readonly reads: ReadonlySet<string>
  /** Fields that its conditions or actions read. */
  readonly uses: ReadonlySet<string>
  /** Fields that its actions change. */
  readonly changes: ReadonlySet<string>
}

/** The fields that change when the action writes: the sides of an amount follow it. */
const writtenBy = ({ field }: RuleAction): ReadonlyArray<string> =>
  field === "amount" ? [field, "creditAmount", "debitAmount"] : [field]

/** The fields whose values go into what the action writes. */
const sourcesOf = (action: RuleAction): ReadonlyArray<string> => {
  switch (action.kind) {
    case undefined:
    case "set":
      return []
    case "template":
      return parseTemplate(action.template).flatMap((part) => ("field" in part ? [part.field] : []))
    case "regexExtract":
      return [action.source]
    default:
      return [action.source ?? action.field]
  }
}

const pathOf = ({ index }: ListedRule): string => `rules[${index}]`

/** Where an action stands in the configuration. */
export const actionPath = (actions: ReadonlyArray<unknown>, rule: number, position: number): string =>
  actions.length === 1 ? `rules[${rule}].action` : `rules[${rule}].actions[${position}]`

/** A message names at most this many rules. */
const mostNamed = 4

const listed = (names: ReadonlyArray<string>): string =>
  names.length === 1 ? names[0]! : `${names.slice(0, -1).join(", ")} and ${names.at(-1)!}`

const namesOf = (rules: ReadonlyArray<ListedRule>): string =>
  listed([...rules.slice(0, mostNamed).map(pathOf), ...(rules.length > mostNamed ? ["others"] : [])])

/** The first match ends the list: a rule behind one that matches everything it matches has no turn. */
const neverRuns = (rules: ReadonlyArray<ListedRule>, implication: Implication): ReadonlyArray<Issue> =>
  rules.flatMap((rule, place) => {
    const earlier = rules.slice(0, place).find((other) => implication.implies(rule.formula, other.formula))
    if (earlier === undefined) return []
    const isSame = JSON.stringify(earlier.conditions) === JSON.stringify(rule.conditions)
    const reason = isSame
      ? "has the same conditions and comes first"
      : "comes first and matches everything that this rule matches"
    return [{ field: pathOf(rule), message: `never runs: ${pathOf(earlier)} ${reason}` }]
  })

/** A later write that always replaces another one: a later action of its own rule, or of a later rule. */
interface Replacement {
  readonly rule: ListedRule
  readonly position: number
}

/** The first action from `from` on that sets the field of `written`; `"read"` where an action reads that before. */
const replacing = (rule: ListedRule, from: number, written: RuleAction): number | "read" | undefined => {
  const fields = writtenBy(written)
  for (let position = from; position < rule.actions.length; position++) {
    const action = rule.actions[position]!
    if (sourcesOf(action).some((source) => fields.includes(source))) return "read"
    // Every other action may find nothing to write.
    if (action.field === written.field && (action.kind ?? "set") === "set") return position
  }
  return undefined
}

/** What replaces the write of an action on every record, before anything reads it. */
const replacement = (
  rules: ReadonlyArray<ListedRule>,
  place: number,
  position: number,
  mode: RuleMode,
  implication: Implication
): Replacement | undefined => {
  const rule = rules[place]!
  const written = rule.actions[position]!
  const own = replacing(rule, position + 1, written)
  if (own === "read") return undefined
  if (own !== undefined) return { rule, position: own }
  if (mode === "first") return undefined
  const fields = writtenBy(written)
  const changed = new Set(rule.changes)
  for (let at = place + 1; at < rules.length; at++) {
    const later = rules[at]!
    if (fields.some((field) => later.reads.has(field))) return undefined
    const found = replacing(later, 0, written)
    // The later rule must see the values that the earlier one saw.
    const isSettled = !Array.from(later.reads).some((field) => changed.has(field))
    if (typeof found === "number" && isSettled && implication.implies(rule.formula, later.formula))
      return { rule: later, position: found }
    if (fields.some((field) => later.uses.has(field))) return undefined
    for (const field of later.changes) changed.add(field)
  }
  return undefined
}

const lost = (rule: ListedRule, replaced: ReadonlyArray<Replacement | undefined>): ReadonlyArray<Issue> => {
  const others = [...new Set(replaced.flatMap((by) => (by === undefined || by.rule === rule ? [] : [by.rule])))]
  const isShadowed = !replaced.includes(undefined)
  const issues = replaced.flatMap((by, position): ReadonlyArray<Issue> => {
    if (by === undefined || (isShadowed && by.rule !== rule)) return []
    const { field } = rule.actions[position]!
    const message =
      by.rule === rule
        ? `is always overwritten: actions[${by.position}] of the same rule sets ${field} again`
        : `is always overwritten: ${pathOf(by.rule)} sets ${field} again on every record that matches here`
    return [{ field: actionPath(rule.actions, rule.index, position), message }]
  })
  if (!isShadowed) return issues
  const fields = listed([...new Set(rule.actions.map(({ field }) => field))])
  const again = `${others.length === 1 ? "sets" : "set"} ${fields} again on every record that matches here`
  return [...issues, { field: pathOf(rule), message: `has no effect: ${namesOf(others)} ${again}` }]
}

/** Conditions that see a field as it is before a later rule changes it. */
const readsBefore = (rules: ReadonlyArray<ListedRule>): ReadonlyArray<Issue> => {
  const writers = new Map<string, ListedRule>()
  return rules
    .toReversed()
    .flatMap((rule) => {
      const seen = new Set<string>()
      const issues: Array<Issue> = []
      for (const [{ field }, at] of leavesOf(rule.conditions, `${pathOf(rule)}.conditions`)) {
        const writer = writers.get(field)
        if (writer === undefined || seen.has(field)) continue
        seen.add(field)
        issues.push({ field: at, message: `sees ${field} as it is before ${pathOf(writer)} changes it` })
      }
      for (const field of rule.changes) writers.set(field, rule)
      return issues.toReversed()
    })
    .toReversed()
}

/** Patterns of a rule that read a field after an earlier rule of the list, or an earlier action, has changed its case. */
const readsChangedCase = (rules: ReadonlyArray<ListedRule>): ReadonlyArray<Issue> => {
  const writers = new Map<string, ListedRule>()
  return rules.flatMap((rule) => {
    const { reads, writes } = caseUse({ conditions: rule.conditions, actions: rule.actions }, pathOf(rule))
    const issues = reads.flatMap((read) => {
      const writer = writers.get(read.field)
      return writer === undefined ? [] : caseIssues([read], new Set([read.field]), pathOf(writer))
    })
    for (const field of writes) writers.set(field, rule)
    return issues
  })
}

/** For rules without errors. */
export const ruleLints = (
  sent: ReadonlyArray<SentRule>,
  mode: RuleMode,
  catalog: FieldCatalog,
  patterns: PatternEngine
): ReadonlyArray<Issue> => {
  const implication = new Implication()
  const rules = sent.flatMap(({ actions, conditions, enabled }, index): ReadonlyArray<ListedRule> => {
    if (!enabled) return []
    const formula = formulaOf(conditionOf(conditions, catalog, patterns))
    if (implication.isNever(formula)) return []
    const reads = new Set(Array.from(leavesOf(conditions, ""), ([{ field }]) => field))
    const uses = new Set([...reads, ...actions.flatMap(sourcesOf)])
    return [{ index, conditions, actions, formula, reads, uses, changes: new Set(actions.flatMap(writtenBy)) }]
  })
  const overwritten = rules.flatMap((rule, place) =>
    lost(
      rule,
      rule.actions.map((_, position) => replacement(rules, place, position, mode, implication))
    )
  )
  if (mode === "first") return [...neverRuns(rules, implication), ...overwritten]
  return [...overwritten, ...readsBefore(rules), ...readsChangedCase(rules)]
}
