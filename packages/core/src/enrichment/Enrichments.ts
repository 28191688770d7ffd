/** Enrichments: making, listing, reading, changing and deleting them (enrichments A1, decisions 5.5). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { permit, shows } from "../access/Access.ts"
import { type Caller, readableIds } from "../access/Caller.ts"
import { enrichmentSurface } from "../access/EnrichmentSurface.ts"
import { userOf } from "../access/Principal.ts"
import { makeCollectionUseCases, type CollectionUseCases } from "../collection/CollectionUseCases.ts"
import { Cursors } from "../cursor/Cursors.ts"
import { EventStore } from "../event/EventStore.ts"
import { Conflict, type Detail, Forbidden, InvalidInput, Unprocessable } from "../failure/Failure.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { maskedConfig, restoredConfig } from "../message/DestinationSecrets.ts"
import { Ids } from "../shared/Ids.ts"
import { MessageHosts } from "../message/MessageHosts.ts"
import { limits } from "../shared/Limits.ts"
import { nextOrder } from "../shared/Order.ts"
import { decode } from "../shared/StrictDecoding.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Transactor } from "../storage/Transactor.ts"
import { AnalysisStore } from "./AnalysisStore.ts"
import { type Enrichment, largestOrder } from "./Enrichment.ts"
import { makeEnrichmentChanges, worksOtherwise } from "./EnrichmentChanges.ts"
import { blockOf, type Findings, judge, noFindings, stageOf, unknownType } from "./EnrichmentCheck.ts"
import { blockName, type EnrichmentChange, type EnrichmentView, type NewEnrichment } from "./EnrichmentContract.ts"
import { EnrichmentStore, enrichmentResource } from "./EnrichmentStore.ts"
import { FindingStore } from "./FindingStore.ts"
import { LocalRuns } from "../task/LocalRuns.ts"
import { Tasks } from "../task/Tasks.ts"
import type { TaskStore } from "../task/TaskStore.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { WarmUp } from "./WarmUp.ts"
import { Kinds } from "./Kinds.ts"
import { caseIssues, caseUse } from "../rule/lint/CaseLint.ts"
import { removalFaults, RowRemoval } from "./RowRemoval.ts"
import { crowdedFeed } from "./FeedCrowds.ts"
import { EnrichmentRunStore } from "./EnrichmentRunStore.ts"
import { statusOf } from "./EnrichmentStatus.ts"

export { blockName, type EnrichmentChange, type EnrichmentView, type NewEnrichment } from "./EnrichmentContract.ts"

const orderStep = 10

/** The shape of the request is wrong. */
const invalid = (details: ReadonlyArray<Detail>) =>
  new InvalidInput({
    code: "INVALID_REQUEST",
    message: `Request is invalid: ${details[0]?.field} ${details[0]?.message}`,
    details
  })

/** Fails with every fault at once: those at the top make the shape of the request wrong. */
const refuse = ({ inside, lints, top }: Findings) => {
  const details = [...top, ...inside].slice(0, limits.errorDetails)
  const [first] = details
  if (first === undefined) return Effect.void
  return Effect.fail(
    top.length > 0
      ? invalid(details)
      : new Unprocessable({
          code: "ENRICHMENT_VALIDATION_FAILED",
          message: "Validation failed",
          details,
          warnings: lints.map((lint) => lint.message)
        })
  )
}

/** As callers see it. */
const shown = (enrichment: Enrichment): Enrichment => ({ ...enrichment, config: maskedConfig(enrichment.config) })

/** Whether some feed has both, where at least one of them names feeds. */
const shareFeeds = (one: Pick<Enrichment, "allFeeds" | "feedIds">, other: Pick<Enrichment, "allFeeds" | "feedIds">) =>
  one.allFeeds || other.allFeeds
    ? (one.allFeeds || one.feedIds.length > 0) && (other.allFeeds || other.feedIds.length > 0)
    : one.feedIds.some((feedId) => other.feedIds.includes(feedId))

