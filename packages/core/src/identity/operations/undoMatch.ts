import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleIds, exampleTime } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { Corrections } from "../Corrections.ts"
import { MatchRecord, matched, refOf } from "./CorrectionRecord.ts"
import { matchExample } from "./Examples.ts"

export const undoMatch = operation({
  noun: "corrections",
  id: "undoMatch",
  post: "/v1/banks/:bank_id/accounts/:account_id/matches/:match_id/undo",
  summary: "Part two transactions that were matched, for good",
  description: "Parts two transactions that were taken for one. No later sync joins them again.",
  access: { anyOf: ["banks:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "accounts matches undo",
  tool: { absent: "A person decides which transactions are the same." },
  success: record(MatchRecord),
  example: {
    data: {
      ...matchExample,
      state: "undone",
      separateId: exampleIds.otherTransaction,
      decidedBy: { kind: "api", clientId: exampleIds.key },
      decidedAt: exampleTime
    }
  },
  audits: audits(Corrections, "undo"),
  run: ({ caller, ids }) =>
    Corrections.use((corrections) => Effect.map(corrections.undo(caller, refOf(ids), ids.match), matched))
})
