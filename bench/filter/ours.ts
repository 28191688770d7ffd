/** The filters as our compiler makes them, in both of its forms. */
import { bind, compile, type FilterFields } from "@millrace/core/filter"
import { provenPatterns } from "@millrace/core/pattern"
import { Timestamp } from "@millrace/core"
import * as Result from "effect/Result"
import type { Transaction } from "../transactions.ts"
import { selecting } from "./Selected.ts"
import { trees } from "./tree.ts"

const fields: FilterFields = new Map([
  ["type", { type: "text" }],
  ["category", { type: "text" }],
  ["description", { type: "text" }],
  ["amount", { type: "number" }],
  ["date", { type: "date" }],
  ["merchantName", { type: "text" }],
  ["currency", { type: "text" }]
])

const moment = { now: Timestamp.make("2026-03-14T12:00:00.000Z"), zone: "UTC" }
const plans = trees.map((tree) => Result.getOrThrow(bind(tree, fields, { ...moment, patterns: provenPatterns })))

export const generated = selecting<Transaction>(plans.map((plan) => compile(plan, "generated")))

export const closures = selecting<Transaction>(plans.map((plan) => compile(plan, "closures")))
