/**
 * The one layer that writes the audit: it stands round the use cases, so that whoever reaches them leaves an entry for
 * each operation that changes something, whatever came of it (decisions 4.4).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { OperationId } from "../access/Operations.ts"
import { type AuditedAs, makeAuditing } from "../audit/Auditing.ts"
import { AuditStore } from "../audit/AuditStore.ts"
import { Banks } from "../bank/Banks.ts"
import { FeedRecords } from "../destination/FeedRecords.ts"
import { Enrichments } from "../enrichment/Enrichments.ts"
import { Findings } from "../enrichment/Findings.ts"
import { Decisions } from "../explain/Decisions.ts"
import { RecordWords } from "../explain/RecordWords.ts"
import { Simulations } from "../explain/Simulations.ts"
import { Undoing } from "../explain/Undoing.ts"
import { Corrections } from "../identity/Corrections.ts"
import { Jobs } from "../job/Jobs.ts"
import { Ids } from "../shared/Ids.ts"
import { Tables } from "../table/Tables.ts"
import { UploadPages } from "../upload/UploadPages.ts"
import { Uploads } from "../upload/Uploads.ts"
import { withinCaller } from "../workspace/Reach.ts"
import { AccountChanges } from "./AccountChanges.ts"
import { AccountJoins } from "./AccountJoins.ts"
import { BankRemovals } from "./BankRemovals.ts"
import { Feeds } from "./Feeds.ts"
import { Workspaces } from "./Workspaces.ts"

/** How a method of a use case is audited. */
interface Audited extends AuditedAs {
  readonly operation: OperationId
}

type Methods<S> = { readonly [K in keyof S]?: Audited }

const of = <I, S extends object>(tag: Context.Key<I, S>, methods: Methods<S>) => ({
  tag: tag as unknown as Context.Key<never, object>,
  methods: methods as Readonly<Record<string, Audited>>
})

/** Every operation that changes something, once. */
export const auditedUseCases = [
  of(BankRemovals, { remove: { operation: "deleteBank" }, restore: { operation: "restoreBank" } }),
  of(Banks, {
    connect: { operation: "completeConnection", makes: true },
    start: { operation: "startConnection", makes: true },
    reauth: { operation: "reauthConnection" },
    update: { operation: "updateBank", read: "get" },
    ask: { operation: "refreshBank" }
  }),
  of(Workspaces, { update: { operation: "updateWorkspace", read: "get" } }),
  of(AccountChanges, { update: { operation: "updateAccount" } }),
  of(Feeds, {
    create: { operation: "createFeed", makes: true },
    update: { operation: "updateFeed", read: "get" },
    remove: { operation: "deleteFeed" },
    learn: { operation: "triggerLearn" }
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
  of(UploadPages, { start: { operation: "startFeedUpload" }, end: { operation: "endFeedUpload" } }),
  of(FeedRecords, { redeliver: { operation: "redeliverFeedRecords" } }),
  of(Enrichments, {
    create: { operation: "createEnrichment", makes: true },
    update: { operation: "updateEnrichment", read: "get", fields: { blocks: "config" } },
    remove: { operation: "deleteEnrichment" }
  }),
  of(Decisions, {
    undo: { operation: "undoDecision" },
    nameSeries: { operation: "updateSeries" },
    mergeSeries: { operation: "mergeSeries" },
    splitSeries: { operation: "splitSeries" },
    mergeMerchants: { operation: "mergeMerchants" }
  }),
  of(Findings, { update: { operation: "updateFinding" } }),
  of(RecordWords, { set: { operation: "setRecordFields" }, clear: { operation: "clearRecordFields" } }),
  of(Simulations, { cancel: { operation: "cancelSimulation" } }),
  of(Undoing, { undo: { operation: "undoChange" }, undoRun: { operation: "undoRun" } }),
  of(AccountJoins, { join: { operation: "joinAccounts" }, part: { operation: "partAccounts" } }),
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

type AuditedUseCases =
  | AccountChanges
  | Banks
  | BankRemovals
  | Feeds
  | Jobs
  | UploadPages
  | Uploads
  | FeedRecords
  | Enrichments
  | Decisions
  | Findings
  | RecordWords
  | Undoing
  | Corrections
  | Tables

/** The use cases, each of whose changes leaves an entry. What use cases ask of each other is part of the one that was asked. */
export const layer: Layer.Layer<AuditedUseCases, never, AuditedUseCases | AuditStore | Ids> = Layer.effectContext(
  Effect.gen(function* () {
    const auditing = yield* makeAuditing
    const plain = yield* Effect.context<AuditedUseCases>()
    let context = Context.empty() as Context.Context<never>
    for (const { methods, tag } of auditedUseCases) {
      const service = Context.getUnsafe(plain, tag) as Readonly<Record<string, unknown>>
      context = Context.add(context, tag, withinCaller(auditing()(service, methods)))
    }
    return context as unknown as Context.Context<AuditedUseCases>
  })
)
