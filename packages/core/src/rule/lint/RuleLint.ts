/** Rules of a list that get in each other's way (enrichments E6). Only what is certain is reported. */
import { Cells } from "../../filter/Cells.ts"
import type { Issue } from "../Check.ts"
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import { caseIssues, caseUse } from "./CaseLint.ts"
import { compileAction, type Computed } from "../ActionPlan.ts"
import { leavesOf } from "../ConditionGroup.ts"
import { DeadWrites, type Replacement } from "./DeadWrites.ts"
import type { PatternEngine } from "../../pattern/Pattern.ts"
import { RuleList, type ListedRule, type SentRule } from "./RuleList.ts"
import { writtenBy } from "./ReadWriteSets.ts"

export type RuleMode = "all" | "first"

const pathOf = ({ index }: ListedRule): string => `rules[${index}]`

/** Where an action stands in the configuration. */
export const actionPath = (actions: ReadonlyArray<unknown>, rule: number, position: number): string =>
  actions.length === 1 ? `rules[${rule}].action` : `rules[${rule}].actions[${position}]`

const placeOf = ({ index, actions }: ListedRule, position: number): string => actionPath(actions, index, position)

/** More rules than these are not named. */
const mostNamed = 4

const listed = (names: ReadonlyArray<string>): string =>
  names.length === 1 ? names[0]! : `${names.slice(0, -1).join(", ")} and ${names.at(-1)!}`

const namesOf = (rules: ReadonlyArray<ListedRule>): string =>
  listed([...rules.slice(0, mostNamed).map(pathOf), ...(rules.length > mostNamed ? ["others"] : [])])

/** The first match ends the list: a rule behind one that matches everything it matches has no turn. */
const neverRuns = (list: RuleList): ReadonlyArray<Issue> =>
  list.rules.flatMap((rule, place) => {
    const earlier = list.rules.slice(0, place).find((other) => list.covers(other, rule))
    if (earlier === undefined) return []
    const isSame = JSON.stringify(earlier.conditions) === JSON.stringify(rule.conditions)
    const reason = isSame
      ? "has the same conditions and comes first"
      : "comes first and matches everything that this rule matches"
    return [{ field: pathOf(rule), message: `never runs: ${pathOf(earlier)} ${reason}` }]
  })

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
    return [{ field: placeOf(rule, position), message }]
  })
  if (!isShadowed) return issues
  const fields = listed([...new Set(rule.actions.map(({ field }) => field))])
  const again = `${others.length === 1 ? "sets" : "set"} ${fields} again on every record that matches here`
  return [...issues, { field: pathOf(rule), message: `has no effect: ${namesOf(others)} ${again}` }]
}

/** A value that a rule leaves in a field whenever it matches. */
interface Setting {
  readonly rule: ListedRule
  readonly position: number
  readonly value: Computed
}

/** The last value of each field, where it is the same for all records and nothing replaces it. */
const settingsOf = (
  rule: ListedRule,
  replaced: ReadonlyArray<Replacement | undefined>,
  catalog: FieldCatalog,
  patterns: PatternEngine
): ReadonlyMap<string, Setting> => {
  const cells = new Cells()
  const settings = new Map<string, Setting>()
  for (const [position, action] of rule.actions.entries()) {
    settings.delete(action.field)
    if ((action.kind ?? "set") !== "set" || replaced[position] !== undefined) continue
    settings.set(action.field, { rule, position, value: compileAction(action, catalog, patterns, cells)(cells) })
  }
  return settings
}

const conflicts = (list: RuleList, settings: ReadonlyArray<ReadonlyMap<string, Setting>>): ReadonlyArray<Issue> => {
  const earlier = new Map<string, Array<Setting>>()
  const issues: Array<Issue> = []
  for (const ofRule of settings)
    for (const [field, { rule, position, value }] of ofRule) {
      const before = earlier.get(field) ?? []
      const rivals: Array<ListedRule> = []
      for (const other of before) {
        if (other.value !== value && list.overlap(other.rule, rule)) rivals.push(other.rule)
        if (rivals.length > mostNamed) break
      }
      before.push({ rule, position, value })
      earlier.set(field, before)
      if (rivals.length === 0) continue
      const others = rivals.length === 1 ? `sets ${field} to another value` : `set ${field} to other values`
      const message = `order decides: ${namesOf(rivals)} ${others} on some records that match here too`
      issues.push({ field: placeOf(rule, position), message })
    }
  return issues
}

/** Conditions that see a field as it is before a later rule changes it. */
const readsBefore = ({ rules }: RuleList): ReadonlyArray<Issue> => {
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
      for (const action of rule.actions) for (const field of writtenBy(action)) writers.set(field, rule)
      return issues.toReversed()
    })
    .toReversed()
}

/** Patterns of a rule that read a field after an earlier rule of the list, or an earlier action, has changed its case. */
const readsChangedCase = ({ rules }: RuleList): ReadonlyArray<Issue> => {
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
  const list = new RuleList(sent, catalog, patterns)
  const writes = new DeadWrites(list)
  const replaced = list.rules.map(({ actions }, place) =>
    actions.map((_, position) => writes.replacement(place, position, mode))
  )
  const overwritten = list.rules.flatMap((rule, place) => lost(rule, replaced[place]!))
  if (mode === "first") return [...neverRuns(list), ...overwritten]
  const settings = list.rules.map((rule, place) => settingsOf(rule, replaced[place]!, catalog, patterns))
  return [...overwritten, ...conflicts(list, settings), ...readsBefore(list), ...readsChangedCase(list)]
}
