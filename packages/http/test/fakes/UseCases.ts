/** The use cases in memory: one workspace with one record of every kind; `calls` keeps what they were asked. */
import { needScopes, needSession } from "../../../core/src/access/Access.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { NodeDigest } from "@millrace/adapters"
import { Audit } from "@millrace/core/audit"
import {
  AccountChanges,
  AccountData,
  BankRemovals,
  Banks,
  ConnectReturns,
  DataTypeSchemas,
  Enrichments,
  FeedRecords,
  Feeds,
  Institutions,
  Jobs,
  ProviderCallbacks,
  UploadPages,
  Uploads,
  Workspaces
} from "@millrace/core/kernel"
import type { Fields } from "@millrace/core/record"
import { CalendarDate, Conflict, LiveDataUnavailable, NotFound, Unprocessable } from "@millrace/core"
import { WebhookRefused } from "@millrace/core/provider"
import { StorageUnavailable } from "@millrace/core/storage"
import { callerOf, enrichmentSurface } from "@millrace/core/access"
import { useCasesOf } from "./Collections.ts"
import { checkCursor, checkVersion, only } from "./Checks.ts"
import * as CorrectionUseCases from "./CorrectionUseCases.ts"
import * as DecisionUseCases from "./DecisionUseCases.ts"
import * as JoinUseCases from "./JoinUseCases.ts"
import * as FindingUseCases from "./FindingUseCases.ts"
import * as ValueUseCases from "./ValueUseCases.ts"
import * as Records from "./Records.ts"
import * as TableUseCases from "./TableUseCases.ts"

/** How the use cases misbehave. */
export interface Trouble {
  /** `listBanks` dies. */
  dies?: boolean
  /** `listBanks` never answers. */
  hangs?: boolean
  /** `listBanks` finds the storage gone. */
  storage?: boolean
  /** `createFeed` finds faults. */
  invalidFeed?: boolean
  /** `triggerSync` meets a running job. */
  running?: boolean
  /** Every address of an upload page is good, and each file is taken with this warning. */
  uploadWarning?: string
}

const freshness = { asOf: Records.at, stale: false }
const window = { from: CalendarDate.make("2026-01-01"), to: CalendarDate.make("2026-03-01") }

const rowsOf = (fields: Fields): ReadonlyArray<Fields> => [{ ...Records.owner, ...fields }]

const started = {
  attempt: Records.attempt,
  page: "http://localhost/connect/attempts/state",
  step: { kind: "popup", url: "https://example.com/portal", expiresAt: Records.at }
} as const

const bankOf = (id: string) => only("Bank", Records.bank.id, id, Records.bank)
const accountOf = (ref: { readonly bankId: string; readonly accountId: string }) =>
  Effect.andThen(bankOf(ref.bankId), only("Account", Records.account.id, ref.accountId, Records.account))
const feedOf = (id: string) => only("Feed", Records.feed.id, id, Records.feedView)
const uploadOf = (id: string) => only("Upload", Records.upload.id, id, Records.upload)
const jobOf = (feedId: string, id: string) =>
  Effect.andThen(feedOf(feedId), only("Job", Records.job.id, id, Records.job))

