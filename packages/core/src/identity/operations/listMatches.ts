import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { Text, paging } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { Corrections } from "../Corrections.ts"
import { matchStates } from "../LoggedMatch.ts"
import { MatchRecord, matchToWire, refOf } from "./CorrectionRecord.ts"
import { matchExample } from "./Examples.ts"

export const listMatches = operation({
  noun: "corrections",
  id: "listMatches",
  get: "/v1/banks/:bank_id/accounts/:account_id/matches",
  summary: "List the matches of transactions that can be undone, newest first",
  description:
    "Lists which observations were taken for transactions that were there already, with the evidence, newest first. " +
    "Each of them can be undone.",
  access: { anyOf: ["banks:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "accounts matches list",
  tool: { absent: "A person decides which transactions are the same." },
  query: {
    recordId: Schema.optionalKey(Text),
    state: Schema.optionalKey(
      Schema.Literals(matchStates).annotate({
        description: "`made`: those that hold; `undone`: those that were taken back."
      })
    ),
    ...paging
  },
  success: list(MatchRecord),
  errors: ["Conflict"],
  example: { data: matchExample },
  run: ({ caller, ids, query }) =>
    Corrections.use((corrections) =>
      Effect.map(corrections.matches(caller, refOf(ids), query), (page) => ({
        ...page,
        rows: page.rows.map(matchToWire)
      }))
    )
})
