/** Writes that are always replaced before anything reads them (enrichments E6). */
import type { RuleAction } from "../RuleAction.ts"
import { hasUseFor, type ListedRule, type RuleList } from "./RuleList.ts"
import { sourcesOf, writtenBy } from "./ReadWriteSets.ts"

/** What replaces a write: a later action of its own rule, or of a later rule. */
export interface Replacement {
  readonly rule: ListedRule
  readonly position: number
}

/** Positions in the list of the rules that write, or have use for, each field. */
class Positions {
  private readonly byField = new Map<string, Array<number>>()

  constructor(rules: ReadonlyArray<ListedRule>, fieldsOf: (rule: ListedRule) => Iterable<string>) {
    for (const [position, rule] of rules.entries())
      for (const field of new Set(fieldsOf(rule))) {
        const list = this.byField.get(field)
        if (list === undefined) this.byField.set(field, [position])
        else list.push(position)
      }
  }

  of(field: string): ReadonlyArray<number> {
    return this.byField.get(field) ?? []
  }
}

/** Finds the writes of a list of rules that a later write always replaces. */
export class DeadWrites {
  private readonly list: RuleList
  private readonly writers: Positions
  private readonly readers: Positions

  constructor(list: RuleList) {
    this.list = list
    this.writers = new Positions(list.rules, ({ actions }) => actions.map(({ field }) => field))
    this.readers = new Positions(list.rules, ({ reads, actions }) => [...reads, ...actions.flatMap(sourcesOf)])
  }

  /** The first of the rule's actions that is certain to write the field while nothing before it reads it. */
  private replacing(rule: ListedRule, after: number, written: RuleAction): number | "read" | undefined {
    const fields = writtenBy(written)
    for (let position = after + 1; position < rule.actions.length; position++) {
      const action = rule.actions[position]!
      if (hasUseFor(action, fields)) return "read"
      if (action.field === written.field && this.list.isCertain(rule, position)) return position
    }
    return undefined
  }

  /** What replaces the claim of an action on every record on which it makes one; `place` is that of its rule. */
  replacement(place: number, position: number, mode: "all" | "first"): Replacement | undefined {
    const { rules } = this.list
    const rule = rules[place]!
    const written = rule.actions[position]!
    const own = this.replacing(rule, position, written)
    if (own === "read") return undefined
    if (own !== undefined) return { rule, position: own }
    if (mode === "first") return undefined
    const fields = writtenBy(written)
    const reader = Math.min(...fields.map((field) => this.readers.of(field).find((at) => at > place) ?? rules.length))
    for (const at of this.writers.of(written.field)) {
      if (at <= place) continue
      if (at > reader) break
      const later = rules[at]!
      if (fields.some((field) => later.reads.has(field))) break
      if (later.unsettledBy >= rule.index || !this.list.covers(later, rule)) continue
      const found = this.replacing(later, -1, written)
      if (typeof found === "number") return { rule: later, position: found }
    }
    return undefined
  }
}
