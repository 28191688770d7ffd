import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { SyncDataType } from "../../record/DataType.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { Banks } from "../Banks.ts"
import { described } from "./ConnectionRecord.ts"

const RefreshBank = Schema.Struct({
  dataTypes: Schema.optionalKey(
    Schema.Array(SyncDataType).annotate(described("What is to be read anew; none: all that the provider can."))
  )
}).annotate({ identifier: "RefreshBank" })

const RefreshStarted = Schema.Struct({
  status: Schema.Literals(["refreshing", "not_supported"]),
  nextRefreshPossibleAt: Schema.optionalKey(Timestamp.Timestamp)
})

export const refreshBank = operation({
  noun: "banks",
  id: "refreshBank",
  post: "/v1/banks/:bank_id/refresh",
  summary: "Ask the provider to read from the bank now",
  description:
    "Asks the provider to read from the bank now. What it finds is read by the next sync, or by the next request that " +
    "asks for fresh data. `not_supported` where the provider reads by itself.",
  access: { anyOf: ["banks:write"], role: "admin" },
  repeats: "key",
  waits: true,
  command: "banks refresh",
  tool: "refresh_bank",
  hints: { openWorldHint: true },
  body: RefreshBank,
  bodyOptional: true,
  success: record(RefreshStarted, { status: 202 }),
  errors: ["NotAvailable"],
  example: {
    body: { dataTypes: ["transactions"] },
    data: { status: "refreshing", nextRefreshPossibleAt: "2026-03-04T06:06:07.008Z" }
  },
  audits: audits(Banks, "ask"),
  run: ({ caller, ids, body: { dataTypes = [] } }) =>
    Banks.use((banks) => Effect.map(banks.ask(caller, ids.bank, dataTypes), (data) => data))
})
