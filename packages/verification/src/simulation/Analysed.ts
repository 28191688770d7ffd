/** What enrichments of set kinds say in a world: all that is kept of it, with names in place of ids. */
import { CalendarDate, limits } from "@millrace/core"
import type { Enrichment } from "@millrace/core/enrichment"
import { AnalysisStore, EnrichmentStore, EventStore } from "@millrace/core/storage"
import type { Workspace } from "@millrace/core/workspace"
import { makeEnrichment } from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"

const when = (field: string, operator: string, value: string) => ({
  logic: "and",
  conditions: [{ field, operator, value }]
})

/** Enrichments that look at each other: a rule, a split, transfers, and a budget that counts lines. */
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
      lines: ["Daily", "Shared"].map((name) => ({
        key: name.toLowerCase(),
        name,
        match: when("category", "equals", name),
        amount: "3"
      }))
    }
  ]
]

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

/** Partitions with their states, claims and links, by type of enrichment. Records are told by their names. */
export const analysed = Effect.fnUntraced(function* (
  workspace: Workspace,
  enrichments: ReadonlyArray<Enrichment>,
  nameOf: ReadonlyMap<string, string>
) {
  const store = yield* AnalysisStore
  const scope = { workspaceId: workspace.id, dataType: "transactions" } as const
  const named = (value: unknown): string => {
    let text = JSON.stringify(value)
    for (const [id, name] of nameOf) text = text.replaceAll(id, name)
    for (const { id } of enrichments) text = text.replaceAll(id, "enrichment")
    return text.replaceAll(derived, "derived")
  }
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
      said.push([type, key, named(told)])
    }
  }
  return said.toSorted(([a, x], [b, y]) => (`${a} ${x}` < `${b} ${y}` ? -1 : 1))
})

/**
 * What was told of enrichments, each with how often. Of findings that changed, only that some did: a read that is repeated after
 * a crash counts rows as missing once more, and what would have changed in two steps changes in one.
 */
export const toldOf = Effect.fnUntraced(function* (workspace: Workspace) {
  const events = yield* EventStore
  const all = (yield* events.read(workspace.id, 0, 1_000)).filter(({ type }) =>
    ["transfer", "budget", "split", "finding"].includes(type.split(".")[0]!)
  )
  const types = all.map(({ type }) => type)
  const once = types.filter((type, n) => type !== "finding.updated" || types.indexOf(type) === n)
  return once.toSorted()
})
