/**
 * A stage of any size: rows beyond a bound are put aside in storage, and come back account by account.
 *
 * What is put aside belongs to one reading of one run. It is dropped when the reading ends; what a run that died has left
 * is purged, and can be taken for nobody else's.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { bankLease } from "../bank/BankLease.ts"
import { holderOf } from "../job/JobStore.ts"
import type { Observation } from "../record/Observation.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { WriteRight } from "./LedgerWriter.ts"
import type { Stage } from "./Stage.ts"
import { type StageChunk, type StageKey, StageStore } from "./StageStore.ts"

/**
 * How many rows of a reading are held at once, how long a chunk of them is at most, but for a single row, how much is
 * written with one statement, and how many rows are read back with one.
 */
interface Bounds {
  readonly held: number
  readonly characters: number
  readonly packed: number
  readonly readBack: number
}

/** Those of a kernel; smaller ones are for tests. */
export const StageBounds = Context.Reference<Bounds>("@millrace/core/sync/PutAside/StageBounds", {
  defaultValue: () => ({
    held: limits.stagedInMemory,
    characters: limits.stageChunkCharacters,
    packed: limits.stagePackedCharacters,
    readBack: limits.stageReadBack
  })
})

interface Place {
  readonly number: number
  readonly rows: number
}

const gone = "Pages that were put aside are gone: the connection is read again"

/** What one reading has put aside. */
class PutAside {
  readonly #store: StageStore["Service"]
  readonly #key: StageKey
  readonly #bounds: Bounds
  /** By account, in the order in which they were shown. */
  readonly #places = new Map<string, Array<Place>>()
  /** Chunks on their way: as text they take a third of the room of rows. */
  #packed: Array<StageChunk> = []
  #characters = 0
  #next = 0

  constructor(store: StageStore["Service"], key: StageKey, bounds: Bounds) {
    this.#store = store
    this.#key = key
    this.#bounds = bounds
  }

  get isEmpty(): boolean {
    return this.#next === 0
  }

  /** How many rows of an account were put aside. */
  count(account: string): number {
    return (this.#places.get(account) ?? []).reduce((sum, { rows }) => sum + rows, 0)
  }

  /** To be called after each page: puts aside what the stage holds where that is too much. */
  after(stage: Stage): Effect.Effect<void, StorageUnavailable> {
    if (stage.held <= this.#bounds.held) return Effect.void
    return Effect.suspend(() => {
      this.#pack(stage)
      return this.#characters < this.#bounds.packed ? Effect.void : this.#send
    })
  }

  get #send(): Effect.Effect<void, StorageUnavailable> {
    return Effect.suspend(() => {
      if (this.#packed.length === 0) return Effect.void
      const chunks = this.#packed
      this.#packed = []
      this.#characters = 0
      return this.#store.put(this.#key, chunks)
    })
  }

  #pack(stage: Stage): void {
    for (const [account, rows] of stage.letGo()) {
      let texts: Array<string> = []
      let characters = 0
      const close = () => {
        const number = this.#next++
        const text = `[${texts.join(",")}]`
        this.#packed.push({ number, account, text })
        this.#characters += text.length
        const place = { number, rows: texts.length }
        const places = this.#places.get(account)
        if (places === undefined) this.#places.set(account, [place])
        else places.push(place)
        texts = []
        characters = 0
      }
      for (const row of rows) {
        const text = JSON.stringify(row)
        if (texts.length > 0 && characters + text.length > this.#bounds.characters) close()
        texts.push(text)
        characters += text.length
      }
      close()
    }
  }

  /** All rows of an account: those that were put aside, then those that the stage holds. */
  readonly rows = Effect.fnUntraced({ self: this }, function* (this: PutAside, stage: Stage, account: string) {
    yield* this.#send
    const earlier: Array<Observation> = []
    const places = this.#places.get(account) ?? []
    for (let at = 0; at < places.length;) {
      const numbers: Array<number> = []
      for (
        let rows = 0;
        at < places.length && (numbers.length === 0 || rows + places[at]!.rows <= this.#bounds.readBack);
        at++
      ) {
        numbers.push(places[at]!.number)
        rows += places[at]!.rows
      }
      const texts = yield* this.#store.take(this.#key, numbers)
      if (texts.length !== numbers.length) return yield* new StorageUnavailable({ message: gone })
      for (const text of texts) for (const row of JSON.parse(text()) as ReadonlyArray<Observation>) earlier.push(row)
    }
    return stage.rows(account, earlier)
  })

  get drop(): Effect.Effect<void, StorageUnavailable> {
    return this.isEmpty ? Effect.void : this.#store.drop(this.#key)
  }
}

export type { PutAside }

/** A place for what one reading puts aside. */
export const makePutAside = Effect.fnUntraced(function* (key: StageKey, bounds: Bounds) {
  return new PutAside(yield* StageStore, key, bounds)
})

/** Opens a place for what is put aside by a reading. */
export class PuttingAside extends Context.Service<
  PuttingAside,
  {
    readonly open: (workspaceId: WorkspaceId, right: WriteRight) => Effect.Effect<PutAside>
  }
>()("@millrace/core/sync/PutAside/PuttingAside") {
  static readonly layer: Layer.Layer<PuttingAside, never, StageStore | Ids> = Layer.effect(
    PuttingAside,
    Effect.gen(function* () {
      const store = yield* StageStore
      const ids = yield* Ids
      const bounds = yield* StageBounds

      return PuttingAside.of({
        open: Effect.fnUntraced(function* (workspaceId, right) {
          // Accounts that are made for a feed have no lease, and no pages either.
          const holder = right.fence === undefined ? (right.lease?.holder ?? "") : holderOf(right.fence)
          const key = { workspaceId, id: yield* ids.next("stage"), resource: bankLease(right.bankId), holder }
          return yield* makePutAside(key, bounds).pipe(Effect.provideService(StageStore, store))
        })
      })
    })
  )
}
