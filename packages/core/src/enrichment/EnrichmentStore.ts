/** Enrichments in storage. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Secrets } from "../bank/Secrets.ts"
import { maskedConfig, secretsIn, unmaskedConfig } from "../message/DestinationSecrets.ts"
import { type Definition, resource } from "../resource/Resource.ts"
import { Resources, type ResourceStore } from "../resource/Resources.ts"
import { Enrichment } from "./Enrichment.ts"

/** By order, then id. */
const definition: Omit<Definition<Enrichment>, "schema"> = {
  name: "enrichment",
  columns: { order: "integer", type: "text" },
  order: [{ field: "order", direction: "ascending" }],
  versioned: true
}

export const enrichmentResource = resource<Enrichment>({ ...definition, schema: Enrichment })

/** As it is stored where a disk is below: its block with masks, and beside it what they stand for, sealed. */
const SealedEnrichment = Schema.Struct({ ...Enrichment.fields, sealed: Schema.optionalKey(Schema.String) })
type SealedEnrichment = typeof SealedEnrichment.Type

const sealedResource = resource<SealedEnrichment>({ ...definition, schema: SealedEnrichment })

/** What the secrets of an enrichment are sealed for. */
export const sealedFor = ({ id, workspaceId }: { readonly id: string; readonly workspaceId: string }): string =>
  `enrichment|${workspaceId}|${id}`

const makeSealing = Effect.gen(function* () {
  const resources = yield* Resources
  const store = resources.open(sealedResource)
  const secrets = yield* Secrets
  const seal = Effect.fnUntraced(function* (enrichment: Enrichment) {
    const found = secretsIn(enrichment.config)
    if (Object.keys(found).length === 0) return enrichment
    return {
      ...enrichment,
      config: maskedConfig(enrichment.config),
      sealed: yield* secrets.seal(found, sealedFor(enrichment))
    } satisfies SealedEnrichment as SealedEnrichment
  })
  const open = Effect.fnUntraced(function* ({ sealed, ...enrichment }: SealedEnrichment) {
    if (sealed === undefined) return enrichment
    return yield* secrets.open(sealed, sealedFor(enrichment)).pipe(
      Effect.map((found): Enrichment => ({ ...enrichment, config: unmaskedConfig(enrichment.config, found) })),
      // The masks stay, which no kind takes: this enrichment is at fault, and nothing else.
      Effect.catchTag("SecretsUnreadable", (error) =>
        Effect.as(
          Effect.logError("The addresses of an enrichment cannot be opened", { id: enrichment.id, error }),
          enrichment
        )
      )
    )
  })
  const all = (found: ReadonlyArray<SealedEnrichment>) => Effect.forEach(found, open)
  const sealing: ResourceStore<Enrichment> = {
    insert: (enrichment) => Effect.flatMap(seal(enrichment), store.insert),
    update: (enrichment) => Effect.flatMap(seal(enrichment), store.update),
    put: (enrichments) => Effect.flatMap(Effect.forEach(enrichments, seal), store.put),
    get: (workspaceId, id) =>
      Effect.flatMap(
        store.get(workspaceId, id),
        Option.match({ onNone: () => Effect.succeedNone, onSome: (found) => Effect.asSome(open(found)) })
      ),
    list: (workspaceIds, where) => Effect.flatMap(store.list(workspaceIds, where), all),
    page: (query) => Effect.flatMap(store.page(query), all),
    remove: store.remove,
    removeAll: store.removeAll,
    purge: store.purge
  }
  return sealing
})

export class EnrichmentStore extends Context.Service<EnrichmentStore, ResourceStore<Enrichment>>()(
  "@millrace/core/enrichment/EnrichmentStore"
) {
  /** Keeps secrets of destinations sealed: for storage that reaches a disk. */
  static readonly layerSealed: Layer.Layer<EnrichmentStore, never, Resources | Secrets> = Layer.effect(
    EnrichmentStore,
    Effect.map(makeSealing, EnrichmentStore.of)
  )

  static readonly layer: Layer.Layer<EnrichmentStore, never, Resources> = Layer.effect(
    EnrichmentStore,
    Effect.map(Resources, ({ open }) => EnrichmentStore.of(open(enrichmentResource)))
  )
}
