/** The patterns of memories in storage. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { resource } from "../resource/Resource.ts"
import { Resources, type ResourceStore } from "../resource/Resources.ts"
import { derivedId } from "../shared/DerivedId.ts"
import { Digest } from "../shared/Digest.ts"
import { prefixes } from "../shared/Ids.ts"
import { MemoryPattern } from "./kinds/memory/MemoryPattern.ts"
import { MemoryPatterns } from "./kinds/memory/MemoryPatterns.ts"

/** By id. */
export const memoryPatternResource = resource<MemoryPattern>({
  name: "memory_pattern",
  schema: MemoryPattern,
  columns: { enrichmentId: "text" },
  order: [],
  versioned: false,
  filters: ["enrichmentId"]
})

export class MemoryPatternStore extends Context.Service<MemoryPatternStore, ResourceStore<MemoryPattern>>()(
  "@millrace/core/enrichment/MemoryPatternStore"
) {
  static readonly layer: Layer.Layer<MemoryPatternStore, never, Resources> = Layer.effect(
    MemoryPatternStore,
    Effect.map(Resources, ({ open }) => MemoryPatternStore.of(open(memoryPatternResource)))
  )
}

const encode = Schema.encodeSync(MemoryPattern)
const textOf = (pattern: MemoryPattern): string => JSON.stringify(encode(pattern))

/** Patterns that are read at a time. */
const pageSize = 1_000

/** `MemoryPatterns` over their store. */
export const memoryPatterns: Layer.Layer<MemoryPatterns, never, MemoryPatternStore | Digest> = Layer.effect(
  MemoryPatterns,
  Effect.gen(function* () {
    const store = yield* MemoryPatternStore
    const { contentHash, sha256 } = yield* Digest
    return MemoryPatterns.of({
      list: Effect.fn("MemoryPatterns.list")(function* ({ enrichmentId, workspaceId }) {
        const all: Array<MemoryPattern> = []
        for (;;) {
          const last = all.at(-1)
          const page = yield* store.page({
            workspaceIds: [workspaceId],
            where: { enrichmentId },
            limit: pageSize,
            ...(last === undefined ? {} : { after: [last.id] })
          })
          all.push(...page)
          if (page.length < pageSize) return all
        }
      }),
      keep: Effect.fn("MemoryPatterns.keep")(function* ({ workspaceId }, before, after) {
        const known = new Map(before.map((pattern) => [pattern.id, pattern]))
        for (const pattern of after) {
          const old = known.get(pattern.id)
          known.delete(pattern.id)
          if (old === undefined) yield* store.insert(pattern)
          else if (textOf(old) !== textOf(pattern)) yield* store.update(pattern)
        }
        for (const id of known.keys()) yield* store.remove(workspaceId, id)
      }),
      idOf: ({ condition, enrichmentId, field, key, value }) => {
        const name = derivedId(sha256, enrichmentId, key, field, JSON.stringify(condition), JSON.stringify(value))
        return `${prefixes.pattern}_${name}` as MemoryPattern["id"]
      },
      versionOf: (patterns) => contentHash(patterns.map(({ id }) => id).join(" "))
    })
  })
)
