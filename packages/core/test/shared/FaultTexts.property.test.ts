/** What is said of values with one fault: words, at a place that is there, and never the form of a type. */
import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { RuleConfig } from "../../src/enrichment/kinds/rule.ts"
import { DataTypeOptions, FieldMappings } from "../../src/feed/FeedConfig.ts"
import { decodeBlock } from "../../src/shared/BlockDecoding.ts"
import { decode } from "../../src/shared/StrictDecoding.ts"

let seed = 20_261_128
const next = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below

const valid: ReadonlyArray<readonly [Schema.Codec<unknown, unknown>, unknown]> = [
  [
    RuleConfig as never,
    {
      phase: "main",
      rules: [
        {
          conditions: { logic: "and", conditions: [{ field: "amount", operator: "greater_than", value: 5 }] },
          actions: [
            { field: "category", value: "GIFTS" },
            { kind: "template", field: "note1", template: "{{description}}" },
            { kind: "math", field: "amount", op: "abs" }
          ]
        }
      ]
    }
  ],
  [DataTypeOptions as never, { dataType: "transactions", pendingMode: "sync_all", lookbackDays: 7 }],
  [DataTypeOptions as never, { dataType: "balances", mode: "append" }],
  [FieldMappings as never, [{ sourceField: "amount", destinationField: "Amount" }]]
]

const others: ReadonlyArray<unknown> = [null, true, 5, -1.5, "", "nope", [], {}, [[]], { kind: "nope" }, { a: 1 }]

interface Place {
  readonly holder: Record<string, unknown> | Array<unknown>
  readonly key: string | number
}

const placesOf = (value: unknown): ReadonlyArray<Place> => {
  if (typeof value !== "object" || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((key) => [
    { holder, key: Array.isArray(value) ? Number(key) : key },
    ...placesOf(holder[key])
  ])
}

const isTyped = /\breadonly\b|[<>]|\{ |"[^"]*" \||Expected|\bundefined\b|Missing key/

it("never shows a type, whatever the one fault is", () => {
  let faulty = 0
  for (let round = 0; round < 4_000; round++) {
    const [schema, sample] = valid[round % valid.length]!
    const whole = { body: structuredClone(sample) }
    const places = placesOf(whole)
    const { holder, key } = places[next(places.length)]!
    const way = next(3)
    if (way === 0) Reflect.deleteProperty(holder, key)
    else if (way === 1) Reflect.set(holder, key, structuredClone(others[next(others.length)]))
    else Reflect.set(holder, `${key}x`, 1)
    for (const found of [decode(schema, whole.body), decodeBlock("body", schema as never, whole.body)]) {
      if (Result.isSuccess(found)) continue
      faulty++
      expect(found.failure.length).toBeGreaterThan(0)
      for (const { message } of found.failure) expect(message).not.toMatch(isTyped)
    }
  }
  expect(faulty).toBeGreaterThan(4_000)
})

const faults = (schema: Schema.Codec<unknown, unknown>, value: unknown) => {
  const found = decode(schema, value)
  return Result.isFailure(found) ? found.failure : []
}

it("names the choices of a union, and a list that may not be empty", () => {
  expect(faults(DataTypeOptions as never, { dataType: "nope" })).toEqual([
    {
      field: "",
      message: expect.stringMatching(/^must be an object whose dataType is transactions, balances, /)
    }
  ])
  const empty = { rules: [{ conditions: { logic: "and", conditions: [] }, actions: [] }] }
  expect(faults(RuleConfig as never, empty)).toContainEqual({
    field: "rules[0].actions",
    message: "must not be empty"
  })
})
