/** The read set and the write set of each rule of a list, and which of its actions are certain to write. */
import type { EmptyNode, FilterPlan, TestNode } from "../../filter/FilterPlan.ts"
import * as Plan from "../../filter/FilterPlan.ts"
import { isBlank } from "../../text/Fold.ts"
import type { FieldCatalog } from "../../record/FieldCatalog.ts"
import type { ConditionGroup } from "../ConditionGroup.ts"
import { leavesOf } from "../ConditionGroup.ts"
import { typeOf } from "../FieldAccess.ts"
import type { RuleAction } from "../RuleAction.ts"
import { parseTemplate } from "../Template.ts"

/** The fields that change when the action writes: the sides of an amount follow it. */
export const writtenBy = ({ field }: RuleAction): ReadonlyArray<string> =>
  field === "amount" ? [field, "creditAmount", "debitAmount"] : [field]

/** The fields whose values go into what the action writes. */
export const sourcesOf = (action: RuleAction): ReadonlyArray<string> => {
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

export const fieldsRead = (group: ConditionGroup): ReadonlySet<string> =>
  new Set(Array.from(leavesOf(group, ""), ([{ field }]) => field))

const emptyOf = (field: string): EmptyNode => ({ tag: "empty", field, blank: true })
const filled = (field: string): FilterPlan => Plan.not(emptyOf(field))
const number = (field: string): TestNode => ({
  tag: "test",
  field,
  test: { tag: "number", ranges: [{}] },
  blank: true
})

/**
 * What is enough for an action to make a claim when its turn comes; `undefined` where nothing is known to be, as
 * with patterns.
 */
export const enoughFor = (
  actions: ReadonlyArray<RuleAction>,
  position: number,
  catalog: FieldCatalog
): FilterPlan | undefined => {
  const action = actions[position]!
  if (action.kind === undefined || action.kind === "set") return Plan.always
  const changed = new Set(actions.slice(0, position).flatMap(writtenBy))
  const sources = sourcesOf(action).filter((source) => !changed.has(source))
  if (action.kind === "math")
    return sources.length === 1 && typeOf(sources[0]!, catalog) === "num" ? number(sources[0]!) : undefined
  // Text that was worked out may be no value of any other type.
  if (action.kind === "regexExtract" || (typeOf(action.field, catalog) ?? "str") !== "str") return undefined
  if (
    action.kind === "template" &&
    parseTemplate(action.template).some((part) => "text" in part && !isBlank(part.text))
  )
    return Plan.always
  return sources.length === 0 ? undefined : Plan.or(sources.map(filled))
}
