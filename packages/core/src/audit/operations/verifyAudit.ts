import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Audit, type ChainPlace } from "../Audit.ts"

/** Number and hash of an entry that an earlier check returned. */
const KnownPlace = Schema.String.check(Schema.isPattern(/^[1-9][0-9]{0,14}:[0-9a-f]{64}$/))

const AuditCheckRecord = Schema.Struct({
  intact: Schema.Boolean,
  /** Entries that were checked. */
  entries: Schema.optionalKey(Schema.Int),
  /** The newest entry: absent where there is none, or where the chain is damaged. */
  newest: Schema.optionalKey(Schema.Struct({ number: Schema.Int, hash: Schema.String })),
  /** The first entry that is not what was written. */
  damage: Schema.optionalKey(Schema.Struct({ number: Schema.Int, fault: Schema.Literals(["changed", "missing"]) }))
}).annotate({ identifier: "AuditCheck" })

const placeOf = (known: string | undefined): ChainPlace | undefined => {
  if (known === undefined) return undefined
  const [number = "", hash = ""] = known.split(":")
  return { number: Number(number), hash }
}

const auditCheckExample = { intact: true, entries: 128, newest: { number: 128, hash: "a3".repeat(32) } }

export const verifyAudit = operation({
  noun: "audit",
  id: "verifyAudit",
  get: "/v1/workspaces/:workspace_id/audit/verify",
  summary: "Check that no entry of the audit was changed or removed",
  description:
    "Checks that no entry of the audit was changed, removed, added in between or moved. Keep `newest` elsewhere: a later " +
    "check with it in `known` checks what follows it, and also finds an audit that was rewritten as a whole.",
  access: { anyOf: ["workspaces:read"], role: "admin", app: "none" },
  repeats: "read",
  command: "audit verify",
  tool: { absent: "The audit watches over everyone who acts, tools included: a person checks it." },
  query: {
    known: Schema.optionalKey(
      KnownPlace.annotate({
        description:
          "`newest` of an earlier check, as `<number>:<hash>`: only what follows it is checked, against that hash."
      })
    )
  },
  success: record(AuditCheckRecord),
  example: { data: auditCheckExample },
  run: ({ caller, ids, query }) =>
    Audit.use((audit) =>
      Effect.map(audit.check(caller, ids.workspace, placeOf(query.known)), (found) =>
        found.intact
          ? {
              intact: true,
              entries: found.entries,
              ...(found.newest.number === 0 ? {} : { newest: found.newest })
            }
          : { intact: false, damage: { number: found.number, fault: found.fault } }
      )
    )
})
