/** Port: stores of plain things, each from its definition. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Conflict } from "../failure/Failure.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { Cell, Definition, KeyedDefinition, Place, Plain } from "./Resource.ts"

/** Another one has the same values in the fields of a key. */
export class KeyTaken extends Schema.TaggedError<KeyTaken>()("KeyTaken", {
  /** The name of the definition. */
  resource: Schema.String,
  fields: Schema.Array(Schema.String)
}) {
  /** What the caller of a use case learns (409). */
  get conflict(): Conflict {
    return this.conflictOf("one")
  }

  /** The same, where it is known what one of them is called. */
  conflictOf(one: string): Conflict {
    const { fields } = this
    const details = fields.map((field) => ({ field, message: "is taken" }))
    return new Conflict({ code: "KEY_TAKEN", message: `Another ${one} has the same ${fields.join(" and ")}`, details })
  }
}

/** What a field may be: one of several texts, from one value on, below another one; of what is named, all. */
export interface Bounds {
  readonly oneOf?: ReadonlyArray<string> | undefined
  readonly from?: number | string | undefined
  readonly below?: number | string | undefined
}

/**
 * What fields with a column, or the id, have to be: a value, null where they are to have none, or within bounds. What is
 * `undefined` may be anything.
 */
export type Where<A extends Plain> = Readonly<Partial<Record<Extract<keyof A, string>, Cell | Bounds | undefined>>>

export interface PageQuery<A extends Plain> {
  readonly workspaceIds: ReadonlyArray<WorkspaceId>
  readonly where?: Where<A>
  /** Those in the trash alone, or the others alone. */
  readonly trashed?: boolean
  /** Those behind this place. */
  readonly after?: Place
  readonly limit: number
}

export interface ResourceStore<A extends Plain, E = never> {
  /** Dies where the value does not fit its Schema, and says which field. */
  readonly insert: (value: A) => Effect.Effect<void, E | StorageUnavailable>
  /**
   * Replaces the one with its id and workspace. With versions only if the stored one is `value.version - 1`. `false` where
   * there is none.
   */
  readonly update: (value: A) => Effect.Effect<boolean, E | StorageUnavailable>
  /**
   * Inserts values and replaces those with their ids, in one statement. No two have one id or one key, nor does one take the
   * key that another gives up. With versions the stored one has to have the version of the value or the one before. `false`,
   * and what was written is to be taken back, where one has not, or is of another workspace.
   */
  readonly put: (values: ReadonlyArray<A>) => Effect.Effect<boolean, E | StorageUnavailable>
  readonly get: (workspaceId: WorkspaceId, id: A["id"]) => Effect.Effect<Option.Option<A>, StorageUnavailable>
  /** In the order of the definition, with those in the trash. */
  readonly list: (
    workspaceIds: ReadonlyArray<WorkspaceId>,
    where?: Where<A>
  ) => Effect.Effect<ReadonlyArray<A>, StorageUnavailable>
  /** The same, no more than `limit` of them. */
  readonly page: (query: PageQuery<A>) => Effect.Effect<ReadonlyArray<A>, StorageUnavailable>
  /** Permanently. `false` where there is none. */
  readonly remove: (workspaceId: WorkspaceId, id: A["id"]) => Effect.Effect<boolean, StorageUnavailable>
  /** All that are as asked, permanently. Returns how many. */
  readonly removeAll: (workspaceId: WorkspaceId, where: Where<A>) => Effect.Effect<number, StorageUnavailable>
  /**
   * Removes what came into the trash before an instant, at most `limit` of it, from all workspaces that the work may touch.
   * Returns how many.
   */
  readonly purge: (before: Timestamp, limit: number) => Effect.Effect<number, StorageUnavailable>
}

export interface KeyedStore<A extends Plain> extends ResourceStore<A, KeyTaken> {
  /** The one with these values in the fields of a key of the definition, of a workspace that the work may touch. */
  readonly find: (key: Partial<A>) => Effect.Effect<Option.Option<A>, StorageUnavailable>
}

/** In a database each needs its table, from a migration. */
export class Resources extends Context.Service<
  Resources,
  {
    readonly open: <A extends Plain>(definition: Definition<A>) => ResourceStore<A>
    readonly openKeyed: <A extends Plain>(definition: KeyedDefinition<A>) => KeyedStore<A>
  }
>()("@millrace/core/resource/Resources") {}
