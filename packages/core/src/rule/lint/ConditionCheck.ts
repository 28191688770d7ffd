/** Checks of condition groups against the fields there are (enrichments E1, E6). */
import * as Result from "effect/Result"
import type { Check, Issue } from "../Check.ts"
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import { conditionOf } from "../Condition.ts"
import { leavesOf, type ConditionGroup } from "../ConditionGroup.ts"
import { formulaOf, Implication, isMoving } from "./Implication.ts"
import { isKnown, readProblem } from "../FieldAccess.ts"
import { leafPlan } from "../LeafPlan.ts"
import { some, type FilterPlan } from "../../filter/FilterPlan.ts"
import type { PatternEngine } from "../../pattern/Pattern.ts"

/** Names that people and banks change at will, and the field that stays. */
const stableFor: ReadonlyMap<string, string> = new Map([
  ["accountName", "accountId"],
  ["account", "accountId"],
  ["bank", "bankId"]
])

/** Whether the answer can change from one day to the next while the record stays as it is. */
const isTimeDependent = (plan: FilterPlan): boolean => some(plan, (part) => part.tag === "test" && isMoving(part.test))

/** Whether the condition gives the same answer for every record; `undefined` where its form does not show that. */
export const constant = (plan: FilterPlan): "never" | "always" | undefined => {
  const formula = formulaOf(plan)
  const implication = new Implication()
  return implication.isNever(formula) ? "never" : implication.isAlways(formula) ? "always" : undefined
}

/** Whether what the group says of a record may be another on another day. */
export const movesWithTheDay = (group: ConditionGroup, catalog: FieldCatalog, patterns: PatternEngine): boolean =>
  leavesOf(group, "").some(([leaf]) => {
    const plan = leafPlan(leaf, catalog, patterns)
    return Result.isSuccess(plan) && isTimeDependent(plan.success)
  })

/** `path` is where the group stands in the configuration block; `stage` where its kind stands in the pipeline. */
export const checkConditions = (
  group: ConditionGroup,
  path: string,
  catalog: FieldCatalog,
  stage: number,
  patterns: PatternEngine
): Check => {
  const errors: Array<Issue> = []
  const lints: Array<Issue> = []
  for (const [leaf, at] of leavesOf(group, path)) {
    const problem = readProblem(leaf.field, catalog, stage)
    if (problem !== undefined) {
      errors.push({ field: `${at}.field`, message: problem })
      continue
    }
    if (!isKnown(leaf.field, catalog))
      lints.push({ field: `${at}.field`, message: `unknown field "${leaf.field}": nothing writes it` })
    const stable = catalog.has(leaf.field) ? stableFor.get(leaf.field) : undefined
    if (stable !== undefined)
      lints.push({ field: `${at}.field`, message: `"${leaf.field}" is a name that can change: "${stable}" stays` })
    const plan = leafPlan(leaf, catalog, patterns)
    if (Result.isFailure(plan)) errors.push({ field: `${at}.${plan.failure.part}`, message: plan.failure.message })
    else if (isTimeDependent(plan.success))
      lints.push({ field: at, message: "timeDependent: the answer changes with the date of the run" })
  }
  return {
    errors,
    // Runs have no use for it, and it takes longer than everything else.
    get lints() {
      const always = errors.length === 0 ? constant(conditionOf(group, catalog, patterns)) : undefined
      if (always === undefined) return lints
      return [...lints, { field: path, message: always === "never" ? "can never hold" : "always holds" }]
    }
  }
}
