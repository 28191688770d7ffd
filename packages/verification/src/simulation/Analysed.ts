/** What enrichments of set kinds say in a world: all that is kept of it, with names in place of ids. */
import { CalendarDate, limits } from "@millrace/core"
import type { Enrichment } from "@millrace/core/enrichment"
import { AnalysisStore, EnrichmentStore, EventStore, OutboxStore } from "@millrace/core/storage"
import type { Workspace } from "@millrace/core/workspace"
import { makeEnrichment } from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"

const when = (field: string, operator: string, value: string) => ({
  logic: "and",
  conditions: [{ field, operator, value }]
})

const owner = [{ type: "email", recipients: ["owner@example.com"] }]

/** Enrichments that look at each other, and at all of them those that tell people. */
const configs: ReadonlyArray<readonly [type: string, config: object]> = [
  [
    "rule",
    { rules: [{ conditions: when("description", "contains", "e"), action: { field: "category", value: "Daily" } }] }
  ],
  [
    "split",
    {
      rules: [
        {
          id: "new",
          conditions: when("description", "equals", "new"),
          lines: [
            { key: "half", method: "percent", value: "50" },
            { key: "rest", method: "remainder", set: { category: "Shared" } }
          ]
        }
      ]
    }
  ],
  ["transfer_match", {}],
  [
    "budget",
    {
      period: { unit: "month", anchor: "2026-01-01" },
      currency: "USD",
      lines: [
        { key: "daily", name: "Daily", match: when("category", "equals", "Daily"), amount: "3" },
        { key: "shared", name: "Shared", match: when("category", "equals", "Shared"), amount: "0.5" },
        { key: "drinks", name: "Drinks", match: when("category", "in", "Cafés,Drinks"), amount: "5" }
      ]
    }
  ],
  ["fees", {}],
  ["recurring", {}],
  ["anomaly", {}],
  [
    "monitor",
    {
      checks: [
        {
          kind: "aggregate",
          key: "moved",
          conditions: when("description", "contains", "transfer"),
          measure: "count",
          windowDays: 30,
          op: "gt",
          threshold: "3"
        }
      ],
      destinations: owner
    }
  ],
  ["alert", { conditions: when("description", "contains", "e"), destinations: owner, notifyResolved: true }],
  [
    "alert",
    { conditions: when("amount", "lt", "-5"), destinations: owner, trigger: "everyChange", cooldownMinutes: 30 }
  ],
  [
    "alert",
    {
      source: "event",
      conditions: when("event.type", "startsWith", "budget"),
      destinations: [...owner, { type: "sms", phoneNumbers: ["+31612345678"] }]
    }
  ],
  ["digest", { cadence: "weekly", destinations: owner }]
]

/**
 * Kinds whose states follow from the records alone, whenever those came. Others keep what they told, which depends on when they
 * noticed (enrichments A10).
 */
export const isTimeless = (type: string): boolean =>
  ["transfer_match", "budget", "fees", "recurring", "anomaly"].includes(type)

/** Thresholds that a budget once crossed: when that was noticed is a history as well. */
const crossings = /,?"crossings":\[[^\]]*\]/g

/** Of what was said, what does not depend on when. */
export const timeless = (said: Effect.Success<ReturnType<typeof analysed>>) =>
  said.flatMap(([type, partition, what]) =>
    isTimeless(type) ? [[type, partition, what.replaceAll(crossings, "")]] : []
  )

/** Those that look at sets: rows show nothing of what they say. */
export const isOfSets = (type: string): boolean => type !== "rule" && type !== "split"

/** Switches them on, of these types alone. */
export const enrichedWith = Effect.fnUntraced(function* (
  workspace: Workspace,
  which: (type: string) => boolean = () => true
) {
  const store = yield* EnrichmentStore
  const made: Array<Enrichment> = []
  for (const [type, config] of configs) {
    if (!which(type)) continue
    const one = yield* makeEnrichment(workspace, { type, config: config as Enrichment["config"] })
    yield* store.insert(one)
    made.push(one)
  }
  return made
})

