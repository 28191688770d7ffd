/**
 * The one layer that writes the audit: it stands round the use cases, so that whoever reaches them leaves an entry for
 * each operation that changes something, whatever came of it (decisions 4.4).
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type { Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/Operations.ts"
import { credentialOf } from "../access/Principal.ts"
import { rowOf } from "../audit/Audit.ts"
import type { AuditContent, AuditOutcome } from "../audit/AuditEntry.ts"
import { AuditStore } from "../audit/AuditStore.ts"
import { Banks } from "../bank/Banks.ts"
import { FeedRecords } from "../destination/FeedRecords.ts"
import { Enrichments } from "../enrichment/Enrichments.ts"
import { Corrections } from "../identity/Corrections.ts"
import { Jobs } from "../job/Jobs.ts"
import { Ids, prefixes } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { onceUndone } from "../storage/TransactionEnd.ts"
import { Tables } from "../table/Tables.ts"
import { Uploads } from "../upload/Uploads.ts"
import { withinCaller } from "../workspace/Reach.ts"
import { Feeds } from "./Feeds.ts"

/** How a method of a use case is audited. */
interface Audited {
  readonly operation: OperationId
  /** What it made is in its result; otherwise the last id among its arguments says what it is about. */
  readonly makes?: true
  /** The method that shows what a change applies to: given the same caller and id, before it. */
  readonly read?: string
}

type Methods<S> = { readonly [K in keyof S]?: Audited }

const of = <I, S extends object>(tag: Context.Key<I, S>, methods: Methods<S>) => ({
  tag: tag as unknown as Context.Key<never, object>,
  methods: methods as Readonly<Record<string, Audited>>
})

/** Every operation that changes something, once. */
export const auditedUseCases = [
  of(Banks, { connect: { operation: "completeConnection", makes: true } }),
  of(Feeds, {
    create: { operation: "createFeed", makes: true },
    update: { operation: "updateFeed", read: "get" },
    remove: { operation: "deleteFeed" }
  }),
  of(Jobs, {
    trigger: { operation: "triggerSync", makes: true },
    cancel: { operation: "cancelJob" },
    pause: { operation: "pauseJob" },
    resume: { operation: "resumeJob" }
  }),
  of(Uploads, {
    add: { operation: "uploadFeedFile", makes: true },
    remove: { operation: "deleteFeedUpload" },
    read: { operation: "readFeedUpload" }
  }),
  of(FeedRecords, { redeliver: { operation: "redeliverFeedRecords" } }),
  of(Enrichments, { create: { operation: "createEnrichment", makes: true } }),
  of(Corrections, {
    undo: { operation: "undoMatch" },
    redo: { operation: "redoMatch" },
    accept: { operation: "acceptSuggestion" },
    reject: { operation: "rejectSuggestion" },
    remove: { operation: "deleteTransaction" },
    restore: { operation: "restoreTransaction" }
  }),
  of(Tables, {
    create: { operation: "createTable", makes: true },
    update: { operation: "updateTable", read: "get" },
    trash: { operation: "deleteTable" },
    restore: { operation: "restoreTable" },
    createField: { operation: "createField", makes: true },
    updateField: { operation: "updateField" },
    deleteField: { operation: "deleteField" },
    createRows: { operation: "createRows" },
    updateRows: { operation: "updateRows" },
    deleteRows: { operation: "deleteRows" },
    updateRow: { operation: "updateRow" },
    deleteRow: { operation: "deleteRow" },
    restoreRow: { operation: "restoreRow" }
  })
] as const

const kinds = new Map<string, string>(Object.entries(prefixes).map(([kind, prefix]) => [prefix, kind]))

const resourceOf = (id: unknown): AuditContent["resource"] => {
  if (typeof id !== "string") return undefined
  const kind = kinds.get(id.slice(0, id.indexOf("_")))
  return kind === undefined ? undefined : { kind, id }
}

/** The record that a use case returned, whether it stands alone or in a view of it. */
const recordOf = (result: unknown): Readonly<Record<string, unknown>> | undefined => {
  if (!Predicate.isObject(result)) return undefined
  const fields = result as Readonly<Record<string, unknown>>
  if (typeof fields["id"] === "string") return fields
  return Object.values(fields).find(
    (part): part is Readonly<Record<string, unknown>> =>
      Predicate.hasProperty(part, "id") && typeof part.id === "string"
  )
}

const secret = /secret|password|token|credential|api_?key/i

