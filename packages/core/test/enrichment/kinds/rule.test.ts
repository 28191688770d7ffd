import { decode } from "../../../src/shared/StrictDecoding.ts"
import { makeRule, RuleConfig, ruleId } from "../../../src/enrichment/kinds/rule.ts"
import { catalogOf } from "../../../src/record/FieldCatalog.ts"
import type { Fields } from "../../../src/record/FieldValue.ts"
import { provenPatterns } from "../../../src/pattern/Pattern.ts"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { RunWork } from "../../../src/enrichment/RunWork.ts"

const rule = makeRule({ patterns: provenPatterns })
const catalog = catalogOf("transactions")
const context = { today: CalendarDate.make("2026-05-31"), work: new RunWork() }
const leaf = (field: string, operator: string, value?: string | number) => ({
  field,
  operator,
  ...(value === undefined ? {} : { value })
})
const all = (...conditions: ReadonlyArray<unknown>) => ({ logic: "and", conditions })
const tram = {
  conditions: all(leaf("description", "contains", "tram")),
  action: { field: "category", value: "Transport" }
}

const make = (config: unknown) => Result.getOrThrow(decode(RuleConfig, config))
const plan = (config: unknown, fields: Fields) => {
  const decoded = make(config)
  return rule.plan(rule.prepare(decoded, catalog), { recordId: "txn", fields }, context)
}
const faults = (config: unknown): ReadonlyArray<string> => {
  const decoded = decode(RuleConfig, config)
  return (Result.isFailure(decoded) ? decoded.failure : rule.check(decoded.success, catalog).errors).map(
    ({ field }) => field
  )
}

describe("running", () => {
  const travel = {
    id: "b",
    conditions: all(leaf("category", "equals", "Transport"), leaf("amount", "lt", -50)),
    action: { field: "category", value: "Travel" }
  }
  const tours: Fields = { description: "TRAM TOURS", amount: "-61.2", category: "" }

  it("shows later rules what earlier ones wrote, and keeps every writer's claim in order", () => {
    expect(plan({ rules: [{ ...tram, id: "a" }, travel] }, tours).claims).toEqual([
      { field: "category", value: "Transport", path: "a" },
      { field: "category", value: "Travel", path: "b" }
    ])
  })

  it("stops after the first match when asked to", () => {
    expect(plan({ mode: "first", rules: [{ ...tram, id: "a" }, travel] }, tours).claims).toHaveLength(1)
  })

  it("judges a rule that writes the field it reads on the value from before", () => {
    const flip = { id: "f", conditions: all(leaf("category", "isEmpty")), action: { field: "category", value: "x" } }
    expect(plan({ rules: [flip, { ...flip, id: "g" }] }, tours).claims).toHaveLength(1)
  })

  it("claims a value that is there already", () => {
    expect(plan({ rules: [tram] }, { description: "tram", category: "Transport" }).claims).toHaveLength(1)
  })

  it("leaves out disabled rules", () => {
    expect(
      plan(
        {
          rules: [
            { ...tram, enabled: false },
            { ...travel, enabled: true }
          ]
        },
        tours
      )
    ).toEqual({ claims: [] })
  })

  it("runs the actions of a rule one on the result of the other", () => {
    const actions = [
      { kind: "template", field: "description", template: "{{description}} by night" },
      { kind: "case", field: "merchantName", mode: "title", source: "description" }
    ]
    expect(
      plan({ rules: [{ id: "a", conditions: tram.conditions, actions }] }, tours).claims.map(({ value }) => value)
    ).toEqual(["TRAM TOURS by night", "Tram Tours By Night"])
  })

  it("says that it matched, and counts actions without a result", () => {
    const outcome = plan(
      { rules: [{ ...tram, action: { kind: "math", field: "score", source: "description", op: "abs" } }] },
      tours
    )
    expect(outcome).toEqual({ claims: [], matched: true, skipped: 1 })
  })

  it("gives the same twice, and nothing of one record to the next", () => {
    const prepared = rule.prepare(make({ rules: [{ ...tram, id: "a" }, travel] }), catalog)
    const one = { recordId: "1", fields: tours }
    const two = { recordId: "2", fields: { description: "bus", category: "Transport", amount: "-51" } }
    const [first, other, again] = [one, two, one].map((view) => rule.plan(prepared, view, context))
    expect(again).toEqual(first)
    expect(other!.claims.map(({ value }) => value)).toEqual(["Travel"])
  })
})

