/** The worst that a caller may configure: of each kind as much as its limits allow, on texts that cost as much as texts can. */
import { limits } from "@millrace/core"
import type { Seeded } from "@millrace/testing/model"

export type Config = { readonly [key: string]: unknown }

const destinations = [{ type: "email", recipients: ["owner@example.com"] }]

/** Linear, and as many steps a character as the kernel allows. */
const pattern = (random: Seeded, n: number): string =>
  random.pick([`(?:[ab]|[cd]|[ef]){1,2}${n}z`, `[a-f ]{1,20}${n}z`, `^[a-f ]*${n}z`])

const matching = (random: Seeded, count: number) => ({
  logic: random.pick(["and", "or"]),
  conditions: Array.from({ length: count }, (_, n) => ({
    field: "description",
    operator: random.pick(["matches", "contains", "notContains"]),
    value: random.once(3) ? `${"ab".repeat(20)}${n}` : pattern(random, n)
  })).map((one) => (one.operator === "matches" ? one : { ...one, value: `abcdef ${one.value.length}` }))
})

const anything = { logic: "and", conditions: [{ field: "description", operator: "isNotEmpty" }] }

/** 50 templates that would render more than a megabyte each, and one that rewrites what they are rendered from. */
export const templates: Config = {
  rules: Array.from({ length: 50 }, (_, n) => ({
    id: `t${n}`,
    conditions: anything,
    actions: [
      { kind: "template", field: `made${n}`, template: "{{description}}".repeat(133) },
      ...(n === 0 ? [{ kind: "template", field: "description", template: "{{description}}{{description}}" }] : [])
    ]
  }))
}

/** 400 patterns, each linear. */
export const extracts = (random: Seeded): Config => ({
  rules: Array.from({ length: 400 }, (_, n) => ({
    id: `r${n}`,
    conditions: anything,
    action: { kind: "regexExtract", field: `f${n % 90}`, source: "description", pattern: pattern(random, n), group: 0 }
  }))
})

/** As many keys as there may be, each inside of the next. */
export const lookup: Config = {
  mode: "auto",
  source: {
    kind: "inline",
    entries: Array.from({ length: limits.lookupEntries }, (_, n) => ({
      match: n < 180 ? "abcdef ".repeat(40).slice(n % 7, 8 + n) : `abcdef abcdef ${n}`,
      set: { reference: `T${n}` }
    }))
  }
}

/** A configuration of the kind that is as large as this seed makes it. */
export const worst = (type: string, random: Seeded): Config => {
  switch (type) {
    case "rule":
      return random.pick([templates, extracts(random)])
    case "lookup":
      return lookup
    case "filter":
      return { conditions: matching(random, 250), onDropAfterDelivery: "remove" }
    case "split":
      return {
        rules: [
          {
            conditions: matching(random, 250),
            lines: [
              ...Array.from({ length: limits.recordLines - 1 }, (_, n) => ({
                key: `l${n}`,
                method: "percent",
                value: "1",
                set: { category: `C${n}` }
              })),
              { key: "rest", method: "remainder" }
            ]
          }
        ]
      }
    case "alert":
      return { conditions: matching(random, 250), destinations }
    case "budget":
      return {
        currency: "USD",
        lines: Array.from({ length: 40 }, (_, n) => ({
          key: `l${n}`,
          name: `L${n}`,
          match: matching(random, 40),
          amount: "10"
        }))
      }
    case "monitor":
      return {
        checks: Array.from({ length: 10 }, (_, n) => ({
          kind: "aggregate",
          key: `c${n}`,
          conditions: matching(random, 100),
          measure: "count",
          windowDays: 30,
          op: "gt",
          threshold: "3"
        })),
        destinations
      }
    case "ai_merchant":
    case "ai_categorize":
      return {}
    case "memory":
      return { minSupport: 3 }
    case "digest":
      return { cadence: "daily", destinations }
    case "transfer_match":
      return { setCategory: "Transfer" }
    case "fees":
      return { setCategory: "Fees" }
    default:
      return {}
  }
}

/** Text that the patterns above go through without end. */
export const longText = (length: number): string => "abcdef ".repeat(Math.ceil(length / 7)).slice(0, length)
