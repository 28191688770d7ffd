/** Reading and checking the audit, and what it says of refusals (decisions 4.4 and 5.1). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { reach } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import type { Operation } from "../access/Operation.ts"
import { credentialOf } from "../access/Principal.ts"
import { Cursors } from "../cursor/Cursors.ts"
import type { CursorUnusable, Forbidden, NotFound } from "../failure/Failure.ts"
import { CalendarDate } from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { sizeOf, type Page, type PageRequest } from "../shared/Page.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { AuditContent, actorIdOf, auditOutcomes, chainHash, chainStart, type AuditEntry } from "./AuditEntry.ts"
import { RefusalBudget } from "./RefusalBudget.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { AuditStore, type AuditQuery, type AuditRow, type ChainedRow } from "./AuditStore.ts"

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

/** Which entries are asked for; each that is left out shows all. */
const AuditFilter = Schema.Struct({
  /** First and last day in UTC, both inclusive. */
  from: Schema.optionalKey(CalendarDate),
  to: Schema.optionalKey(CalendarDate),
  /** Id of the person, key, app, automation or feed, or the reason of the system. */
  actor: Schema.optionalKey(Schema.String),
  operationId: Schema.optionalKey(Schema.String),
  resourceId: Schema.optionalKey(Schema.String),
  outcome: Schema.optionalKey(Schema.Literals(auditOutcomes))
})
export type AuditFilter = typeof AuditFilter.Type

const AuditCursor = Schema.Struct({ ...AuditFilter.fields, before: Schema.Int })

const queryOf = ({ actor, from, to, ...same }: AuditFilter): Omit<AuditQuery, "limit"> => ({
  ...same,
  ...(actor === undefined ? {} : { actorId: actor }),
  ...(from === undefined ? {} : { from: Timestamp.make(`${from}T00:00:00.000Z`) }),
  ...(to === undefined ? {} : { to: Timestamp.make(`${to}T23:59:59.999Z`) })
})

/** A place in a chain, to be kept elsewhere: a later check from here finds a chain that was rewritten. */
export interface ChainPlace {
  readonly number: number
  readonly hash: string
}

/** The result of a check of a chain. */
export type Verified =
  | {
      readonly intact: true
      readonly entries: number
      readonly newest: ChainPlace
    }
  | {
      readonly intact: false
      /** The first entry that is not what was written. */
      readonly number: number
      readonly fault: "changed" | "missing"
    }

/** How long a refused caller waits for the entry of it, in milliseconds. */
const longestWrite = 2_000

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
     * Entries of the caller's own workspace, newest first: what is under way has none yet. A cursor carries the filter of
     * its first page. `NotFound` for any other workspace.
     */
    readonly list: (
      caller: Caller,
      workspaceId: WorkspaceId,
      query: PageRequest & AuditFilter
    ) => Effect.Effect<Page<AuditEntry>, NotFound | CursorUnusable | Forbidden | StorageUnavailable>
    /**
     * Leaves an entry of a request that was refused before any use case was reached. Of many it leaves some: one an hour
     * for a credential that asks for the same operation, and 480 a day for a workspace. No matter what happens to the entry, the
     * refusal stands.
     */
    readonly refused: (caller: Caller, operation: Operation) => Effect.Effect<void>
    /**
     * Whether the chain is what was written: no entry changed, removed, put in between or moved. `known` is an entry that
     * an earlier check returned: what comes after it is checked, against it.
     */
    readonly verify: (workspaceId: WorkspaceId, known?: ChainPlace) => Effect.Effect<Verified, StorageUnavailable>
    /** The same for the caller's own workspace; `NotFound` for any other. */
    readonly check: (
      caller: Caller,
      workspaceId: WorkspaceId,
      known?: ChainPlace
    ) => Effect.Effect<Verified, NotFound | Forbidden | StorageUnavailable>
    /**
     * Verifies the chains of all workspaces and writes the newest hash of each to the log, which may be kept elsewhere. Logs an
     * error for each chain that is damaged, and returns their number.
     */
    readonly checkAll: Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/audit/Audit") {
  static readonly layer: Layer.Layer<Audit, never, AuditStore | Cursors | Digest | Ids | WorkspaceStore> = Layer.effect(
    Audit,
    Effect.gen(function* () {
      const store = yield* AuditStore
      const cursors = yield* Cursors
      const ids = yield* Ids
      const workspaces = yield* WorkspaceStore
      const budget = new RefusalBudget()
      const { sha256 } = yield* Digest

      const refused: Audit["Service"]["refused"] = Effect.fn("Audit.refused")(
        function* ({ cause, principal, requestId }, { id: operationId }) {
          const workspaceId = principal.workspace.id
          const credential = { kind: principal.kind, id: credentialOf(principal) }
          const at = yield* Timestamp.now
          if (!budget.allows(workspaceId, `${credential.id} ${operationId}`, Timestamp.toMillis(at))) return
          const id = yield* ids.next("auditEntry")
          const content = { id, at, actor: cause, credential, operationId, requestId, changes: [] }
          yield* store.end(rowOf(workspaceId, { ...content, outcome: "denied" }))
        },
        (effect) =>
          effect.pipe(
            Effect.timeout(longestWrite),
            Effect.catch((error) => Effect.logError("A refusal could not be written to the audit", error))
          )
      )

      const list: Audit["Service"]["list"] = Effect.fn("Audit.list")(function* (caller, workspaceId, query) {
        const { workspace } = caller.principal
        // Portals keep audits of their own: families are not read as one.
        const own = workspaceId === workspace.id ? Option.some({ workspaceId }) : Option.none()
        yield* reach(caller, "listAuditEntries", "Workspace", own)
        const bound = { workspaceId, list: "audit" }
        const { cursor, limit: asked, ...given } = query
        const { before, ...filter } =
          cursor === undefined ? { ...given, before: undefined } : yield* cursors.decode(bound, AuditCursor, cursor)
        const limit = sizeOf(limits.page, asked)
        const rows = yield* store.list(workspaceId, {
          ...queryOf(filter),
          limit: limit + 1,
          ...(before === undefined ? {} : { before })
        })
        const page = rows.slice(0, limit)
        const hasMore = rows.length > limit
        if (!hasMore) return { rows: page.map(entryOf), hasMore }
        const next = { ...filter, before: page[page.length - 1]!.number }
        return { rows: page.map(entryOf), hasMore, cursor: yield* cursors.encode(bound, "page", next) }
      })

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

      const check: Audit["Service"]["check"] = Effect.fn("Audit.check")(function* (caller, workspaceId, known) {
        const own = workspaceId === caller.principal.workspace.id ? Option.some({ workspaceId }) : Option.none()
        yield* reach(caller, "verifyAudit", "Workspace", own)
        return yield* verify(workspaceId, known)
      })

      const checkAll = Effect.gen(function* () {
        let damaged = 0
        for (const { id } of yield* workspaces.all) {
          const found = yield* verify(id)
          if (found.intact) {
            const { hash, number } = found.newest
            yield* Effect.logInfo(
              `Audit of ${id} intact: entry ${number} has the hash ${hash === "" ? "of no entry" : hash}`
            )
            continue
          }
          damaged++
          yield* Effect.logError(`Audit of ${id} damaged: entry ${found.number} is ${found.fault}`)
        }
        return damaged
      }).pipe(Effect.withSpan("Audit.checkAll"))

      return Audit.of({ list, refused, verify, check, checkAll })
    })
  )
}
