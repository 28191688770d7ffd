import * as Effect from "effect/Effect"
import { Audit } from "@millrace/core/audit"
import { many } from "../api/Envelope.ts"
import { serve } from "./Serve.ts"

export const layer = serve(
  "audit",
  Effect.gen(function* () {
    const audit = yield* Audit
    return {
      listAuditEntries: ({ caller, ids, query, self }) =>
        Effect.map(audit.list(caller, ids.workspace, query), (page) => many(self, page.rows, page))
    }
  })
)
