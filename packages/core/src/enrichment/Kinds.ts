/** The kinds of enrichment that a program runs. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Patterns, type PatternEngine } from "../pattern/Pattern.ts"
import type { Sha256 } from "../shared/DerivedId.ts"
import { Digest } from "../shared/Digest.ts"
import { byIdentifier } from "../shared/Identifier.ts"
import type { EnrichmentType } from "./kinds/EnrichmentType.ts"
import type { RecordKind } from "./kinds/Kind.ts"
import type { SetKind } from "./kinds/SetKind.ts"
import * as bundled from "./bundled.ts"
import { RecordPasts } from "./kinds/dedupe/RecordPasts.ts"
import { MemoryPatterns } from "./kinds/memory/MemoryPatterns.ts"
import { TableSnapshots } from "./kinds/TableSnapshots.ts"
import { ModelUse } from "./kinds/ai/ModelUse.ts"

/** A kind of either family. */
export type AnyKind = RecordKind | SetKind

/** What the bundled kinds are made of. */
export interface KindNeeds {
  readonly patterns: PatternEngine
  /** Ids of what follows from records are made of it. */
  readonly sha256: Sha256
  /** There are none unless they are given. */
  readonly tables?: TableSnapshots["Service"]
  /** Nothing is known of what records were before unless they are given. */
  readonly pasts?: RecordPasts["Service"]
  /** Nothing is learnt unless they are given. */
  readonly memory?: MemoryPatterns["Service"]
  /** Nobody is asked, and nothing that people said is known, unless it is given. */
  readonly models?: ModelUse["Service"]
}

const noTables: TableSnapshots["Service"] = { read: () => Effect.undefined }

const noPasts: RecordPasts["Service"] = { read: () => Effect.succeed(new Map()) }

const noMemory: MemoryPatterns["Service"] = {
  list: () => Effect.succeed([]),
  keep: () => Effect.void,
  idOf: () => {
    throw new Error("Patterns were asked for, and there is nowhere to keep them: give `memory` to bundledKinds.")
  },
  versionOf: () => ""
}

const noModels: ModelUse["Service"] = {
  models: new Map(),
  asking: {
    keyOf: () => () => "",
    ask: () => Effect.succeed({ found: new Map(), exhausted: undefined, failures: [], pending: [] })
  },
  words: { read: () => Effect.succeed({ values: [], facts: [] }) },
  told: { begins: () => Effect.succeed(true), tell: () => Effect.void }
}

/** The bundled kinds, by type. One more is a file in `kinds` and a line in `bundled.ts`. */
export const bundledKinds = ({
  memory = noMemory,
  models = noModels,
  pasts = noPasts,
  patterns,
  sha256,
  tables = noTables
}: KindNeeds): ReadonlyArray<AnyKind> => {
  const needs = { memory, models, pasts, patterns, sha256, tables }
  const makings: ReadonlyArray<AnyKind | ((needs: Required<KindNeeds>) => AnyKind)> = Object.values(bundled)
  return makings.map((one) => (typeof one === "function" ? one(needs) : one))
}

/** A registry of these kinds. Types must be unique identifiers; anything else is a defect. */
export const kindsOf = (kinds: ReadonlyArray<AnyKind>): Kinds["Service"] => {
  const byType = byIdentifier("the enrichment type", kinds, ({ type }) => type)
  return { all: kinds, get: (type) => byType.get(type) }
}

export class Kinds extends Context.Service<
  Kinds,
  {
    readonly all: ReadonlyArray<AnyKind>
    /** `undefined`: enrichments of that type cannot run here. */
    readonly get: (type: EnrichmentType) => AnyKind | undefined
  }
>()("@millrace/core/enrichment/Kinds") {
  static readonly layer = (kinds: ReadonlyArray<AnyKind>): Layer.Layer<Kinds> => Layer.sync(Kinds, () => kindsOf(kinds))

  /** The bundled kinds, and those of the program. */
  static readonly layerBundled = (
    more: ReadonlyArray<AnyKind> = []
  ): Layer.Layer<Kinds, never, Patterns | TableSnapshots | RecordPasts | MemoryPatterns | ModelUse | Digest> =>
    Layer.effect(
      Kinds,
      Effect.gen(function* () {
        const needs = {
          patterns: yield* Patterns,
          sha256: (yield* Digest).sha256,
          tables: yield* TableSnapshots,
          pasts: yield* RecordPasts,
          memory: yield* MemoryPatterns,
          models: yield* ModelUse
        }
        return kindsOf([...bundledKinds(needs), ...more])
      })
    )
}

/** Why a stored enrichment of a type that is not here does not run. */
export const unknownType = (type: EnrichmentType, { all }: Kinds["Service"]): string =>
  `enrichments of type ${type} cannot run here; there are ${all.map((kind) => kind.type).join(", ")}`
