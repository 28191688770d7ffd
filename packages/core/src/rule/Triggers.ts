/** Which literals must be found before a condition can hold (enrichments C5, performance 2). */
import type { FilterPlan } from "../filter/FilterPlan.ts"
import type { Place } from "./LiteralIndex.ts"
import { requiredLiterals } from "../pattern/PatternLiterals.ts"
import { fold } from "../text/Fold.ts"

export interface Trigger {
  readonly field: string
  readonly text: string
  readonly place: Place
}

const placeOf = { equals: "whole", contains: "anywhere", startsWith: "start", endsWith: "end" } as const

/** Literals of one alternative: the longer the shortest of them, the rarer they are found. */
const worth = (triggers: ReadonlyArray<Trigger>): number => {
  let shortest = Infinity
  for (const { text, place } of triggers) shortest = Math.min(shortest, text.length + (place === "whole" ? 8 : 0))
  return shortest - triggers.length / 1_000
}

/**
 * The condition can hold only if at least one of these is found; none at all means that it never holds.
 * `undefined`: nothing must be found, the condition has to be asked for every record.
 */
export const triggersOf = (plan: FilterPlan): ReadonlyArray<Trigger> | undefined => {
  switch (plan.tag) {
    case "test": {
      const { field, test } = plan
      if (test.tag === "text")
        return test.values.filter((text) => text !== "").map((text) => ({ field, text, place: placeOf[test.how] }))
      if (test.tag !== "pattern") return undefined
      const prefix = fold(/^[\x20-\x7e]*/u.exec(test.pattern.literalPrefix)![0].slice(0, -1))
      const literals = requiredLiterals(test.source) ?? (prefix.length < 2 ? undefined : [prefix])
      return literals?.map((text) => ({ field, text, place: "anywhere" }))
    }
    case "or": {
      const parts = plan.parts.map(triggersOf)
      return parts.every((part) => part !== undefined) ? parts.flat() : undefined
    }
    case "and": {
      let best: ReadonlyArray<Trigger> | undefined
      for (const part of plan.parts.map(triggersOf))
        if (part !== undefined && (best === undefined || worth(part) > worth(best))) best = part
      return best
    }
    default:
      return undefined
  }
}
