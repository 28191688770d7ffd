/** The filter as our compiler makes it, in both of its forms. */
import { bind } from "@millrace/core/filter/Bind"
import { compile } from "@millrace/core/filter/Compile"
import type { FilterFields } from "@millrace/core/filter/FilterField"
import { provenPatterns } from "@millrace/core/rule/Pattern"
import * as Timestamp from "@millrace/core/shared/Timestamp"
import * as Result from "effect/Result"
import type { Transaction } from "../transactions.ts"
import type { Select } from "./Selected.ts"
import { tree } from "./tree.ts"

const fields: FilterFields = new Map([
  ["type", { type: "text" }],
  ["category", { type: "text" }],
  ["description", { type: "text" }],
  ["amount", { type: "number" }],
  ["date", { type: "date" }],
  ["merchantName", { type: "text" }],
  ["currency", { type: "text" }]
])

const plan = Result.getOrThrow(
  bind(tree, fields, { patterns: provenPatterns, now: Timestamp.make("2026-03-14T12:00:00.000Z"), zone: "UTC" })
)
const inCode = compile(plan, "generated")
const inClosures = compile(plan, "closures")

export const generated: Select<Transaction> = (rows) => {
  const selected: Array<number> = []
  for (let at = 0; at < rows.length; at++) if (inCode(rows[at]!)) selected.push(at)
  return selected
}

export const closures: Select<Transaction> = (rows) => {
  const selected: Array<number> = []
  for (let at = 0; at < rows.length; at++) if (inClosures(rows[at]!)) selected.push(at)
  return selected
}
