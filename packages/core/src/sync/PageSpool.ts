/**
 * A stage of any size: rows beyond a bound are put aside, packed, and come back account by account. What is too much to be
 * held packed goes to storage.
 *
 * What is put aside belongs to one reading of one run. It is dropped when the reading ends; what a run that died has left
 * is purged, and can be taken for nobody else's.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { bankLease } from "../bank/BankLease.ts"
import { holderOf } from "../job/JobStore.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { WriteRight } from "./LedgerWriter.ts"
import { headLength, headsText, SpooledRows } from "./SpooledRows.ts"
import { joined } from "./RowText.ts"
import type { Stage } from "./Stage.ts"
import { type StageChunk, type StageKey, StageStore } from "./StageStore.ts"

/**
 * How many rows of a reading are held at once, how long a chunk of them is at most, but for a single row, how many bytes of
 * chunks are held, and how many rows are read back with one statement.
 */
interface Bounds {
  readonly held: number
  readonly characters: number
  readonly packed: number
  readonly readBack: number
}

/** Those of a kernel; smaller ones are for tests. */
export const StageBounds = Context.Reference<Bounds>("@millrace/core/sync/PageSpool/StageBounds", {
  defaultValue: () => ({
    held: limits.stagedInMemory,
    characters: limits.stageChunkCharacters,
    packed: limits.stagePackedBytes,
    readBack: limits.stageReadBack
  })
})

/** Some rows of an account, in two chunks that follow each other: what matching asks first, and what the rows say. */
interface Place {
  readonly heads: number
  readonly texts: number
  readonly rows: number
}

interface PlainChunk extends Omit<StageChunk, "packed"> {
  readonly text: string
}

const gone = "Pages that were put aside are gone: the connection is read again"

/** What one reading has put aside. */
class PageSpool {
  readonly #store: StageStore["Service"]
  readonly #key: StageKey
  readonly #bounds: Bounds
  /** By account, in the order in which they were shown. */
  readonly #places = new Map<string, Array<Place>>()
  /** Chunks that are held, by their numbers: they take a tenth of the room of rows. */
  readonly #held = new Map<number, StageChunk>()
  #bytes = 0
  #next = 0
  #isStored = false
  /** Packing is work for another thread: meanwhile the next page is read. */
  #packing: Fiber.Fiber<void> | undefined

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
    return Effect.gen({ self: this }, function* () {
      yield* this.#packed
      if (this.#bytes >= this.#bounds.packed) yield* this.#send
      this.#packing = yield* Effect.forkChild(this.#pack(this.#chunksOf(stage)), { startImmediately: true })
    })
  }

  /** All that was put aside is packed. */
  get #packed(): Effect.Effect<void> {
    return Effect.suspend(() => (this.#packing === undefined ? Effect.void : Fiber.join(this.#packing)))
  }

  get #send(): Effect.Effect<void, StorageUnavailable> {
    return Effect.suspend(() => {
      const held = [...this.#held.values()]
      if (held.length === 0) return Effect.void
      this.#held.clear()
      this.#bytes = 0
      this.#isStored = true
      return this.#store.put(this.#key, held)
    })
  }

  #chunksOf(stage: Stage): ReadonlyArray<PlainChunk> {
    const chunks: Array<PlainChunk> = []
    for (const [account, rows] of stage.letGo()) {
      let texts: Array<string> = []
      let from = 0
      let characters = 0
      const close = () => {
        const to = from + texts.length
        const place = { heads: this.#next++, texts: this.#next++, rows: texts.length }
        chunks.push({ number: place.heads, account, text: headsText(rows.slice(from, to)) })
        chunks.push({ number: place.texts, account, text: joined(texts) })
        const places = this.#places.get(account)
        if (places === undefined) this.#places.set(account, [place])
        else places.push(place)
        texts = []
        from = to
        characters = 0
      }
      for (const row of rows) {
        const length = row.text.length + headLength(row)
        if (texts.length > 0 && characters + length > this.#bounds.characters) close()
        texts.push(row.text)
        characters += length
      }
      close()
    }
    return chunks
  }

  /** All at once: one after the other each would wait for this thread, which reads the next page, before it begins. */
  #pack(chunks: ReadonlyArray<PlainChunk>): Effect.Effect<void> {
    return Effect.forEach(
      chunks,
      ({ account, number, text }) =>
        Effect.map(this.#store.pack(text), (packed) => {
          this.#held.set(number, { number, account, packed })
          this.#bytes += packed.bytes.length
        }),
      { concurrency: "unbounded", discard: true }
    )
  }

  /** All rows of an account: those that were put aside, then those that the stage holds. */
  readonly rows = Effect.fnUntraced({ self: this }, function* (this: PageSpool, stage: Stage, account: string) {
    yield* this.#packed
    const earlier = new SpooledRows(stage.form)
    const places = this.#places.get(account) ?? []
    for (let at = 0; at < places.length;) {
      const [heads, said] = [this.#held.get(places[at]!.heads), this.#held.get(places[at]!.texts)]
      if (heads !== undefined && said !== undefined) {
        earlier.add(heads.packed.text(), said.packed.text)
        at++
        continue
      }
      const numbers: Array<number> = []
      for (
        let rows = 0;
        at < places.length &&
        !this.#held.has(places[at]!.heads) &&
        (numbers.length === 0 || rows + places[at]!.rows <= this.#bounds.readBack);
        at++
      ) {
        const place = places[at]!
        numbers.push(place.heads, place.texts)
        rows += place.rows
      }
      const texts = yield* this.#store.take(this.#key, numbers)
      if (texts.length !== numbers.length) return yield* new StorageUnavailable({ message: gone })
      for (let n = 0; n < texts.length; n += 2) earlier.add(texts[n]!(), texts[n + 1]!)
    }
    return stage.rows(account, earlier.rows)
  })

  get drop(): Effect.Effect<void, StorageUnavailable> {
    const stopped = this.#packing === undefined ? Effect.void : Fiber.interrupt(this.#packing)
    return Effect.andThen(stopped, this.#isStored ? this.#store.drop(this.#key) : Effect.void)
  }
}

export type { PageSpool }

/** A place for what one reading puts aside. */
export const makePageSpool = Effect.fnUntraced(function* (key: StageKey, bounds: Bounds) {
  return new PageSpool(yield* StageStore, key, bounds)
})

/** Opens a place for what is put aside by a reading. */
export class PageSpools extends Context.Service<
  PageSpools,
  {
    readonly open: (workspaceId: WorkspaceId, right: WriteRight) => Effect.Effect<PageSpool>
  }
>()("@millrace/core/sync/PageSpool/PageSpools") {
  static readonly layer: Layer.Layer<PageSpools, never, StageStore | Ids> = Layer.effect(
    PageSpools,
    Effect.gen(function* () {
      const store = yield* StageStore
      const ids = yield* Ids
      const bounds = yield* StageBounds

      return PageSpools.of({
        open: Effect.fnUntraced(function* (workspaceId, right) {
          // Accounts that are made for a feed have no lease, and no pages either.
          const holder = right.fence === undefined ? (right.lease?.holder ?? "") : holderOf(right.fence)
          const key = { workspaceId, id: yield* ids.next("stage"), resource: bankLease(right.bankId), holder }
          return yield* makePageSpool(key, bounds).pipe(Effect.provideService(StageStore, store))
        })
      })
    })
  )
}
