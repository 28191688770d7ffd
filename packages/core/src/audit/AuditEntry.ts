/** Entries of the audit: who did what to what (decisions 4.4). */
import * as Schema from "effect/Schema"
import { ActorRef } from "../access/ActorRef.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"

export type AuditEntryId = Id<"auditEntry">

export const auditOutcomes = ["ok", "denied", "failed"] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

/** A field that is another now. What is secret is shown as `***`. */
const AuditChange = Schema.Struct({ field: Schema.String, before: Schema.Json, after: Schema.Json })

/** What is hashed of an entry, and all of it that is believed. */
export const AuditContent = Schema.Struct({
  id: Id("auditEntry"),
  /** When it was asked for. */
  at: Timestamp,
  actor: ActorRef,
  credential: Schema.Struct({ kind: Schema.String, id: Schema.String }),
  operationId: Schema.String,
  /** Absent where nothing is known of what it was about. */
  resource: Schema.optionalKey(Schema.Struct({ kind: Schema.String, id: Schema.String })),
  outcome: Schema.Literals(auditOutcomes),
  requestId: Schema.String,
  ip: Schema.optionalKey(Schema.String),
  changes: Schema.Array(AuditChange)
})
export type AuditContent = typeof AuditContent.Type

/** `hash` is that of the entry and of all entries of the workspace before it. */
export type AuditEntry = AuditContent & { readonly hash: string }

/** Who is meant by `actor` in a search: the person, the key or app, or the kind of those who have no id. */
export const actorIdOf = (actor: ActorRef): string => {
  switch (actor.kind) {
    case "user":
    case "import":
      return actor.userId
    case "api":
      return actor.clientId
    case "automation":
      return actor.automationId
    case "sync":
    case "extractor":
      return actor.feedId
    case "system":
      return actor.reason
  }
}

/** What the first entry of a workspace follows. */
export const chainStart = ""

/** The hash of an entry whose content is this text, after the entry with that hash. */
export const chainHash = (sha256: (text: string) => string, previous: string, content: string): string =>
  sha256(`${previous}\n${content}`)