/** Ids, and hashes of them: other ones in every scenario. */
const derived = /[0-9a-z]{20,}/gi
/** Times of day: a run that is taken up again looks an hour later. */
const instants = /T\d\d:\d\d:\d\d\.\d{3}Z/g
/**
 * A read that is repeated after a crash counts rows as missing again. What would have changed in two steps changes in one
 * then, and a digest that would have been told and amended is sent as it is in the end.
 */
const inOneStep = (type: string): boolean => type === "finding.updated" || type === "digest.amended"
const amendments = /"amendments":\d+/g

/** JSON with the names of records in place of their ids. */
const toldBy = (
  value: unknown,
  nameOf: ReadonlyMap<string, string>,
  enrichments: ReadonlyArray<Enrichment>
): string => {
  let text = JSON.stringify(value)
  for (const [id, name] of nameOf) text = text.replaceAll(id, name)
  for (const { id } of enrichments) text = text.replaceAll(id, "enrichment")
  return text.replaceAll(derived, "derived").replaceAll(instants, "").replaceAll(amendments, "")
}

/** Partitions with their states, claims and links, by type of enrichment. Records are known by their names. */
export const analysed = Effect.fnUntraced(function* (
  workspace: Workspace,
  enrichments: ReadonlyArray<Enrichment>,
  nameOf: ReadonlyMap<string, string>
) {
  const store = yield* AnalysisStore
  const scope = { workspaceId: workspace.id, dataType: "transactions" } as const
  const named = (value: unknown): string => toldBy(value, nameOf, enrichments)
  const said: Array<readonly [type: string, partition: string, said: string]> = []
  for (const { id, type } of enrichments) {
    const keys = yield* store.stale(scope, id, {
      tag: "none",
      today: CalendarDate.make("2099-12-31"),
      limit: limits.runPartitions
    })
    const states = new Map((yield* store.partitions(scope, id, keys)).map((one) => [one.partition, one]))
    const outputs = yield* store.outputs(scope, id, keys)
    for (const key of keys) {
      const { links = [], notes = [] } = outputs.get(key) ?? {}
      const { due, state } = states.get(key)!
      const told = {
        state,
        due,
        // Ids decide about the order of lines, and are other ones in every scenario.
        notes: notes.map(({ claims, recordId }) => named([recordId, claims.map(named).toSorted()])).toSorted(),
        links: links.map(named).toSorted()
      }
      said.push([type, named(key), named(told)])
    }
  }
  return said.toSorted(([a, x], [b, y]) => (`${a} ${x}` < `${b} ${y}` ? -1 : 1))
})

const toldTypes: ReadonlySet<string> = new Set(
  "transfer budget split finding fee recurring anomaly monitor alert digest message".split(" ")
)

/**
 * Messages to people with their states and all that they say. What a digest says when it is first told depends on how far its
 * rows had come by then, so of those it is the period; what they came to is in `analysed`.
 */
export const messagesOf = Effect.fnUntraced(function* (
  workspace: Workspace,
  enrichments: ReadonlyArray<Enrichment>,
  nameOf: ReadonlyMap<string, string>
) {
  const found = yield* (yield* OutboxStore).list(workspace.id, { limit: 1_000 })
  const typeOf = new Map(enrichments.map(({ id, type }) => [id, type]))
  return found
    .filter(({ content }) => !inOneStep(content.type))
    .map(({ content, endpoint, enrichmentId, state }) =>
      toldBy(
        {
          from: typeOf.get(enrichmentId),
          endpoint,
          state,
          content: content.type === "digest.issued" ? { type: content.type, period: content.data["period"] } : content
        },
        nameOf,
        enrichments
      )
    )
    .toSorted()
})

/** What was told of enrichments, each with how often, but of what may change in one step. */
export const toldOf = Effect.fnUntraced(function* (workspace: Workspace) {
  const events = yield* EventStore
  const all = (yield* events.read(workspace.id, 0, 1_000)).filter(({ type }) => toldTypes.has(type.split(".")[0]!))
  return all.flatMap(({ type }) => (inOneStep(type) ? [] : [type])).toSorted()
})