export const layer = (calls: Record<string, Array<unknown>>, trouble: Trouble) => {
  const note = (operation: string, ...args: ReadonlyArray<unknown>) =>
    Effect.sync(() => {
      ;(calls[operation] ??= []).push(...args)
    })
  return Layer.mergeAll(
    Layer.succeed(
      Audit,
      Audit.of({
        list: Effect.fnUntraced(function* (_, id, query) {
          yield* note("listAuditEntries", query)
          yield* only("Workspace", Records.workspace.id, id, undefined)
          yield* checkCursor(query)
          return { rows: [Records.auditEntry], hasMore: true, cursor: "next" }
        }),
        refused: ({ principal }, operation) => note("refused", [operation.id, principal.workspace.id]),
        verify: () => Effect.die("not part of this API"),
        checkAll: Effect.die("not part of this API"),
        check: Effect.fnUntraced(function* (_, id, known) {
          yield* note("verifyAudit", known)
          yield* only("Workspace", Records.workspace.id, id, undefined)
          return { intact: true, entries: 1, newest: { number: 1, hash: Records.auditEntry.hash } }
        })
      })
    ),
    Layer.succeed(
      Workspaces,
      Workspaces.of({
        create: () => Effect.die("not part of this API"),
        get: (_, id) => only("Workspace", Records.workspace.id, id, Records.workspace),
        update: Effect.fnUntraced(function* (_, id, change, ifVersion) {
          yield* note("updateWorkspace", change)
          yield* checkVersion(Records.workspace.version, ifVersion)
          return yield* only("Workspace", Records.workspace.id, id, Records.workspace)
        })
      })
    ),
    Layer.succeed(
      Banks,
      Banks.of({
        list: (caller, which) =>
          trouble.dies === true
            ? Effect.die(new Error("SECRET defect"))
            : trouble.hangs === true
              ? Effect.never
              : trouble.storage === true
                ? Effect.fail(new StorageUnavailable({ message: "SECRET host refused" }))
                : which === "deleted"
                  ? Effect.as(needScopes(caller, { anyOf: ["banks:write"] }), [
                      { ...Records.bank, deletedAt: Records.at }
                    ])
                  : Effect.succeed(caller.workspaces.map(({ id }) => ({ ...Records.bank, workspaceId: id }))),
        get: (_, id) => bankOf(id),
        update: (_, id) => bankOf(id),
        start: Effect.fnUntraced(function* (_, request) {
          yield* note("startConnection", request)
          return started
        }),
        reauth: Effect.fnUntraced(function* (_, id, request) {
          yield* note("reauthConnection", request)
          yield* bankOf(id)
          return started
        }),
        connect: Effect.fnUntraced(function* (_, request) {
          yield* note("completeConnection", request)
          return { bank: Records.bank, created: true, accounts: [Records.account] }
        }),
        attempt: (_, id) => only("Attempt", Records.attempt.id, id, Records.attempt),
        ask: Effect.fnUntraced(function* (_, id, dataTypes) {
          yield* note("refreshBank", dataTypes)
          yield* bankOf(id)
          return { status: "refreshing", nextRefreshPossibleAt: Records.at } as const
        }),
        refresh: () => Effect.die("not part of this API")
      })
    ),
    Layer.succeed(
      ProviderCallbacks,
      ProviderCallbacks.of({
        receive: Effect.fnUntraced(function* (instanceId, { attemptId, headers, rawBody }) {
          yield* note("receiveProviderWebhook", { instanceId, attemptId, rawBody, signature: headers["x-signature"] })
          if (instanceId !== "plaid:us") return yield* new NotFound({ resource: "Provider instance" })
          if (headers["x-signature"] !== "good") return yield* new WebhookRefused({ message: "SECRET reason" })
        })
      })
    ),
    Layer.succeed(
      BankRemovals,
      BankRemovals.of({
        remove: Effect.fnUntraced(function* (caller, id, options) {
          yield* note("deleteBank", options)
          if (options?.permanently === true) yield* needSession(caller)
          yield* bankOf(id)
          return "deleted" as const
        }),
        restore: (_, id) => bankOf(id),
        purge: Effect.die("not part of this API")
      })
    ),
    Layer.succeed(
      ConnectReturns,
      // Its pages are tried where there is a kernel: `packages/cli/test/connect.test.ts`.
      ConnectReturns.of({
        byState: () => Effect.succeedNone,
        byAttempt: () => Effect.succeedNone,
        step: () => Effect.succeedNone,
        existing: () => Effect.succeed([]),
        choose: () => Effect.die("not part of this API"),
        again: () => Effect.die("not part of this API"),
        told: () => Effect.void,
        complete: () => Effect.die("not part of this API"),
        goOn: () => Effect.die("not part of this API")
      })
    ),
    NodeDigest.layer,
    Layer.succeed(
      Institutions,
      Institutions.of({
        search: Effect.fnUntraced(function* (_, search) {
          yield* note("searchInstitutions", search)
          return {
            institutions: [
              {
                id: "demo-1",
                name: "First Bank",
                countryCodes: ["DE"],
                status: "ok",
                provider: "demo",
                providerInstanceId: "demo:default"
              }
            ],
            providers: [{ id: "demo:default", status: "ok", contributed: 1 }]
          } as const
        }),
        providers: () =>
          Effect.succeed([
            {
              id: "demo:default",
              provider: "demo",
              name: "Demo",
              countryCodes: ["DE"],
              flow: "portal_popup",
              dataTypes: ["balances", "transactions"],
              historyDays: 730,
              webhooks: false,
              available: true,
              connectOptions: []
            }
          ])
      })
    ),
    Layer.succeed(
      AccountChanges,
      AccountChanges.of({
        update: Effect.fnUntraced(function* (_, ref, change) {
          yield* note("updateAccount", change)
          const account = yield* accountOf(ref)
          const { accountName, signOverride } = change
          const row = {
            ...account,
            ...(typeof accountName === "string" ? { accountName } : {}),
            ...(signOverride === undefined ? {} : { signOverride })
          }
          return { bank: Records.bank, row }
        })
      })
    ),
    Layer.succeed(
      AccountData,
      AccountData.of({
        accounts: (_, id) => Effect.map(bankOf(id), (bank) => ({ bank, rows: [Records.account], ...freshness })),
        account: (_, ref) => Effect.map(accountOf(ref), (row) => ({ bank: Records.bank, row, ...freshness })),
        lastShown: () => Effect.die("not part of this API"),
        transactions: Effect.fnUntraced(function* (_, ref, query) {
          yield* note("transactions", query)
          yield* accountOf(ref)
          yield* checkCursor(query)
          return {
            rows: rowsOf({
              id: Records.shownTransaction.id,
              pendingTransactionId: null,
              ...Records.shownTransaction.fields
            }),
            hasMore: query.cursor === undefined,
            cursor: "next",
            window,
            removed: ["txn_gone"],
            ...freshness
          }
        }),
        balance: (_, ref) => Effect.map(accountOf(ref), () => ({ row: Records.balance, ...freshness })),
        trades: Effect.fnUntraced(function* (_, ref, query) {
          yield* note("trades", query)
          yield* accountOf(ref)
          yield* checkCursor(query)
          return { rows: rowsOf(Records.trade), hasMore: false, window, ...freshness }
        }),
        holdings: (_, ref) => Effect.map(accountOf(ref), () => ({ rows: rowsOf(Records.holding), ...freshness })),
        orders: (_, ref) => Effect.map(accountOf(ref), () => ({ rows: rowsOf(Records.order), ...freshness })),
        loan: (_, ref) =>
          Effect.map(accountOf(ref), () => ({
            row: Records.loan,
            stale: true,
            problem: new LiveDataUnavailable({ code: "PROVIDER_UNAVAILABLE", message: "Down", retryAfter: 300 })
          }))
      })
    ),
    DataTypeSchemas.layer,
    Layer.succeed(
      Feeds,
      Feeds.of({
        list: (_, query) => Effect.as(note("listFeeds", query), [Records.feedView]),
        get: (_, id) => feedOf(id),
        create: Effect.fnUntraced(function* (_, feed) {
          yield* note("createFeed", feed)
          if (trouble.invalidFeed === true) {
            return yield* new Unprocessable({
              code: "FEED_VALIDATION_FAILED",
              message: "Validation failed",
              details: [{ field: "sourceConfig.accounts", message: "is required" }],
              warnings: ["No schedule"]
            })
          }
          return Records.feedView
        }),
        update: Effect.fnUntraced(function* (_, id, change, ifVersion) {
          yield* note("updateFeed", change)
          yield* checkVersion(Records.feed.version, ifVersion)
          return yield* feedOf(id)
        }),
        remove: (_, id, ifVersion) =>
          Effect.andThen(checkVersion(Records.feed.version, ifVersion), Effect.asVoid(feedOf(id))),
        learn: (_, id) => Effect.asVoid(feedOf(id))
      })
    ),
    Layer.succeed(
      Jobs,
      Jobs.of({
        trigger: Effect.fnUntraced(function* (_, id, options) {
          yield* note("triggerSync", options)
          yield* feedOf(id)
          if (trouble.running === true) {
            return yield* new Conflict({
              code: "SYNC_ALREADY_RUNNING",
              message: "A sync job is already running for this feed",
              details: [{ field: "jobId", message: Records.job.id }]
            })
          }
          return Records.job
        }),
        get: (_, feedId, id) => jobOf(feedId, id),
        list: Effect.fnUntraced(function* (_, feedId, query) {
          yield* note("listJobs", query)
          yield* feedOf(feedId)
          yield* checkCursor(query)
          return { rows: [Records.job], hasMore: true, cursor: "next" }
        }),
        cancel: (_, feedId, id) => jobOf(feedId, id),
        pause: (_, feedId, id) => jobOf(feedId, id),
        resume: (_, feedId, id) => jobOf(feedId, id),
        scheduleDue: Effect.succeed(0)
      })
    ),
    Layer.succeed(
      FeedRecords,
      FeedRecords.of({
        list: Effect.fnUntraced(function* (_, feedId, query) {
          yield* note("listFeedRecords", query)
          yield* feedOf(feedId)
          yield* checkCursor(query)
          return { feed: Records.feed, rows: [Records.delivery], hasMore: true, cursor: "next" }
        }),
        redeliver: (_, feedId, which) =>
          Effect.andThen(
            note("redeliverFeedRecords", which),
            Effect.as(feedOf(feedId), { records: 3, hasMore: false, jobId: Records.job.id })
          )
      })
    ),
    Layer.succeed(
      UploadPages,
      UploadPages.of({
        start: (_, feedId, request) =>
          Effect.andThen(
            note("startFeedUpload", request),
            Effect.as(feedOf(feedId), {
              id: Records.uploadPageId,
              url: "https://money.example/connect/upload?state=s",
              expiresAt: Records.upload.createdAt
            })
          ),
        end: Effect.fnUntraced(function* (_, feedId, pageId) {
          yield* note("endFeedUpload", pageId)
          yield* feedOf(feedId)
          yield* only("Page", Records.uploadPageId, pageId, undefined)
        }),
        open: () =>
          Effect.succeed(
            trouble.uploadWarning === undefined
              ? Option.none()
              : Option.some({
                  feed: Records.feed,
                  caller: callerOf({ kind: "api_key", workspace: Records.workspace, key: Records.key }, "req_1"),
                  decision: { admitted: true, limit: 30, retryAfter: 0 }
                })
          )
      })
    ),
    Layer.succeed(
      Uploads,
      Uploads.of({
        add: (_, feedId, file) =>
          Effect.andThen(
            note("uploadFeedFile", file),
            Effect.as(feedOf(feedId), {
              upload:
                trouble.uploadWarning === undefined
                  ? Records.upload
                  : { ...Records.upload, warnings: [trouble.uploadWarning] },
              created: true
            })
          ),
        list: Effect.fnUntraced(function* (_, feedId, query) {
          yield* note("listFeedUploads", query)
          yield* feedOf(feedId)
          yield* checkCursor(query)
          return { rows: [Records.upload], hasMore: true, cursor: "next" }
        }),
        read: (_, feedId, id) =>
          Effect.andThen(note("readFeedUpload", id), Effect.andThen(feedOf(feedId), uploadOf(id))),
        remove: (_, feedId, id) =>
          Effect.andThen(note("deleteFeedUpload", id), Effect.andThen(feedOf(feedId), Effect.asVoid(uploadOf(id))))
      })
    ),
    Layer.succeed(
      Enrichments,
      useCasesOf(note, enrichmentSurface, { ...Records.enrichment.enrichment, thing: Records.enrichment })
    ),
    FindingUseCases.layer(note),
    DecisionUseCases.layer(note),
    ValueUseCases.layer(note),
    CorrectionUseCases.layer(note),
    JoinUseCases.layer(note),
    TableUseCases.layer(note)
  )
}
