/** Condition groups as plans of the one filter language (enrichments E1): there is no second evaluator. */
import * as Result from "effect/Result"
import type { FilterPlan } from "../filter/FilterPlan.ts"
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import { isGroup, type ConditionGroup } from "./ConditionGroup.ts"
import { leafPlan } from "./LeafPlan.ts"
import type { PatternEngine } from "../pattern/Pattern.ts"

/** For groups that were checked; dies on a leaf that should not have been saved. */
export const conditionOf = (group: ConditionGroup, catalog: FieldCatalog, patterns: PatternEngine): FilterPlan => ({
  tag: group.logic,
  parts: group.conditions.map((node) => {
    if (isGroup(node)) return conditionOf(node, catalog, patterns)
    const plan = leafPlan(node, catalog, patterns)
    if (Result.isFailure(plan)) throw new TypeError(`condition on "${node.field}": ${plan.failure.message}`)
    return plan.success
  })
})
