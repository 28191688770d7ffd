/** Rules of the kinds that people write, in a form that every contender translates into its own. */
import { customary, merchant } from "../merchants.ts"

/** Text is compared without regard to case, patterns with. No rule reads what another one writes. */
type Asked =
  | { readonly how: "contains" | "equals"; readonly text: string }
  | { readonly how: "matches"; readonly pattern: string }
  /** And the amount is below that. */
  | { readonly how: "containsAndSpends"; readonly text: string; readonly below: number }

type Done =
  | { readonly how: "set"; readonly field: "category"; readonly value: string }
  /** This text, and the description behind it. */
  | { readonly how: "template"; readonly field: "notes"; readonly before: string }

export interface TextRule {
  readonly asked: Asked
  readonly done: Done
}

/** Rules up to this one are about merchants that occur, the others about such that do not. */
const useful = 500

const asked = (n: number): Asked => {
  const at = n < useful ? n : customary + n
  const text = merchant(at).toLowerCase()
  switch (n % 20) {
    case 4:
    case 14:
      return { how: "matches", pattern: `^POS ${merchant(at)} .*[0-9]{4}$` }
    case 3:
    case 8:
    case 13:
    case 18:
      // About the merchant of the rule before, so that there are rows that both concern.
      return { how: "equals", text: merchant(at - 1).toLowerCase() }
    case 19:
      return { how: "containsAndSpends", text, below: -50 }
    default:
      return { how: "contains", text }
  }
}

/** 65 % contains, 20 % equals, 10 % patterns, 5 % amount and text. More than 500 rules find no more than 500 do. */
export const textRules = (count: number): ReadonlyArray<TextRule> =>
  Array.from({ length: count }, (_, n) => ({
    asked: asked(n),
    done:
      n % 3 === 0
        ? { how: "template", field: "notes", before: `Rule ${n}: ` }
        : { how: "set", field: "category", value: `Category ${n % 40}` }
  }))
