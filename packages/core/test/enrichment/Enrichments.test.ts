import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { makeEnrichment, ownerOf, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import { blockName, Enrichments, type NewEnrichment } from "../../src/enrichment/Enrichments.ts"
import { largestOrder } from "../../src/enrichment/Enrichment.ts"
import { callerOf } from "../../src/access/Caller.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { bundledKinds, Kinds, kindsOf } from "../../src/enrichment/Kinds.ts"
import { RowRemoval } from "../../src/enrichment/RowRemoval.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import { MessageHosts } from "../../src/message/MessageHosts.ts"
import { limits } from "../../src/shared/Limits.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { TaskStore } from "../../src/task/TaskStore.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const services = Enrichments.layer.pipe(
  Layer.provide(Cursors.layer(Redacted.make("a secret that only this test has"))),
  Layer.provideMerge(
    Layer.mergeAll(
      MemoryStorage.layer,
      NodeDigest.layer,
      Layer.succeed(Kinds, kindsOf(bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 }))),
      Ids.layer
    )
  )
)

const describedBy = (operator: string, value: string) => ({
  logic: "and",
  conditions: [{ field: "description", operator, value }]
})

const rule = {
  name: "Coffee",
  type: "rule",
  dataType: "transactions",
  config: {
    rules: [
      {
        conditions: { logic: "or", conditions: [{ field: "description", operator: "contains", value: "coffee" }] },
        action: { field: "category", value: "Cafés" }
      }
    ]
  }
} as const satisfies NewEnrichment

const opened = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const caller = ownerOf(workspace)
  const enrichments = yield* Enrichments
  const refusal = (change: object) => Effect.flip(enrichments.create(caller, { ...rule, ...change } as NewEnrichment))
  return { workspace, caller, enrichments, refusal }
})

const crowded = (field: string) => ({ _tag: "Unprocessable", code: "LIMIT_EXCEEDED", details: [{ field }] })

