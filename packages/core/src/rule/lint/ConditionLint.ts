/** Conditions that cannot do what they look like (enrichments E6). Only what is certain is reported. */
import { some, type FilterPlan } from "../../filter/FilterPlan.ts"
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import { Implication } from "./Implication.ts"
import { isMoving } from "./Points.ts"

export type Constant = "never" | "always"

/** Whether the condition gives the same answer for every record; `undefined` when that is not certain. */
export const constant = (plan: FilterPlan, catalog: FieldCatalog): Constant | undefined => {
  const implication = new Implication([plan], catalog)
  return implication.isNever(plan) ? "never" : implication.isAlways(plan) ? "always" : undefined
}

/** Whether the answer can change from one day to the next while the record stays as it is. */
export const isTimeDependent = (plan: FilterPlan): boolean =>
  some(plan, (part) => part.tag === "test" && isMoving(part.test))
