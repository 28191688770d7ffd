/** Rules of the kinds that people write, most of which match nothing. */
import type * as Schema from "effect/Schema"

const words = ["market", "coffee", "energy", "pharmacy", "airline", "hotel", "stream", "insurance", "fuel", "school"]

const condition = (n: number): Schema.Json => {
  const word = `${words[n % words.length]} ${Math.floor(n / words.length)}`
  switch (n % 20) {
    case 0:
    case 1:
      return { field: "description", operator: "matches", value: `^${word}.*[0-9]{4}$` }
    case 2:
    case 3:
    case 4:
    case 5:
      return { field: "description", operator: "equals", value: word }
    default:
      return { field: "description", operator: "contains", value: word }
  }
}

/** 65 % contains, 20 % equals, 10 % patterns, 5 % amount and text; the first dozen are about what really occurs. */
export const rules = (count: number): ReadonlyArray<Schema.Json> =>
  Array.from({ length: count }, (_, n): Schema.Json => {
    const leaf: Schema.Json =
      n < words.length ? { field: "description", operator: "contains", value: words[n]! } : condition(n)
    return {
      name: `Rule ${n}`,
      conditions: {
        logic: "and",
        conditions: n % 20 === 19 ? [leaf, { field: "amount", operator: "lt", value: "-50" }] : [leaf]
      },
      action:
        n % 2 === 0
          ? { field: "category", value: `Category ${n}` }
          : { kind: "template", field: "notes", template: `Rule ${n}: {{description}}` }
    }
  })