describe("Enrichments", () => {
  it.effect("makes one after the other, in their order", () =>
    Effect.gen(function* () {
      const { enrichments, caller, workspace } = yield* opened
      const feed = yield* storeFeed(workspace)
      const first = yield* enrichments.create(caller, { ...rule, feedIds: [feed.id] })
      const second = yield* enrichments.create(caller, { ...rule, allFeeds: true })
      expect([first.lints, first.enrichment.version, first.enrichment.createdBy]).toEqual([
        [],
        1,
        "usr_00000000000000000000000001"
      ])
      const { rows } = yield* enrichments.list(caller)
      expect(rows.map(({ enrichment }) => enrichment.id)).toEqual([first.enrichment.id, second.enrichment.id])
      expect(second.enrichment.order).toBeGreaterThan(first.enrichment.order)
    }).pipe(Effect.provide(services))
  )

  it.effect("lists those of a type that there is, and names the types where there is no such", () =>
    Effect.gen(function* () {
      const { enrichments, caller } = yield* opened
      yield* enrichments.create(caller, { ...rule, allFeeds: true })
      const typed = (type: string) => enrichments.list(caller, { where: { type } })
      expect((yield* typed("rule")).rows).toHaveLength(1)
      expect((yield* typed("filter")).rows).toEqual([])
      expect(yield* Effect.flip(typed("nope"))).toMatchObject({
        _tag: "InvalidInput",
        code: "INVALID_REQUEST",
        details: [{ field: "type", message: expect.stringMatching(/^must be one of [a-z_]+(, [a-z_]+)+$/) }]
      })
    }).pipe(Effect.provide(services))
  )

  it.effect("says that one which names no feed does nothing", () =>
    Effect.gen(function* () {
      const { enrichments, caller } = yield* opened
      expect((yield* enrichments.create(caller, rule)).lints.map(({ field }) => field)).toEqual(["feedIds"])
    }).pipe(Effect.provide(services))
  )

  it.effect("refuses what could not run, naming every fault, and keeps nothing of it", () =>
    Effect.gen(function* () {
      const { caller, enrichments, refusal, workspace } = yield* opened
      const other = yield* storeFeed(yield* storeWorkspace())
      const trades = yield* storeFeed(workspace, { dataType: "trades", dataTypeOptions: { dataType: "trades" } })
      const fieldsOf = (change: object) =>
        Effect.map(refusal(change), (error) => ("details" in error ? error.details.map(({ field }) => field) : []))
      expect(yield* refusal({ type: "unheard_of" })).toMatchObject({
        message: expect.stringMatching(/^Request is invalid: type must be one of [a-z_]+(, [a-z_]+)+$/),
        details: [{ field: "type" }]
      })
      expect(yield* fieldsOf({ feedIds: [other.id, trades.id] })).toEqual(["feedIds[0]", "feedIds[1]"])
      expect(yield* fieldsOf({ allFeeds: true, feedIds: [other.id] })).toEqual(["feedIds", "feedIds[0]"])
      expect((yield* fieldsOf({ config: { rules: "none" } })).every((field) => field?.startsWith("ruleConfig"))).toBe(
        true
      )
      expect(yield* fieldsOf({ config: {} })).toEqual(["ruleConfig.rules"])
      expect((yield* enrichments.list(caller)).rows).toEqual([])
    }).pipe(Effect.provide(services))
  )

  it.effect("changes what is given, counts what works otherwise, and lets a block stand for the whole", () =>
    Effect.gen(function* () {
      const { caller, enrichments } = yield* opened
      const { enrichment } = yield* enrichments.create(caller, { ...rule, allFeeds: true, emoji: "☕" })
      const { id } = enrichment
      const renamed = yield* enrichments.update(caller, id, { name: "Tea", emoji: null }, 1)
      expect(renamed.enrichment).toMatchObject({ name: "Tea", version: 2, revision: 1 })
      expect(renamed.enrichment).not.toHaveProperty("emoji")
      const off = yield* enrichments.update(caller, id, { enabled: false, order: 5 })
      expect(off.enrichment).toMatchObject({ enabled: false, order: 5, version: 3, revision: 2 })
      const [first] = rule.config.rules
      const config = { rules: [first, { ...first, action: { field: "category", value: "Cakes" } }] }
      const other = yield* enrichments.update(caller, id, { blocks: { ruleConfig: config } })
      expect(other.enrichment).toMatchObject({ config, version: 4, revision: 3 })
      expect(yield* enrichments.get(caller, id)).toEqual(other)
      expect(yield* Effect.flip(enrichments.update(caller, id, { name: "x" }, 1))).toMatchObject({
        _tag: "PreconditionFailed"
      })
      yield* enrichments.remove(caller, id)
      expect(yield* Effect.flip(enrichments.get(caller, id))).toMatchObject({ resource: "Enrichment" })
    }).pipe(Effect.provide(services))
  )

  it.effect("gives no feed more of them than runs can look at, and names the field that would", () =>
    Effect.gen(function* () {
      const { caller, enrichments, refusal, workspace } = yield* opened
      const [full, other] = [yield* storeFeed(workspace), yield* storeFeed(workspace)]
      const everywhere = yield* enrichments.create(caller, { ...rule, allFeeds: true })
      for (let n = 1; n < limits.enrichmentsPerFeed; n++) {
        yield* enrichments.create(caller, { ...rule, feedIds: [full.id] })
      }
      expect(yield* refusal({ feedIds: [other.id, full.id] })).toMatchObject(crowded("feedIds[1]"))
      expect(yield* refusal({ allFeeds: true })).toMatchObject(crowded("allFeeds"))
      const resting = yield* enrichments.create(caller, { ...rule, feedIds: [full.id], enabled: false })
      const change = (request: object) => enrichments.update(caller, resting.enrichment.id, request)
      expect(yield* Effect.flip(change({ enabled: true }))).toMatchObject(crowded("enabled"))
      yield* change({ feedIds: [other.id], enabled: true })
      expect(yield* Effect.flip(change({ feedIds: [full.id] }))).toMatchObject(crowded("feedIds[0]"))
      // What is there already can be worked with, and makes room.
      yield* enrichments.update(caller, everywhere.enrichment.id, { order: 7 })
      yield* enrichments.update(caller, everywhere.enrichment.id, { enabled: false })
      yield* change({ feedIds: [full.id] })
    }).pipe(Effect.provide(services))
  )

  it.effect("tells faults of its block from those of the request itself", () =>
    Effect.gen(function* () {
      const { caller, enrichments, refusal } = yield* opened
      const { enrichment } = yield* enrichments.create(caller, { ...rule, allFeeds: true })
      const change = (request: object) => Effect.flip(enrichments.update(caller, enrichment.id, request))
      expect(yield* change({ type: "filter" })).toMatchObject({ _tag: "InvalidInput", details: [{ field: "type" }] })
      expect(yield* change({ dataType: "trades" })).toMatchObject({ details: [{ field: "dataType" }] })
      expect(yield* change({ blocks: { filterConfig: {} } })).toMatchObject({
        _tag: "InvalidInput",
        details: [{ field: "filterConfig", message: "is not the block of rule, which is ruleConfig" }]
      })
      expect(yield* change({ blocks: { ruleConfig: { rules: [] } } })).toMatchObject({
        _tag: "Unprocessable",
        code: "ENRICHMENT_VALIDATION_FAILED"
      })
      expect(yield* change({ feedIds: ["feed_x"] })).toMatchObject({
        details: [{ field: "feedIds" }, { field: "feedIds[0]" }]
      })
      expect(yield* refusal({ type: "unheard_of" })).toMatchObject({ _tag: "InvalidInput" })
      expect((yield* enrichments.get(caller, enrichment.id)).enrichment).toEqual(enrichment)
    }).pipe(Effect.provide(services))
  )

  it.effect("puts a new one beside the last where no place is left behind it", () =>
    Effect.gen(function* () {
      const { caller, enrichments } = yield* opened
      yield* enrichments.create(caller, { ...rule, order: largestOrder - 1 })
      expect((yield* enrichments.create(caller, rule)).enrichment.order).toBe(largestOrder)
      expect((yield* enrichments.create(caller, rule)).enrichment.order).toBe(largestOrder)
    }).pipe(Effect.provide(services))
  )

  it.effect("lists in the order in which they run, narrowed to what is asked for", () =>
    Effect.gen(function* () {
      const { caller, enrichments, workspace } = yield* opened
      const feed = yield* storeFeed(workspace)
      const hide = {
        name: "Hide",
        type: "filter",
        dataType: "transactions",
        allFeeds: true,
        config: { conditions: { logic: "and", conditions: [{ field: "amount", operator: "isEmpty" }] } }
      } as const
      const last = yield* enrichments.create(caller, { ...hide, order: 1 })
      const second = yield* enrichments.create(caller, { ...rule, order: 3, feedIds: [feed.id] })
      const first = yield* enrichments.create(caller, { ...rule, order: 2, enabled: false })
      const namesOf = (where: Record<string, string | boolean>) =>
        Effect.map(enrichments.list(caller, { where }), ({ rows }) => rows.map(({ enrichment }) => enrichment.id))
      const [a, b, c] = [first, second, last].map(({ enrichment }) => enrichment.id)
      expect(yield* namesOf({})).toEqual([a, b, c])
      expect(yield* namesOf({ type: "filter" })).toEqual([c])
      expect(yield* namesOf({ enabled: false })).toEqual([a])
      expect(yield* namesOf({ feedId: feed.id })).toEqual([b, c])
      expect(yield* namesOf({ dataType: "trades" })).toEqual([])
    }).pipe(Effect.provide(services))
  )

  it.effect("keeps an app to what it made, and from rules for all feeds", () =>
    Effect.gen(function* () {
      const { caller, enrichments, workspace } = yield* opened
      const app = callerOf(
        {
          kind: "oauth_app",
          workspace,
          app: { clientId: "app_1", name: "App", firstParty: false },
          userId: "usr_1",
          role: "owner",
          scopes: ["enrichments:read", "enrichments:write"]
        },
        "request"
      )
      const { enrichment } = yield* enrichments.create(caller, rule)
      const own = yield* enrichments.create(app, rule)
      expect(yield* Effect.flip(enrichments.create(app, { ...rule, allFeeds: true }))).toMatchObject({
        code: "APP_RULE_ON_ALL_FEEDS"
      })
      expect(yield* Effect.flip(enrichments.update(app, own.enrichment.id, { allFeeds: true }))).toMatchObject({
        code: "APP_RULE_ON_ALL_FEEDS"
      })
      expect(yield* Effect.flip(enrichments.get(app, enrichment.id))).toMatchObject({ _tag: "NotFound" })
      expect((yield* enrichments.list(app)).rows.map((row) => row.enrichment.id)).toEqual([own.enrichment.id])
      expect((yield* enrichments.list(caller)).rows).toHaveLength(2)
    }).pipe(Effect.provide(services))
  )

  it.effect("refuses to remove rows where a destination cannot, naming the field", () =>
    Effect.gen(function* () {
      const { caller, enrichments, refusal, workspace } = yield* opened
      const feed = yield* storeFeed(workspace, { destinationConfig: { type: "ledger_api" } })
      const other = yield* storeFeed(workspace)
      const { conditions } = rule.config.rules[0]
      const config = { conditions, onDropAfterDelivery: "remove" }
      const filter = { name: "Coffee", type: "filter", dataType: "transactions", config } as const
      const fault = {
        field: "filterConfig.onDropAfterDelivery",
        message: `the feed "${feed.name}" delivers to a destination of the type ledger_api, which cannot remove rows`
      }
      for (const scope of [{ allFeeds: true }, { feedIds: [feed.id] }]) {
        expect(yield* refusal({ ...filter, ...scope })).toMatchObject({ _tag: "Unprocessable", details: [fault] })
      }
      const { enrichment } = yield* enrichments.create(caller, { ...filter, feedIds: [other.id] })
      yield* enrichments.create(caller, { ...filter, config: { conditions }, allFeeds: true })
      const wider = yield* Effect.flip(enrichments.update(caller, enrichment.id, { feedIds: [], allFeeds: true }))
      expect(wider).toMatchObject({ _tag: "Unprocessable", details: [fault] })
      // Switched off it asks for nothing.
      yield* enrichments.update(caller, enrichment.id, { enabled: false })
    }).pipe(
      Effect.provide(
        services.pipe(Layer.provide(Layer.succeed(RowRemoval, { canRemove: (type) => type !== "ledger_api" })))
      )
    )
  )

  it.effect("refuses one more than a workspace may have", () =>
    Effect.gen(function* () {
      const { refusal, workspace } = yield* opened
      const store = yield* EnrichmentStore
      for (let n = 0; n < limits.enrichmentsPerWorkspace; n++) yield* store.insert(yield* makeEnrichment(workspace))
      expect(yield* refusal({})).toMatchObject({ code: "LIMIT_EXCEEDED" })
    }).pipe(Effect.provide(services))
  )

  it("names the block of a type", () => {
    expect([blockName("rule"), blockName("transfer_match")]).toEqual(["ruleConfig", "transferMatchConfig"])
  })

  it.effect("says which pattern reads a text after an earlier enrichment has changed its case", () =>
    Effect.gen(function* () {
      const { caller, enrichments } = yield* opened
      const make = (name: string, sent: object) =>
        enrichments.create(caller, {
          name,
          type: "rule",
          dataType: "transactions",
          allFeeds: true,
          config: { rules: [sent] }
        } as never)
      const tidy = yield* make("Tidy", {
        conditions: describedBy("contains", "a"),
        action: { kind: "case", field: "description", mode: "title" }
      })
      const category = { field: "category", value: "Invoices" }
      const strict = yield* make("Strict", { conditions: describedBy("matches", "INV-[0-9]+"), action: category })
      expect(strict.lints).toEqual([
        {
          field: "ruleConfig.rules[0].conditions.conditions[0]",
          message: 'sees description after "Tidy" has changed its case: begin the pattern with (?i)'
        }
      ])
      for (const pattern of ["(?i)INV-[0-9]+", "[0-9]{4}"]) {
        const folded = yield* make(pattern, { conditions: describedBy("matches", pattern), action: category })
        expect(folded.lints).toEqual([])
      }
      yield* enrichments.update(caller, tidy.enrichment.id, { enabled: false }, undefined)
      expect((yield* enrichments.get(caller, strict.enrichment.id)).lints).toEqual([])
    }).pipe(Effect.provide(services))
  )

  it.effect("says which of several has no effect where only the first counts", () =>
    Effect.gen(function* () {
      const { caller, enrichments } = yield* opened
      const dedupe = { name: "Tight", type: "dedupe", dataType: "transactions", allFeeds: true } as const
      const first = yield* enrichments.create(caller, { ...dedupe, config: { exactWindowDays: 9 } })
      expect(first.lints).toEqual([])
      const second = yield* enrichments.create(caller, { ...dedupe, name: "Loose" })
      expect(second.lints.map(({ message }) => message)).toEqual([
        `is shadowed by "Tight" (${first.enrichment.id}), which comes first, where both apply`
      ])
      yield* enrichments.update(caller, first.enrichment.id, { enabled: false }, undefined)
      expect((yield* enrichments.get(caller, second.enrichment.id)).lints).toEqual([])
    }).pipe(Effect.provide(services))
  )

  it.effect("takes destinations in the own network where the operator named their hosts, and no others", () =>
    Effect.gen(function* () {
      const { caller, enrichments, refusal } = yield* opened
      const conditions = { logic: "and", conditions: [{ field: "amount", operator: "lt", value: "-50" }] }
      const alertAt = (url: string) =>
        ({
          ...rule,
          type: "alert",
          config: { conditions, destinations: [{ type: "webhook", url }] },
          allFeeds: true
        }) as const
      const made = yield* enrichments.create(caller, alertAt("http://n8n.internal:5678/webhook/x"))
      expect(made.enrichment.config).toMatchObject({ destinations: [{ url: "http://n8n.internal:5678/****" }] })
      for (const url of ["http://n8n.internal:5679/webhook/x", "http://hooks.example.com/x", "https://nas.local/x"]) {
        expect(yield* refusal(alertAt(url))).toMatchObject({
          _tag: "Unprocessable",
          details: [
            { field: "alertConfig.destinations[0].url", message: expect.stringContaining("MILLRACE_PRIVATE_HOSTS") }
          ]
        })
      }
    }).pipe(
      Effect.provide(
        Layer.provide(
          services,
          Layer.succeed(MessageHosts, { has: (host, port) => host === "n8n.internal" && port === 5678 })
        )
      )
    )
  )

  it.effect("answers masks of addresses and secrets, and takes them back for what they stand for", () =>
    Effect.gen(function* () {
      const { caller, enrichments, refusal, workspace } = yield* opened
      const url = "https://hooks.example.com/services/T0/B0/0123456789"
      const conditions = { logic: "and", conditions: [{ field: "amount", operator: "lt", value: "-100" }] }
      const config = { conditions, destinations: [{ type: "slack", webhookUrl: url }] }
      const made = yield* enrichments.create(caller, { ...rule, type: "alert", config, allFeeds: true })
      const { id } = made.enrichment
      const masked = { ...config, destinations: [{ type: "slack", webhookUrl: "https://hooks.example.com/****6789" }] }
      const kept = Effect.map((yield* EnrichmentStore).list([workspace.id]), ([one]) => one!)
      expect(made.enrichment.config).toEqual(masked)
      expect((yield* enrichments.get(caller, id)).enrichment.config).toEqual(masked)
      expect((yield* enrichments.list(caller)).rows[0]?.enrichment.config).toEqual(masked)
      const changed = yield* enrichments.update(caller, id, { blocks: { alertConfig: { ...masked, perRunCap: 9 } } })
      expect(changed.enrichment.config).toEqual({ ...masked, perRunCap: 9 })
      expect((yield* kept).config).toEqual({ ...config, perRunCap: 9 })
      // Nothing of it is another one: nothing begins anew.
      const same = yield* enrichments.update(caller, id, { config: { ...masked, perRunCap: 9 } })
      expect(same.enrichment.revision).toBe(changed.enrichment.revision)
      const error = { _tag: "Unprocessable", details: [{ field: "alertConfig.destinations[0].webhookUrl" }] }
      expect(yield* refusal({ type: "alert", config: masked })).toMatchObject(error)
      const other = { ...config, destinations: [{ type: "slack", webhookUrl: "https://hooks.example.com/****0000" }] }
      expect(yield* Effect.flip(enrichments.update(caller, id, { config: other }))).toMatchObject(error)
    }).pipe(Effect.provide(services))
  )

  it.effect("asks feeds to deliver all of their records again where a change is to reach over the history", () =>
    Effect.gen(function* () {
      const { caller, enrichments, workspace } = yield* opened
      const [one, two] = [yield* storeFeed(workspace), yield* storeFeed(workspace)]
      const store = yield* TaskStore
      /** Feeds whose histories are to be looked at; they are looked at by that. */
      const asked = Effect.gen(function* () {
        const { tasks } = yield* store.claim("runner", [{ kind: "local_run", limit: 10 }], 60)
        yield* Effect.forEach(tasks, ({ fence }) => store.complete(fence))
        expect(tasks.every(({ task }) => task.payload["history"] === true)).toBe(true)
        return tasks.map(({ task }) => task.payload["feedId"]).toSorted()
      })
      const both = [one.id, two.id].toSorted()
      const { enrichment } = yield* enrichments.create(caller, { ...rule, feedIds: [one.id] })
      yield* enrichments.update(caller, enrichment.id, { name: "Tea", apply: "from_now" })
      expect(yield* asked).toEqual([])
      // Feeds that it no longer looks at lose what it said.
      yield* enrichments.update(caller, enrichment.id, { feedIds: [two.id], apply: "history" })
      expect(yield* asked).toEqual(both)
      yield* enrichments.update(caller, enrichment.id, { enabled: false, apply: "history" })
      expect(yield* asked).toEqual([two.id])
      yield* enrichments.remove(caller, enrichment.id, { asked: { apply: "history" } })
      expect(yield* asked).toEqual([two.id])
      const all = yield* enrichments.create(caller, { ...rule, allFeeds: true, apply: "history" })
      expect(yield* asked).toEqual(both)
      yield* enrichments.remove(caller, all.enrichment.id)
      expect(yield* asked).toEqual([])
    }).pipe(Effect.provide(services))
  )
})
