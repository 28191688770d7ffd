/** Why a filter let a row through or did not: the clauses that decided (decisions 8.1). */
import { predicate } from "./Closures.ts"
import type { CellValue, RowValues } from "./FilterField.ts"
import { isClause, type FilterClause, type FilterNode, type FilterValue } from "./FilterNode.ts"
import type { FilterPlan } from "./FilterPlan.ts"
import { isRawNumber } from "../shared/RawNumber.ts"
import { relatedOf, RowReading, type RelatedRows } from "./RowTest.ts"
import { ownValue } from "./ValueTest.ts"

/** `null`: neither true nor false, since a value is missing. */
export type Answer = boolean | null

export interface DecidingClause {
  /** Where it stands in the filter, such as `conditions[1].condition`; `""` for the whole filter. */
  readonly at: string
  readonly field: string
  readonly answer: Answer
  /** What was found in the row: one value, or those of the rows that a relation leads to. */
  readonly found: ReadonlyArray<CellValue>
  /** Such as `amount is "-12.5": amount lt -50 is false`. */
  readonly text: string
}

export interface FilterExplanation {
  /** Only `true` lets a row through. */
  readonly answer: Answer
  /** Without any one of these the answer could be another. Empty where the filter says the same of every row. */
  readonly decided: ReadonlyArray<DecidingClause>
}

const valueText = (value: FilterValue | undefined): string => {
  if (value === undefined) return ""
  if (typeof value !== "object" || value === null || Array.isArray(value) || isRawNumber(value))
    return ` ${JSON.stringify(value)}`
  if ("start" in value) return ` ${value.start} to ${value.end}`
  if ("min" in value) return ` ${value.min} to ${value.max}`
  return ` ${Object.values(value)[0]}`
}

const clauseText = (clause: FilterClause): string => `${clause.field} ${clause.op}${valueText(clause.value)}`

/** The clause at a path of the tree; groups in between are walked through. */
const clauseAt = (node: FilterNode, at: string): FilterClause | undefined => {
  let current: FilterNode | undefined = node
  for (const step of at === "" ? [] : at.split(".")) {
    if (current === undefined || isClause(current)) return undefined
    const index = /^conditions\[(\d+)\]$/.exec(step)?.[1]
    current =
      current.logic === "not" ? current.condition : index === undefined ? undefined : current.conditions[Number(index)]
  }
  return current !== undefined && isClause(current) ? current : undefined
}

const shown = (value: CellValue): string => (value === null ? "has no value" : `is ${JSON.stringify(value)}`)

const answerWords = new Map<Answer, string>([
  [true, "true"],
  [false, "false"],
  [null, "unknown"]
])

class Explainer {
  private readonly node: FilterNode
  private readonly row: RowValues
  private readonly reading = new RowReading()

  constructor(node: FilterNode, row: RowValues, related: RelatedRows | undefined) {
    this.node = node
    this.row = row
    this.reading.current = related
  }

  answer(plan: FilterPlan): Answer {
    return predicate(plan, this.reading, 1)(this.row) ? true : predicate(plan, this.reading, 0)(this.row) ? false : null
  }

  private found(field: string): ReadonlyArray<CellValue> {
    if (Object.hasOwn(this.row, field) || !field.includes(".")) return [ownValue(this.row[field])]
    const [relation, key] = field.split(".") as [string, string]
    return relatedOf(this.reading.current, relation, this.row[relation]).map((one) => ownValue(one[key]))
  }

  private clause(plan: FilterPlan, clause: FilterClause, at: string): DecidingClause {
    const answer = this.answer(plan)
    const found = this.found(clause.field)
    const values = found.length === 0 ? "leads to no row" : found.map(shown).join(", ")
    const text = `${clause.field} ${values}: ${clauseText(clause)} is ${answerWords.get(answer)}`
    return { at, field: clause.field, answer, found, text }
  }

  /** The clauses of a plan that made its answer what it is. */
  decided(plan: FilterPlan): ReadonlyArray<DecidingClause> {
    const clause = plan.at === undefined ? undefined : clauseAt(this.node, plan.at)
    if (clause !== undefined) return [this.clause(plan, clause, plan.at!)]
    if (plan.tag === "not") return this.decided(plan.part)
    if (plan.tag !== "and" && plan.tag !== "or") return []
    const answer = this.answer(plan)
    const parts = plan.parts.map((part) => [part, this.answer(part)] as const)
    // One false part is enough for "and", one true part for "or": the first of them is named.
    const decisive = parts.find(([, of]) => of === (plan.tag === "or"))
    if (decisive !== undefined) return this.decided(decisive[0])
    return parts.filter(([, of]) => of === answer).flatMap(([part]) => this.decided(part))
  }
}

/** `plan` is what `bind` made of `node`; `related` gives the rows that its relations lead to. */
export const explainFilter = (
  node: FilterNode,
  plan: FilterPlan,
  row: RowValues,
  related?: RelatedRows
): FilterExplanation => {
  const explainer = new Explainer(node, row, related)
  return { answer: explainer.answer(plan), decided: explainer.decided(plan) }
}
