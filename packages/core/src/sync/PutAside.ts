/**
 * A stage of any size: rows beyond a bound are put aside and come back account by account. As long as there is room they are
 * held as they are, then packed; what is too much to be held packed goes to storage.
 *
 * What is put aside belongs to one reading of one run. It is dropped when the reading ends; what a run that died has left
 * is purged, and can be taken for nobody else's.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { bankLease } from "../bank/BankLease.ts"
import { holderOf } from "../job/JobStore.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { TakenRow } from "./Ingest.ts"
import type { WriteRight } from "./LedgerWriter.ts"
import { headLength, headsText, RowsAside } from "./RowsAside.ts"
import { joined } from "./RowText.ts"
import type { Stage } from "./Stage.ts"
import { type StageChunk, type StageKey, StageStore } from "./StageStore.ts"

/**
 * How many rows of a reading are held at once, how many characters of others are held as they are by all readings together,
 * how long a chunk of them is at most, but for a single row, how many bytes of chunks are held, and how many rows are read back
 * with one statement.
 */
interface Bounds {
  readonly held: number
  readonly plain: number
  readonly characters: number
  readonly packed: number
  readonly readBack: number
}

/** Those of a kernel; smaller ones are for tests. */
export const StageBounds = Context.Reference<Bounds>("@millrace/core/sync/PutAside/StageBounds", {
  defaultValue: () => ({
    held: limits.stagedInMemory,
    plain: limits.stagePlainCharacters,
    characters: limits.stageChunkCharacters,
    packed: limits.stagePackedBytes,
    readBack: limits.stageReadBack
  })
})

/** What all readings together may hold as it is. */
export class Room {
  #left: number

  constructor(characters: number) {
    this.#left = characters
  }

  /** Whether there was so much. */
  take(characters: number): boolean {
    if (characters > this.#left) return false
    this.#left -= characters
    return true
  }

  giveBack(characters: number): void {
    this.#left += characters
  }
}

/**
 * Some rows of an account: as they are, or in two chunks that follow each other: what matching asks first, and what the
 * rows say.
 */
interface Place {
  readonly account: string
  readonly heads: number
  readonly texts: number
  readonly rows: number
  /** Until they are packed. */
  plain: ReadonlyArray<TakenRow> | undefined
}

/** Places whose chunks are made at once: each is in memory in several forms then. */
const packedAtOnce = 8

const gone = "Pages that were put aside are gone: the connection is read again"

/** What one reading has put aside. */
class PutAside {
  readonly #store: StageStore["Service"]
  readonly #key: StageKey
  readonly #bounds: Bounds
  readonly #room: Room
  /** Characters of rows that are held as they are. */
  #plain = 0
  /** Since there was no room, all is packed. */
  #isPacking = false
  /** By account, in the order in which they were shown. */
  readonly #places = new Map<string, Array<Place>>()
  /** Chunks that are held, by their numbers: they take a tenth of the room of rows. */
  readonly #held = new Map<number, StageChunk>()
  #bytes = 0
  #next = 0
  #isStored = false
  /** Packing is work for another thread: meanwhile the next page is read. */
  #packing: Fiber.Fiber<void> | undefined

