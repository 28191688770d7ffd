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

/** `MemoryPatterns` over their store. */
export const memoryPatterns: Layer.Layer<MemoryPatterns, never, MemoryPatternStore | Digest> = Layer.effect(
  MemoryPatterns,
  Effect.gen(function* () {
    const store = yield* MemoryPatternStore
    const { contentHash, sha256 } = yield* Digest
    return MemoryPatterns.of({
      list: ({ enrichmentId, workspaceId }) => store.list([workspaceId], { enrichmentId }),
      keep: Effect.fn("MemoryPatterns.keep")(function* ({ workspaceId }, before, after) {
        const known = new Map(before.map((pattern) => [pattern.id, textOf(pattern)]))
        const changed = after.filter((pattern) => known.get(pattern.id) !== textOf(pattern))
        for (const { id } of after) known.delete(id)
        if (!(yield* store.put(changed))) return yield* Effect.die(new Error("a pattern is of another workspace"))
        if (known.size > 0) yield* store.removeAll(workspaceId, { id: { oneOf: [...known.keys()] } })
      }),
      idOf: ({ condition, enrichmentId, field, key, value }) => {
        const name = derivedId(sha256, enrichmentId, key, field, JSON.stringify(condition), JSON.stringify(value))
        return `${prefixes.pattern}_${name}` as MemoryPattern["id"]
      },
      versionOf: (patterns) => contentHash(patterns.map(({ id }) => id).join(" "))
    })
  })
)
