import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Corrections } from "../Corrections.ts"
import { MatchRecord, matched, refOf } from "./CorrectionRecord.ts"
import { matchExample } from "./Examples.ts"

export const redoMatch = operation({
  noun: "corrections",
  id: "redoMatch",
  post: "/v1/banks/:bank_id/accounts/:account_id/matches/:match_id/redo",
  summary: "Take back that a match was undone; returns the match that joins them anew",
  description: "Takes back that a match was undone. Returns the match that joins the two anew.",
  access: { anyOf: ["banks:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "accounts matches redo",
  tool: { absent: "A person decides which transactions are the same." },
  success: record(MatchRecord),
  example: { data: matchExample },
  audits: audits(Corrections, "redo"),
  run: ({ caller, ids }) =>
    Corrections.use((corrections) => Effect.map(corrections.redo(caller, refOf(ids), ids.match), matched))
})
