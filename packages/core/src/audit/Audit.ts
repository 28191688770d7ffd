/** Writing and checking the audit (decisions 4.4). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Digest } from "../shared/Digest.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { AuditContent, actorIdOf, chainHash, chainStart, type AuditEntry } from "./AuditEntry.ts"
import { AuditStore, type AuditRow, type ChainedRow } from "./AuditStore.ts"

const toText = Schema.encodeSync(Schema.fromJsonString(AuditContent))
const fromText = Schema.decodeUnknownOption(Schema.fromJsonString(AuditContent))

/** The entry as it is stored. */
export const rowOf = (workspaceId: WorkspaceId, content: AuditContent): AuditRow => ({
  id: content.id,
  workspaceId,
  at: content.at,
  actorId: actorIdOf(content.actor),
  operationId: content.operationId,
  ...(content.resource === undefined ? {} : { resourceId: content.resource.id }),
  outcome: content.outcome,
  content: toText(content)
})

/** The entry that was stored; dies where its text is none. */
export const entryOf = ({ content, hash }: ChainedRow): AuditEntry => ({
  ...Schema.decodeUnknownSync(Schema.fromJsonString(AuditContent))(content),
  hash
})

/** What was found out about a chain. */
export type Verified =
  | {
      readonly intact: true
      readonly entries: number
      /** To be kept elsewhere: a later check from here finds a chain that was made anew. */
      readonly newest: { readonly number: number; readonly hash: string }
    }
  | {
      readonly intact: false
      /** The first entry that is not what was written. */
      readonly number: number
      readonly fault: "changed" | "missing"
    }

/** Entries read in one go. */
const batch = 500

/** Searches go by columns beside the text: they must say the same. */
const isFaithful = (row: ChainedRow): boolean => {
  const content = fromText(row.content)
  if (content._tag === "None") return false
  const { content: text, ...columns } = rowOf(row.workspaceId, content.value)
  return (
    text === row.content &&
    Object.entries(columns).every(([key, value]) => row[key as keyof AuditRow] === value) &&
    row.resourceId === columns.resourceId
  )
}

const broken = (number: number, fault: "changed" | "missing"): Verified => ({ intact: false, number, fault })

export class Audit extends Context.Service<
  Audit,
  {
    /**
     * Whether the chain is what was written: no entry changed, removed, put in between or moved. `known` is an entry that
     * an earlier check returned: what comes after it is checked, against it.
     */
    readonly verify: (
      workspaceId: WorkspaceId,
      known?: { readonly number: number; readonly hash: string }
    ) => Effect.Effect<Verified, StorageUnavailable>
  }
>()("@millrace/core/audit/Audit") {
  static readonly layer: Layer.Layer<Audit, never, AuditStore | Digest> = Layer.effect(
    Audit,
    Effect.gen(function* () {
      const store = yield* AuditStore
      const { sha256 } = yield* Digest

      const verify: Audit["Service"]["verify"] = Effect.fn("Audit.verify")(function* (workspaceId, known) {
        const { forgotten, newest } = yield* store.ends(workspaceId)
        const start = known !== undefined && known.number >= forgotten.number ? known : forgotten
        let { hash, number } = start
        if (number === 0) hash = chainStart
        if (newest.number < number) return broken(newest.number + 1, "missing")
        let entries = 0
        while (number < newest.number) {
          const rows = yield* store.chain(workspaceId, number, batch)
          for (const row of rows) {
            if (row.number > newest.number) break
            if (row.number !== number + 1) return broken(number + 1, "missing")
            hash = chainHash(sha256, hash, row.content)
            if (row.hash !== hash || !isFaithful(row)) return broken(row.number, "changed")
            number = row.number
            entries++
          }
          if (rows.length === 0) return broken(number + 1, "missing")
        }
        if (hash !== newest.hash) return broken(number, "changed")
        return { intact: true, entries, newest: { number, hash } }
      })

      return Audit.of({ verify })
    })
  )
}
