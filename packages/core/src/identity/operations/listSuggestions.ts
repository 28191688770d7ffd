import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { Text, paging } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { Corrections } from "../Corrections.ts"
import { suggestionStates } from "../LoggedSuggestion.ts"
import { SuggestionRecord, refOf, suggestionToWire } from "./CorrectionRecord.ts"
import { suggestionExample } from "./Examples.ts"

export const listSuggestions = operation({
  noun: "corrections",
  id: "listSuggestions",
  get: "/v1/banks/:bank_id/accounts/:account_id/suggestions",
  summary: "List pairs of transactions that may be one, newest first",
  description: "Lists pairs of transactions that may be one and the same, newest first. Nothing was joined.",
  access: { anyOf: ["banks:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "accounts suggestions list",
  tool: { absent: "A person decides which transactions are the same." },
  query: {
    recordId: Schema.optionalKey(Text),
    state: Schema.optionalKey(Schema.Literals(suggestionStates)),
    ...paging
  },
  success: list(SuggestionRecord),
  errors: ["Conflict"],
  example: { data: suggestionExample },
  run: ({ caller, ids, query }) =>
    Corrections.use((corrections) =>
      Effect.map(corrections.suggestions(caller, refOf(ids), query), (page) => ({
        ...page,
        rows: page.rows.map(suggestionToWire)
      }))
    )
})