describe("settings", () => {
  const good = { rules: [tram] }

  it("fills in defaults and gives rules without id a stable one", () => {
    const config = make(good)
    expect(config).toMatchObject({ phase: "main", mode: "all", rules: [{ enabled: true, actions: [tram.action] }] })
    expect(ruleId(config.rules[0], 0)).toBe(ruleId(make(good).rules[0], 0))
    expect(ruleId(config.rules[0], 0)).not.toBe(ruleId(config.rules[0], 1))
  })

  it("answers with action, with actions where there are several, and takes its own answers", () => {
    const several = { rules: [{ conditions: tram.conditions, actions: [tram.action, { field: "type", value: "x" }] }] }
    for (const config of [good, several]) {
      const encoded = Schema.encodeUnknownSync(RuleConfig)(make(config))
      expect(encoded.rules[0]!.action).toEqual(tram.action)
      expect(make(encoded)).toEqual(make(config))
    }
  })

  const rules = (change: object) => ({ rules: [tram, { ...tram, ...change }] })
  const deep = (depth: number): object => (depth === 0 ? leaf("type", "eq", "x") : all(deep(depth - 1)))
  it.each<[string, unknown, string]>([
    ["an unknown key", { ...good, extra: 1 }, "extra"],
    ["an unknown phase", { ...good, phase: "late" }, "phase"],
    ["an unknown mode", { ...good, mode: "some" }, "mode"],
    ["no rules", { rules: [] }, "rules"],
    ["501 rules", { rules: Array.from({ length: 501 }, () => tram) }, "rules"],
    ["an unknown key of a rule", rules({ when: 1 }), "rules[1].when"],
    ["a long name", rules({ name: "x".repeat(201) }), "rules[1].name"],
    ["neither action nor actions", rules({ action: undefined }), "rules[1]"],
    ["action and actions that differ", rules({ actions: [{ field: "type", value: "x" }] }), "rules[1]"],
    ["no conditions", rules({ conditions: all() }), "rules[1].conditions.conditions"],
    [
      "other logic",
      rules({ conditions: { logic: "not", conditions: [leaf("type", "eq", "x")] } }),
      "rules[1].conditions.logic"
    ],
    [
      "an unknown operator",
      rules({ conditions: all(leaf("type", "eq", "x"), leaf("type", "like", "x")) }),
      "rules[1].conditions.conditions[1].operator"
    ],
    [
      "an unknown operator in a nested group",
      rules({ conditions: all(all(leaf("type", "like", "x"))) }),
      "rules[1].conditions.conditions[0].conditions[0].operator"
    ],
    [
      "an unknown key of a leaf",
      rules({ conditions: all({ ...leaf("type", "eq", "x"), not: true }) }),
      "rules[1].conditions.conditions[0].not"
    ],
    [
      "a truth value",
      rules({ conditions: all({ field: "type", operator: "eq", value: true }) }),
      "rules[1].conditions.conditions[0].value"
    ],
    ["an empty field name", rules({ conditions: all(leaf("", "eq", "x")) }), "rules[1].conditions.conditions[0].field"],
    [
      "257 conditions",
      rules({ conditions: all(...Array.from({ length: 257 }, () => leaf("type", "eq", "x"))) }),
      "rules[1].conditions"
    ],
    ["nine levels", rules({ conditions: deep(9) }), "rules[1].conditions"],
    [
      "a wrong decimal",
      rules({ conditions: all(leaf("amount", "gt", "much")) }),
      "rules[1].conditions.conditions[0].value"
    ],
    [
      "an unknown kind of action",
      rules({ action: { kind: "delete", field: "type", value: "x" } }),
      "rules[1].action.kind"
    ],
    ["a missing value", rules({ action: { field: "type" } }), "rules[1].action.value"],
    ["an unknown key of an action", rules({ action: { field: "type", value: "x", if: 1 } }), "rules[1].action.if"],
    [
      "a group above 9",
      rules({ action: { kind: "regexExtract", field: "type", source: "type", pattern: "(a)", group: 10 } }),
      "rules[1].action.group"
    ],
    [
      "a bad pattern",
      rules({ action: { kind: "regexExtract", field: "type", source: "type", pattern: "(a" } }),
      "rules[1].action.pattern"
    ],
    [
      "a long template",
      rules({ action: { kind: "template", field: "type", template: "x".repeat(2_001) } }),
      "rules[1].action.template"
    ],
    [
      "a field that no custom field may be called",
      rules({ action: { field: "my field!", value: 1 } }),
      "rules[1].action.field"
    ],
    ["a field nobody may write", rules({ action: { field: "currency", value: "EUR" } }), "rules[1].action.field"],
    [
      "merchantName in phase post",
      { phase: "post", rules: [{ ...tram, action: { field: "merchantName", value: "x" } }] },
      "rules[0].action.field"
    ],
    [
      "two rules of one id",
      {
        rules: [
          { ...tram, id: "a" },
          { ...tram, id: "a" }
        ]
      },
      "rules[1].id"
    ]
  ])("refuses %s", (_, config, path) => {
    const given = JSON.parse(JSON.stringify(config)) as unknown
    const found = faults(given)
    expect(found).toContain(path)
  })

  it("takes 256 conditions and eight levels", () => {
    expect(faults(rules({ conditions: all(...Array.from({ length: 256 }, () => leaf("type", "eq", "x"))) }))).toEqual(
      []
    )
    expect(faults(rules({ conditions: deep(8) }))).toEqual([])
  })

  it("reports every fault at once", () => {
    expect(
      faults({ phase: "x", rules: [{ conditions: all(leaf("type", "like", "x")), action: { field: "type" } }] })
    ).toEqual(["phase", "rules[0].conditions.conditions[0].operator", "rules[0].action.value"])
  })

  it("declares custom fields as numbers where only numbers are written, as text otherwise", () => {
    const config = make({
      rules: [
        {
          conditions: tram.conditions,
          actions: [
            { field: "score", value: 1 },
            { field: "mixed", value: 1 }
          ]
        },
        {
          conditions: tram.conditions,
          actions: [
            { kind: "math", field: "score", source: "amount", op: "abs" },
            { field: "mixed", value: "x" }
          ]
        }
      ]
    })
    expect([...rule.declares(config, catalog)]).toEqual([
      ["score", "num"],
      ["mixed", "str"]
    ])
  })

  it("points at a rule that cannot run behind the same conditions", () => {
    const { lints } = rule.check(make({ mode: "first", rules: [tram, tram] }), catalog)
    expect(lints).toEqual([
      { field: "rules[1]", message: "never runs: rules[0] has the same conditions and comes first" }
    ])
  })

  it("explains a claim by the name or place of its rule", () => {
    const config = make({
      rules: [
        { ...tram, id: "a", name: "Trams" },
        { ...tram, id: "b" }
      ]
    })
    expect(rule.explain(config, { field: "category", value: "Transport", path: "a" })).toBe(
      'Rule "Trams" set category to "Transport"'
    )
    expect(rule.explain(config, { field: "category", value: null, path: "b" })).toBe("Rule 2 cleared category")
  })
})