/** JSON without what is secret. */
const masked = (value: unknown): Schema.Json => {
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .map(([key, part]) => [key, secret.test(key) ? "***" : masked(part)])
  )
}

/** The fields that the request named and that are others now. */
const changesOf = (
  request: unknown,
  before: Readonly<Record<string, unknown>> | undefined,
  after: Readonly<Record<string, unknown>> | undefined
): AuditContent["changes"] => {
  if (before === undefined || after === undefined || !Predicate.isObject(request)) return []
  return Object.keys(request).flatMap((field) => {
    const [old, now] = [masked({ [field]: before[field] }), masked({ [field]: after[field] })]
    if (JSON.stringify(old) === JSON.stringify(now)) return []
    const valueOf = (one: Schema.Json): Schema.Json => (one as Readonly<Record<string, Schema.Json>>)[field] ?? null
    return [{ field, before: valueOf(old), after: valueOf(now) }]
  })
}

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): AuditOutcome => {
  if (Exit.isSuccess(exit)) return "ok"
  return exit.cause.reasons.some(
    (reason) => Cause.isFailReason(reason) && Predicate.isTagged(reason.error, "Forbidden")
  )
    ? "denied"
    : "failed"
}

type Method = (caller: Caller, ...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>

const audit =
  (store: AuditStore["Service"], ids: Ids["Service"], { makes, operation, read }: Audited, methods: object) =>
  (run: Method): Method =>
  (caller, ...args) =>
    Effect.gen(function* () {
      const { principal } = caller
      const row = (content: AuditContent) => rowOf(principal.workspace.id, content)
      // What was done stays done where its end cannot be written: the entry then says that it was begun.
      const write = (entry: AuditContent) =>
        Effect.catch(store.end(row(entry)), (error: StorageUnavailable) =>
          Effect.logError("The end of an entry of the audit could not be written", error, { operation })
        )
      const about = args.findLast((arg) => resourceOf(arg) !== undefined)
      const asked = resourceOf(about)
      const begun: AuditContent = {
        id: yield* ids.next("auditEntry"),
        at: yield* Timestamp.now,
        actor: caller.cause,
        credential: { kind: principal.kind, id: credentialOf(principal) },
        operationId: operation,
        ...(asked === undefined ? {} : { resource: asked }),
        outcome: "failed",
        requestId: caller.requestId,
        changes: []
      }
      const shown =
        read === undefined
          ? undefined
          : yield* (methods as Readonly<Record<string, Method>>)[read]!(caller, args[0]).pipe(
              Effect.map(recordOf),
              Effect.catch(() => Effect.undefined)
            )
      yield* store.begin(row(begun))
      return yield* Effect.onExit(run(caller, ...args), (exit) => {
        const result = Exit.isSuccess(exit) ? recordOf(exit.value) : undefined
        const resource = (makes === true ? resourceOf(result?.["id"]) : undefined) ?? asked
        const ended: AuditContent = {
          ...begun,
          ...(resource === undefined ? {} : { resource }),
          outcome: outcomeOf(exit),
          changes: changesOf(args[1], shown, result)
        }
        // Where a transaction around it is undone, so is what was written in it: it was asked for all the same.
        const undone = { ...ended, outcome: ended.outcome === "ok" ? "failed" : ended.outcome, changes: [] } as const
        return Effect.andThen(onceUndone(write(undone)), write(ended))
      })
    })

type AuditedUseCases = Banks | Feeds | Jobs | Uploads | FeedRecords | Enrichments | Corrections | Tables

/** The use cases, each of whose changes leaves an entry. What use cases ask of each other is part of the one that was asked. */
export const layer: Layer.Layer<AuditedUseCases, never, AuditedUseCases | AuditStore | Ids> = Layer.effectContext(
  Effect.gen(function* () {
    const store = yield* AuditStore
    const ids = yield* Ids
    const plain = yield* Effect.context<AuditedUseCases>()
    let context = Context.empty() as Context.Context<never>
    for (const { methods, tag } of auditedUseCases) {
      const service = Context.getUnsafe(plain, tag) as Readonly<Record<string, unknown>>
      const wrapped = Object.entries(methods).map(([name, how]) => [
        name,
        audit(store, ids, how, service)(service[name] as Method)
      ])
      context = Context.add(context, tag, withinCaller({ ...service, ...Object.fromEntries(wrapped) }))
    }
    return context as unknown as Context.Context<AuditedUseCases>
  })
)