const scopeOf = ({ allFeeds, feedIds }: Enrichment): string => JSON.stringify([allFeeds, feedIds])

/**
 * By stage, order and id. `create` and `update` refuse a configuration that could not run, with all its faults at once; of
 * lists the lints are left out.
 */
export class Enrichments extends Context.Service<
  Enrichments,
  Omit<CollectionUseCases<EnrichmentView, NewEnrichment, EnrichmentChange>, "restore">
>()("@millrace/core/enrichment/Enrichments") {
  static readonly layer: Layer.Layer<
    Enrichments,
    never,
    | EnrichmentStore
    | EnrichmentRunStore
    | AnalysisStore
    | FindingStore
    | FeedStore
    | Kinds
    | Ids
    | Transactor
    | EventStore
    | Cursors
    | TaskStore
    | WorkspaceStore
  > = Layer.effect(
    Enrichments,
    Effect.gen(function* () {
      const store = yield* EnrichmentStore
      const runs = yield* EnrichmentRunStore
      const feeds = yield* FeedStore
      const ids = yield* Ids
      const { begin, revised } = yield* makeEnrichmentChanges
      const kinds = yield* Kinds
      const hosts = yield* MessageHosts
      const analyses = yield* AnalysisStore
      const findings = yield* FindingStore
      const removal = yield* RowRemoval
      const localRuns = yield* LocalRuns
      const warmUp = yield* WarmUp
      const services = { transactor: yield* Transactor, eventLog: yield* EventStore, cursors: yield* Cursors }

      /** Judges which feeds it applies to, and whether it may apply to them all. */
      const checkScope = Effect.fnUntraced(function* (
        caller: Caller,
        { allFeeds, dataType, feedIds }: Pick<Enrichment, "allFeeds" | "dataType" | "feedIds">,
        found: Findings
      ) {
        const { principal } = caller
        if (allFeeds && principal.kind === "oauth_app" && !principal.app.firstParty) {
          return yield* new Forbidden({
            code: "APP_RULE_ON_ALL_FEEDS",
            message: "An installed app cannot make rules for all feeds",
            details: [{ field: "allFeeds", message: "must not be true" }]
          })
        }
        if (allFeeds && feedIds.length > 0) {
          found.inside.push({ field: "feedIds", message: "cannot be given together with allFeeds" })
        }
        for (const [at, id] of feedIds.entries()) {
          const feed = yield* feeds.get(principal.workspace.id, id)
          const fits = Option.isSome(feed) && feed.value.dataType === dataType && shows(caller, "getFeed", feed.value)
          if (!fits) found.inside.push({ field: `feedIds[${at}]`, message: `is not a feed of ${dataType}` })
        }
        if (!allFeeds && feedIds.length === 0) {
          found.lints.push({ field: "feedIds", message: "names no feed: the enrichment is dormant" })
        }
      })

      /** Judges whether the destinations of its feeds can do what it asks of them. */
      const checkRemoval = Effect.fnUntraced(function* (
        {
          allFeeds,
          config,
          dataType,
          feedIds,
          type
        }: Pick<Enrichment, "allFeeds" | "config" | "dataType" | "feedIds" | "type">,
        workspaceId: Enrichment["workspaceId"],
        found: Findings
      ) {
        const kind = kinds.get(type)
        if (kind?.family !== "record" || kind.removesRows === undefined) return
        const decoded = decode(kind.Config, config)
        const field = Result.isSuccess(decoded) ? kind.removesRows(decoded.success) : undefined
        if (field === undefined) return
        const all = yield* feeds.list([workspaceId], { dataType })
        const own = all.filter(({ id }) => allFeeds || feedIds.includes(id))
        found.inside.push(...removalFaults(`${blockName(type)}.${field}`, own, removal))
      })

      /** There is room for one more, in the workspace and of its type. */
      const checkRoom = Effect.fnUntraced(function* (existing: ReadonlyArray<Enrichment>, type: string) {
        if (existing.length >= limits.enrichmentsPerWorkspace) {
          return yield* new Unprocessable({
            code: "LIMIT_EXCEEDED",
            message: `A workspace has at most ${limits.enrichmentsPerWorkspace} enrichments`,
            details: []
          })
        }
        const kind = kinds.get(type)
        const same = existing.filter((other) => other.type === type)
        if (kind === undefined || same.length < kind.capabilities.perWorkspace) return
        return yield* new Conflict({
          code: type === "memory" ? "MEMORY_ENRICHMENT_EXISTS" : "ALREADY_EXISTS",
          message: `Only ${kind.capabilities.perWorkspace === 1 ? "one" : kind.capabilities.perWorkspace} ${kind.label} enrichment per workspace`,
          details: same.map(({ id }): Detail => ({ field: "id", message: id }))
        })
      })

      /** No feed gets more of them than runs can look at. */
      const checkCrowd = Effect.fnUntraced(function* (
        before: Enrichment | undefined,
        after: Omit<Parameters<typeof crowdedFeed>[0], "feeds" | "others">,
        workspaceId: Enrichment["workspaceId"]
      ) {
        if (!after.enabled) return
        const others = (yield* store.list([workspaceId])).filter(({ id }) => id !== before?.id)
        const all = yield* feeds.list([workspaceId], { dataType: after.dataType })
        const field = crowdedFeed({ ...after, others, feeds: all.map(({ id }) => id) })
        if (field === undefined) return
        const message = `A feed has at most ${limits.enrichmentsPerFeed} enrichments that are switched on`
        return yield* new Unprocessable({
          code: "LIMIT_EXCEEDED",
          message,
          details: [{ field: before?.enabled === false ? "enabled" : field, message }]
        })
      })

      const useCases = yield* makeCollectionUseCases<Enrichment, NewEnrichment, EnrichmentChange>({
        surface: enrichmentSurface,
        resource: enrichmentResource,
        store,
        madeBy: ({ createdByActor }) => createdByActor,
        events: undefined,
        make: Effect.fnUntraced(function* (caller, request) {
          const { workspace } = caller.principal
          const { dataType, emoji, name, type } = request
          const found = noFindings()
          const config = request.config ?? blockOf(type, request.blocks, found) ?? {}
          const scope = { dataType, feedIds: request.feedIds ?? [], allFeeds: request.allFeeds ?? false }
          judge({ workspaceId: workspace.id, type, dataType, config }, kinds, hosts, found)
          yield* checkScope(caller, scope, found)
          yield* checkRemoval({ type, config, ...scope }, workspace.id, found)
          const existing = yield* store.list([workspace.id])
          yield* checkRoom(existing, type)
          yield* refuse(found)
          yield* checkCrowd(undefined, { enabled: request.enabled ?? true, ...scope }, workspace.id)
          const now = yield* Timestamp.now
          return {
            id: yield* ids.next("enrichment"),
            workspaceId: workspace.id,
            name,
            ...(typeof emoji === "string" ? { emoji } : {}),
            type,
            enabled: request.enabled ?? true,
            order: request.order ?? nextOrder(existing, { first: orderStep, last: largestOrder, step: orderStep }),
            ...scope,
            config,
            createdBy: userOf(caller.principal),
            createdByActor: caller.cause,
            createdAt: now,
            updatedAt: now,
            version: 1,
            revision: 1
          }
        }),
        change: Effect.fnUntraced(function* (caller, before, request) {
          const found = noFindings()
          for (const field of ["type", "dataType"] as const) {
            const wanted = request[field]
            if (wanted === undefined || wanted === before[field]) continue
            found.top.push({ field, message: `cannot be changed: it is ${before[field]}` })
          }
          const { emoji: icon, ...rest } = before
          const emoji = request.emoji === undefined ? icon : request.emoji
          const sent = request.config ?? blockOf(before.type, request.blocks, found)
          const after: Enrichment = {
            ...rest,
            ...(typeof emoji === "string" ? { emoji } : {}),
            name: request.name ?? before.name,
            enabled: request.enabled ?? before.enabled,
            order: request.order ?? before.order,
            feedIds: request.feedIds ?? before.feedIds,
            allFeeds: request.allFeeds ?? before.allFeeds,
            config: sent === undefined ? before.config : restoredConfig(sent, before.config)
          }
          const isOther = worksOtherwise(before, after)
          // What is renamed or switched off need not be able to run.
          if (JSON.stringify(after.config) !== JSON.stringify(before.config)) judge(after, kinds, hosts, found)
          if (request.feedIds !== undefined || request.allFeeds !== undefined) yield* checkScope(caller, after, found)
          if (isOther && after.enabled) yield* checkRemoval(after, before.workspaceId, found)
          yield* refuse(found)
          // What works already goes on, also where there are more of them than a feed may have now.
          if (!before.enabled || scopeOf(after) !== scopeOf(before)) {
            yield* checkCrowd(before, after, before.workspaceId)
          }
          return isOther ? yield* revised(before, after) : after
        })
      })

      /** Where of several that look at one feed only the first counts: whether there is one before it. */
      const shadowOf = Effect.fnUntraced(function* (enrichment: Enrichment) {
        const { dataType, enabled, id, type } = enrichment
        if (!enabled || kinds.get(type)?.capabilities.firstOnly !== true) return []
        const all = (yield* store.list([enrichment.workspaceId])).filter(
          (one) => one.type === type && one.enabled && one.dataType === dataType
        )
        const before = all.slice(
          0,
          all.findIndex((one) => one.id === id)
        )
        const first = before.find((one) => shareFeeds(one, enrichment))
        return first === undefined
          ? []
          : [
              {
                field: "",
                message: `is shadowed by "${first.name}" (${first.id}), which comes first, where both apply`
              }
            ]
      })

      /** Patterns that read a field after an enrichment that comes earlier has changed its case. */
      const changedCaseOf = Effect.fnUntraced(function* (enrichment: Enrichment) {
        const { reads } = caseUse(enrichment.config, blockName(enrichment.type))
        if (reads.length === 0) return []
        const others = yield* store.list([enrichment.workspaceId])
        const own = others.findIndex(({ id }) => id === enrichment.id)
        return others.slice(0, own).flatMap((one) => {
          const meet = one.enabled && one.dataType === enrichment.dataType && shareFeeds(one, enrichment)
          return meet ? caseIssues(reads, caseUse(one.config).writes, `"${one.name}"`) : []
        })
      })

      const runsOf = ({ id, workspaceId }: Pick<Enrichment, "id" | "workspaceId">) =>
        runs.page({ workspaceIds: [workspaceId], where: { enrichmentId: id }, limit: limits.enrichmentRunsRead })

      /** With how it goes, and what is suspicious about it. */
      const viewed = Effect.fnUntraced(function* (enrichment: Enrichment) {
        const found = noFindings()
        judge(enrichment, kinds, hosts, found)
        const dormant = !enrichment.allFeeds && enrichment.feedIds.length === 0
        const lints = [...found.lints, ...(yield* shadowOf(enrichment)), ...(yield* changedCaseOf(enrichment))]
        const { workspaceId } = enrichment
        const own = yield* runsOf(enrichment)
        return {
          enrichment: shown(enrichment),
          status: statusOf(enrichment, own, yield* feeds.list([workspaceId], { dataType: enrichment.dataType })),
          lints: dormant ? [...lints, { field: "feedIds", message: "names no feed: the enrichment is dormant" }] : lints
        } satisfies EnrichmentView as EnrichmentView
      })

      /** Feeds that it looked at, or looks at now, deliver all of their records again where they are others by that. */
      const overHistory = Effect.fnUntraced(function* (apply: unknown, all: ReadonlyArray<Enrichment>) {
        const [one] = all
        if (apply !== "history" || one === undefined) return
        const { dataType, workspaceId } = one
        const ofType = yield* feeds.list([workspaceId], { dataType })
        const found = ofType.filter(({ id }) => all.some(({ allFeeds, feedIds }) => allFeeds || feedIds.includes(id)))
        yield* localRuns.overHistory(
          workspaceId,
          found.map(({ id }) => id)
        )
      })

      /** What was learnt goes with the enrichment, and what people said of it. */
      const remove: Enrichments["Service"]["remove"] = Effect.fn("Enrichments.remove")(
        function* (caller, id, removing) {
          const workspaceId = caller.principal.workspace.id
          const found = Option.getOrUndefined(yield* store.get(workspaceId, id as Enrichment["id"]))
          const kind = found === undefined ? undefined : kinds.get(found.type)
          if (found === undefined) return yield* useCases.remove(caller, id, removing)
          const forget = kind?.family === "record" ? kind.forget : undefined
          yield* services.transactor.atomically(
            Effect.gen(function* () {
              yield* useCases.remove(caller, id, removing)
              yield* runs.removeAll(workspaceId, { enrichmentId: found.id })
              yield* overHistory(removing?.asked?.["apply"], [found])
              if (forget === undefined) return
              yield* forget({ workspaceId, enrichmentId: found.id })
              yield* findings.forget(workspaceId, found.id)
              yield* analyses.forget(workspaceId, found.id)
            })
          )
        }
      )

      const { create, get, update } = useCases
      const { atomically } = services.transactor

      return Enrichments.of({
        create: Effect.fn("Enrichments.createAndApply")(function* (caller, request) {
          const made = yield* atomically(
            Effect.tap(create(caller, request), (one) => Effect.andThen(begin(one), overHistory(request.apply, [one])))
          )
          yield* warmUp.begin(made)
          return yield* viewed(made)
        }),
        get: (caller, id) => Effect.flatMap(get(caller, id), viewed),
        update: Effect.fn("Enrichments.updateAndApply")(function* (caller, id, change, ifVersion) {
          const changed = yield* atomically(
            Effect.gen(function* () {
              const before = yield* store.get(caller.principal.workspace.id, id as Enrichment["id"])
              const after = yield* update(caller, id, change, ifVersion)
              yield* begin(after)
              yield* overHistory(change.apply, [after, ...Option.toArray(before)])
              return after
            })
          )
          yield* warmUp.begin(changed)
          return yield* viewed(changed)
        }),
        remove,
        // A workspace has so few that they are one page, in the order in which they run.
        list: Effect.fn("Enrichments.list")(function* (caller, { where = {} } = {}) {
          yield* permit(caller, "listEnrichments")
          const { dataType, enabled, feedId, type } = where
          if (type !== undefined && kinds.get(String(type)) === undefined) {
            return yield* invalid([unknownType(kinds)])
          }
          const found = yield* store.list(readableIds(caller))
          const rows = found
            .filter(
              (one) =>
                shows(caller, "listEnrichments", {
                  workspaceId: one.workspaceId,
                  ...(one.createdByActor === undefined ? {} : { createdBy: one.createdByActor })
                }) &&
                (type === undefined || one.type === type) &&
                (dataType === undefined || one.dataType === dataType) &&
                (enabled === undefined || one.enabled === enabled) &&
                (feedId === undefined || one.allFeeds || one.feedIds.some((id) => id === feedId))
            )
            .map((enrichment) => ({ enrichment, stage: stageOf(enrichment, kinds) }))
            // The order and the id are those of the store.
            .toSorted((a, b) => a.stage - b.stage)
          const owners = [...new Set(rows.map(({ enrichment }) => enrichment.workspaceId))]
          const all = owners.length === 0 ? [] : yield* feeds.list(owners, {})
          const went = Map.groupBy(owners.length === 0 ? [] : yield* runs.list(owners), (run) => run.enrichmentId)
          return {
            rows: rows.map(({ enrichment }) => ({
              enrichment: shown(enrichment),
              status: statusOf(enrichment, went.get(enrichment.id) ?? [], all),
              lints: []
            })),
            hasMore: false
          }
        })
      })
    })
  ).pipe(Layer.provide([Tasks.layer, LocalRuns.layer, WarmUp.layer]))
}