  constructor(store: StageStore["Service"], key: StageKey, bounds: Bounds, room: Room) {
    this.#store = store
    this.#key = key
    this.#bounds = bounds
    this.#room = room
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
      const characters = this.#take(stage)
      if (!this.#isPacking && this.#room.take(characters)) {
        this.#plain += characters
        return
      }
      this.#isPacking = true
      this.#packing = yield* Effect.forkChild(this.#pack, { startImmediately: true })
    })
  }

  /** What is to be packed is. */
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

  /** Takes the rows that the stage holds, by account in parts; how many characters they are. */
  #take(stage: Stage): number {
    let all = 0
    for (const [account, rows] of stage.letGo()) {
      let from = 0
      let characters = 0
      const close = (to: number) => {
        const part = from === 0 && to === rows.length ? rows : rows.slice(from, to)
        const place = { account, heads: this.#next++, texts: this.#next++, rows: part.length, plain: part }
        const places = this.#places.get(account)
        if (places === undefined) this.#places.set(account, [place])
        else places.push(place)
        all += characters
        from = to
        characters = 0
      }
      for (let at = 0; at < rows.length; at++) {
        const row = rows[at]!
        const length = row.text.length + headLength(row)
        if (at > from && characters + length > this.#bounds.characters) close(at)
        characters += length
      }
      close(rows.length)
    }
    return all
  }

  /**
   * All that is held as it is. Several at once: one after the other each would wait for this thread, which reads the next
   * page, before it begins.
   */
  get #pack(): Effect.Effect<void> {
    const plain = [...this.#places.values()].flatMap((places) => places.filter((place) => place.plain !== undefined))
    const pack = Effect.fnUntraced({ self: this }, function* (this: PutAside, place: Place) {
      const { account, heads, plain: rows = [], texts } = place
      const chunks = [
        { number: heads, text: headsText(rows) },
        { number: texts, text: joined(rows.map(({ text }) => text)) }
      ]
      yield* Effect.forEach(
        chunks,
        ({ number, text }) =>
          Effect.map(this.#store.pack(text), (packed) => {
            this.#held.set(number, { number, account, packed })
            this.#bytes += packed.bytes.length
          }),
        { concurrency: "unbounded", discard: true }
      )
      place.plain = undefined
    })
    return Effect.andThen(
      Effect.forEach(plain, pack, { concurrency: packedAtOnce, discard: true }),
      Effect.sync(() => this.#giveBack())
    )
  }

  #giveBack(): void {
    this.#room.giveBack(this.#plain)
    this.#plain = 0
  }

  /** All rows of an account: those that were put aside, then those that the stage holds. */
  readonly rows = Effect.fnUntraced({ self: this }, function* (this: PutAside, stage: Stage, account: string) {
    yield* this.#packed
    const earlier = new RowsAside(stage.form)
    const places = this.#places.get(account) ?? []
    for (let at = 0; at < places.length;) {
      const { plain } = places[at]!
      if (plain !== undefined) {
        earlier.addPlain(plain)
        at++
        continue
      }
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

  /** May be dropped more than once. */
  get drop(): Effect.Effect<void, StorageUnavailable> {
    return Effect.gen({ self: this }, function* () {
      if (this.#packing !== undefined) yield* Fiber.interrupt(this.#packing)
      this.#giveBack()
      if (!this.#isStored) return
      yield* this.#store.drop(this.#key)
      this.#isStored = false
    })
  }
}

export type { PutAside }

/** A place for what one reading puts aside. `room`: shared with others, or its own. */
export const makePutAside = Effect.fnUntraced(function* (key: StageKey, bounds: Bounds, room?: Room) {
  return new PutAside(yield* StageStore, key, bounds, room ?? new Room(bounds.plain))
})

/** Opens a place for what is put aside by a reading. */
export class PuttingAside extends Context.Service<
  PuttingAside,
  {
    /** It is dropped with the scope, where it was not before. */
    readonly open: (workspaceId: WorkspaceId, right: WriteRight) => Effect.Effect<PutAside, never, Scope.Scope>
  }
>()("@millrace/core/sync/PutAside/PuttingAside") {
  static readonly layer: Layer.Layer<PuttingAside, never, StageStore | Ids> = Layer.effect(
    PuttingAside,
    Effect.gen(function* () {
      const store = yield* StageStore
      const ids = yield* Ids
      const bounds = yield* StageBounds
      const room = new Room(bounds.plain)

      return PuttingAside.of({
        open: Effect.fnUntraced(function* (workspaceId, right) {
          // Accounts that are made for a feed have no lease, and no pages either.
          const holder = right.fence === undefined ? (right.lease?.holder ?? "") : holderOf(right.fence)
          const key = { workspaceId, id: yield* ids.next("stage"), resource: bankLease(right.bankId), holder }
          return yield* Effect.acquireRelease(
            makePutAside(key, bounds, room).pipe(Effect.provideService(StageStore, store)),
            (aside) => Effect.ignore(aside.drop)
          )
        })
      })
    })
  )
}
