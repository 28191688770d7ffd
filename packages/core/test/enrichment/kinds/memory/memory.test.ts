import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Fields } from "../../../../src/record/FieldValue.ts"
import { catalogOf } from "../../../../src/record/FieldCatalog.ts"
import { makeMemory, withPatterns } from "../../../../src/enrichment/kinds/memory/memory.ts"
import { findingOf, patternFeedback, ruleOf } from "../../../../src/enrichment/kinds/memory/PatternFinding.ts"
import { makeRule } from "../../../../src/enrichment/kinds/rule.ts"
import { provenPatterns } from "../../../../src/pattern/Pattern.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import { acts, configOf, idOf, learn, scope, today } from "./Acts.ts"
import * as Effect from "effect/Effect"
import { RunWork } from "../../../../src/enrichment/RunWork.ts"

const memory = makeMemory({
  memory: { list: () => Effect.succeed([]), keep: () => Effect.void, idOf, versionOf: () => "" }
})
const catalog = catalogOf("transactions")
const card = { merchantName: "HARBOUR MARKET 0042", amount: "-9", accountId: "card" }

const filled = (patterns: ReturnType<typeof learn>, fields: Fields) => {
  const prepared = withPatterns(memory.prepare(configOf(), catalog), patterns)
  return memory.plan(prepared, { recordId: "r", fields }, { today, work: new RunWork() }).claims
}

describe("memory", () => {
  it("fills what people would, with what it follows from", () => {
    const patterns = learn(acts(3, "Groceries"))
    const [claim, ...others] = filled(patterns, card)
    expect(others).toEqual([])
    expect(claim).toMatchObject({ field: "category", value: "Groceries", path: patterns[0]!.id })
    expect(memory.explain(configOf(), claim!)).toBe(
      'People chose "Groceries" 3 of 3 times for "harbour market" (at least 64.1 % sure): category is "Groceries"'
    )
    expect(filled(patterns, { ...card, merchantName: "Tram Tours" })).toEqual([])
    expect(filled(patterns, { ...card, merchantName: null, description: "HARBOUR MARKET 0042" })).toHaveLength(1)
  })

  it("fills where the condition is met and nowhere else", () => {
    const patterns = learn([...acts(6, "Groceries"), ...acts(1, "Gifts", { accountId: "savings" }, 9)])
    expect(filled(patterns, card)).toHaveLength(1)
    expect(filled(patterns, { ...card, accountId: "savings" })).toEqual([])
  })

  it("fills nothing with what is proposed, suspended or over", () => {
    for (const status of ["proposed", "suspended", "retired"] as const) {
      const patterns = learn(acts(3, "Groceries")).map((pattern) => ({ ...pattern, status }))
      expect(filled(patterns, card)).toEqual([])
    }
  })

  it("is shown as findings, and does what people decide about them", () => {
    const [pattern] = learn(acts(3, "Groceries"))
    const [finding] = findingOf(pattern!, [["merchantName", "Harbour Market"]])
    expect(finding).toMatchObject({ key: pattern!.id, kind: "memory_pattern" })
    expect(finding!.title).toBe('category of "harbour market" is Groceries')
    const { enrichmentId } = scope
    const said = (status: "open" | "confirmed" | "dismissed" | "resolved") =>
      patternFeedback(scope.enrichmentId, finding!, status)
    expect(said("open")).toEqual([])
    expect(said("confirmed")).toEqual([{ kind: "accept", enrichmentId, otherId: pattern!.id }])
    expect(said("dismissed")).toEqual([
      { kind: "block", enrichmentId, field: "category", value: "Groceries", otherId: "harbour market" }
    ])
    expect(said("resolved")).toEqual([{ kind: "note", enrichmentId, otherId: pattern!.id }])
  })

  it("can be made a rule that does the same", () => {
    const rule = makeRule({ patterns: provenPatterns })
    const edits = [
      [...acts(3, "Groceries")],
      [...acts(6, "Groceries"), ...acts(1, "Gifts", { accountId: "savings" }, 9)],
      [...acts(4, "Groceries"), ...acts(4, "Refunds", { amount: "30" }, 4)],
      [...acts(4, "Groceries"), ...acts(4, "Rent", { amount: "-900" }, 4)]
    ]
    const records = ["-900", "-12.4", "12.4", "900"].flatMap((amount) =>
      ["card", "savings"].map((accountId) => ({ ...card, amount, accountId }))
    )
    for (const pattern of edits.flatMap((some) => learn(some))) {
      const config = Result.getOrThrow(decode(rule.Config, ruleOf(pattern, [["merchantName", "Harbour Market"]])))
      expect(rule.check(config, catalog).errors).toEqual([])
      const prepared = rule.prepare(config, catalog)
      for (const fields of records) {
        const byRule = rule
          .plan(prepared, { recordId: "r", fields }, { today, work: new RunWork() })
          .claims.map(({ value }) => value)
        expect(byRule).toEqual(filled([pattern], fields).map(({ value }) => value))
      }
    }
  })
})
