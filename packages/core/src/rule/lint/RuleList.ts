/** The rules of a list that can run, and what is certain of pairs of them. */
import type { FilterPlan } from "../../filter/FilterPlan.ts"
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import { conditionOf } from "../Condition.ts"
import type { ConditionGroup } from "../ConditionGroup.ts"
import { Implication } from "./Implication.ts"
import type { PatternEngine } from "../../pattern/Pattern.ts"
import type { RuleAction } from "../RuleAction.ts"
import { enoughFor, fieldsRead, sourcesOf, writtenBy } from "./ReadWriteSets.ts"

export interface SentRule {
  readonly enabled: boolean
  readonly conditions: ConditionGroup
  readonly actions: ReadonlyArray<RuleAction>
}

/** A rule that may run, with its place in the list as it was sent. */
export interface ListedRule {
  readonly index: number
  readonly conditions: ConditionGroup
  readonly actions: ReadonlyArray<RuleAction>
  readonly plan: FilterPlan
  readonly reads: ReadonlySet<string>
  /** Index of the last rule before it that may change what its conditions read; -1 if they see the record itself. */
  readonly unsettledBy: number
  /** What is enough for each action to make a claim. */
  readonly enough: ReadonlyArray<FilterPlan | undefined>
}

export class RuleList {
  /** Without those that are disabled or can never hold. */
  readonly rules: ReadonlyArray<ListedRule>
  private readonly implication: Implication

  constructor(sent: ReadonlyArray<SentRule>, catalog: FieldCatalog, patterns: PatternEngine) {
    const enabled = sent.flatMap(({ enabled: isOn, conditions, actions }, index) => {
      if (!isOn) return []
      const plan = conditionOf(conditions, catalog, patterns)
      const enough = actions.map((_, position) => enoughFor(actions, position, catalog))
      return [{ index, conditions, actions, plan, enough, reads: fieldsRead(conditions) }]
    })
    const plans = enabled.flatMap(({ plan, enough }) => [plan, ...enough.filter((part) => part !== undefined)])
    this.implication = new Implication(plans, catalog)
    const writers = new Map<string, number>()
    this.rules = enabled.flatMap((rule) => {
      if (this.implication.isNever(rule.plan)) return []
      const unsettledBy = Math.max(-1, ...Array.from(rule.reads, (field) => writers.get(field) ?? -1))
      for (const action of rule.actions) for (const field of writtenBy(action)) writers.set(field, rule.index)
      return [{ ...rule, unsettledBy }]
    })
  }

  /** Whether every record that matches the one matches the other, as both see it at their turns. */
  covers(other: ListedRule, one: ListedRule): boolean {
    return this.implication.implies(one.plan, other.plan)
  }

  /** Whether some record matches both, each at its turn. */
  overlap(one: ListedRule, other: ListedRule): boolean {
    return one.unsettledBy < 0 && other.unsettledBy < 0 && this.implication.overlaps(one.plan, other.plan)
  }

  /** Whether the action makes a claim on every record that the rule matches. */
  isCertain({ plan, enough }: ListedRule, position: number): boolean {
    const needed = enough[position]
    return needed !== undefined && this.implication.implies(plan, needed)
  }
}

/** Whether an action, before it is done, has use for one of the fields. */
export const hasUseFor = (action: RuleAction, fields: ReadonlyArray<string>): boolean =>
  sourcesOf(action).some((source) => fields.includes(source))
