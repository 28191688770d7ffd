import { spawnSync } from "node:child_process"
import { bind } from "../../src/filter/Bind.ts"
import { compile } from "../../src/filter/Compile.ts"
import type { FilterField, FilterFields, RowValues } from "../../src/filter/FilterField.ts"
import { generate } from "../../src/filter/Generated.ts"
import { byCost } from "../../src/filter/Order.ts"
import type { FilterNode } from "../../src/filter/FilterNode.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import * as Result from "effect/Result"
import { afterEach, describe, expect, it, vi } from "vitest"

const hostile = [
  "'; process.exit(1); //",
  '" + globalThis.hacked + "',
  "`${globalThis.hacked = 1}`",
  "\\u0027",
  "\u2028alert(1)",
  "c[0]",
  "k1",
  "*/ throw 1 /*",
  "__proto__",
  "constructor"
]
const fields: FilterFields = new Map<string, FilterField>([
  ["title", { type: "text" }],
  ["amount", { type: "number" }],
  // Keys of fields cannot look like this; a store that let one through must not make code of it.
  ...hostile.map((key) => [key, { type: "text" }] as const)
])
const plan = (node: FilterNode) =>
  Result.getOrThrow(
    bind(node, fields, { now: Timestamp.make("2026-03-14T12:00:00.000Z"), zone: "UTC", patterns: provenPatterns })
  )

afterEach(() => {
  vi.restoreAllMocks()
})

describe("generated code", () => {
  it("holds no value of a filter and no key that is not a plain name", () => {
    const sources: Array<string> = []
    const original = globalThis.Function
    vi.spyOn(globalThis, "Function").mockImplementation(function (...parts: ReadonlyArray<string>) {
      sources.push(parts.at(-1)!)
      return Reflect.construct(original, parts)
    } as unknown as typeof Function)
    for (const value of hostile) {
      const conditions: ReadonlyArray<FilterNode> = [
        { field: "title", op: "eq", value },
        { field: "title", op: "contains", value },
        { field: "title", op: "in", value: [value, "x"] },
        { field: "title", op: "gt", value },
        { field: value, op: "starts-with", value }
      ]
      for (const condition of conditions) {
        const holds = generate(plan(condition), byCost)!
        const row: RowValues = { title: value, [value]: value }
        expect(holds(row)).toBe("op" in condition && condition.op !== "gt")
      }
    }
    expect(sources).toHaveLength(hostile.length * 5)
    for (const source of sources)
      expect(source.replaceAll(/row\.(title|constructor)\b/g, "")).not.toMatch(
        /process|hacked|alert|throw|__proto__|u0027/
      )
    expect((globalThis as { hacked?: unknown }).hacked).toBeUndefined()
  })

  it("takes nothing that rows inherit for a value", () => {
    const inherited = plan({ field: "constructor", op: "is-null" })
    expect(generate(inherited, byCost)!({})).toBe(true)
    expect(compile(inherited, "closures")({})).toBe(true)
  })

  it("gives way to closures where the host forbids code from text", () => {
    const script = `
      import { bind } from "../../src/filter/Bind.ts"
      import { compile } from "../../src/filter/Compile.ts"
      import { generate } from "../../src/filter/Generated.ts"
      import { byCost } from "../../src/filter/Order.ts"
      const node = { field: "amount", op: "gt", value: "5" }
      const plan = bind(node, new Map([["amount", { type: "number" }]]), { now: "2026-03-14T12:00:00.000Z", zone: "UTC" }).success
      const holds = compile(plan)
      let passed = 0
      for (let n = 0; n < 50000; n++) if (holds({ amount: String(n % 10) })) passed++
      console.log(generate(plan, byCost) === undefined, passed)`
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--disallow-code-generation-from-strings", "--input-type=module", "-e", script],
      { cwd: import.meta.dirname, encoding: "utf8" }
    )
    expect([stdout.trim(), stderr]).toEqual(["true 20000", ""])
  })
})

describe("compile", () => {
  it("answers the same before and after it knows which clauses decide", () => {
    const holds = compile(
      plan({
        logic: "and",
        conditions: [
          { field: "title", op: "contains", value: "a" },
          {
            logic: "or",
            conditions: [
              { field: "amount", op: "gt", value: 3 },
              { field: "title", op: "is-null" }
            ]
          }
        ]
      })
    )
    for (let n = 0; n < 40_000; n++) {
      const row = { title: n % 3 === 0 ? "A" : "b", amount: String(n % 7) }
      if (holds(row) !== (n % 3 === 0 && n % 7 > 3)) expect([n, row]).toBe(false)
    }
  })
})
