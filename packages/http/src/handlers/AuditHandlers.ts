import * as Effect from "effect/Effect"
import { Audit, type ChainPlace } from "@millrace/core/audit"
import { many, one } from "../api/Envelope.ts"
import { serve } from "./Serve.ts"

const placeOf = (known: string | undefined): ChainPlace | undefined => {
  if (known === undefined) return undefined
  const [number = "", hash = ""] = known.split(":")
  return { number: Number(number), hash }
}

export const layer = serve(
  "audit",
  Effect.gen(function* () {
    const audit = yield* Audit
    return {
      listAuditEntries: ({ caller, ids, query, self }) =>
        Effect.map(audit.list(caller, ids.workspace, query), (page) => many(self, page.rows, page)),
      verifyAudit: ({ caller, ids, query }) =>
        Effect.map(audit.check(caller, ids.workspace, placeOf(query.known)), (found) =>
          one(
            found.intact
              ? {
                  intact: true,
                  entries: found.entries,
                  ...(found.newest.number === 0 ? {} : { newest: found.newest })
                }
              : { intact: false, damage: { number: found.number, fault: found.fault } }
          )
        )
    }
  })
)
