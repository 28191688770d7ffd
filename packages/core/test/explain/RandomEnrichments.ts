/** Random enrichments of several kinds. */
import type { Seeded } from "@millrace/testing/model"

export const words = ["tea", "rent", "tram", "salary"]
export const targets = ["description", "category", "merchantName", "notes"]

const condition = (random: Seeded) => ({
  logic: random.pick(["and", "or"]),
  conditions: random.list(1, 2, () =>
    random.pick([
      { field: "description", operator: "contains", value: random.pick(words) },
      { field: "amount", operator: "lt", value: String(random.below(9) - 4) },
      { field: "category", operator: random.pick(["isEmpty", "isNotEmpty"]) }
    ])
  )
})

export const someEnrichment = (
  random: Seeded
): readonly [type: string, config: { readonly [key: string]: unknown }] => {
  switch (random.below(5)) {
    case 0:
      return [
        "lookup",
        {
          source: {
            kind: "inline",
            entries: words.map((match) => ({ match, set: { [random.pick(targets)]: `looked ${match}` } }))
          },
          mode: "contains"
        }
      ]
    case 1:
      return ["month_sum", { limit: "1000", field: "amount" }]
    default:
      return [
        "rule",
        {
          phase: random.pick(["pre", "main"]),
          mode: random.pick(["all", "first"]),
          rules: random.list(1, 3, () => ({
            conditions: condition(random),
            action: { field: random.pick(targets), value: random.pick(["", "one", "two"]) }
          }))
        }
      ]
  }
}
