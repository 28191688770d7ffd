/**
 * Transactions over plain maps: one at a time, with a journal of how to undo every change.
 *
 * A transaction is a lock with a journal. Its store calls take the lock of the innermost open transaction
 * of their fiber; a nested transaction is a child that holds the lock of its parent while it runs.
 */
import type { AccountId, BankId } from "@millrace/core/bank"
import type { FeedId } from "@millrace/core/feed"
import type { DataType } from "@millrace/core/record"
import type { Timestamp } from "@millrace/core"
import { Transactor } from "@millrace/core/storage"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"

interface Transaction {
  readonly parent: Transaction | undefined
  readonly lock: Semaphore.Semaphore
  /** Whether a nested transaction holds `lock`. */
  busy: boolean
  open: boolean
}

const begin = (parent: Transaction | undefined): Transaction => ({
  parent,
  lock: Semaphore.makeUnsafe(1),
  busy: false,
  open: true
})

/** The transaction that a fiber is in; forked fibers are in that of their parent. */
const Current = Context.Reference<Transaction | undefined>("@millrace/adapters/storage/memory/Current", {
  defaultValue: () => undefined
})

type Undo = () => void

/** A bank, its accounts and their records. */
export interface BankHeld {
  readonly bankId: BankId
  readonly accountIds: ReadonlySet<string>
  readonly recordIds: ReadonlySet<string>
}

/** Runs what the stores of one memory do together; each has added itself. */
export interface AccountHooks {
  /** Records go to another account, with all that is remembered of them. */
  readonly moved: Array<(move: MovedRecords) => void>
  /** What is kept of how each of two accounts is read is that of the other. */
  readonly exchanged: Array<(one: AccountId, other: AccountId, at: Timestamp.Timestamp) => void>
  /** An account is part of another one, or no longer. */
  readonly joined: Array<(whole: AccountId, part: AccountId, isPart: boolean) => void>
  /** Matches of records are no more. */
  readonly forgotten: Array<(matchIds: ReadonlySet<string>) => void>
  /** Files that showed an account show another one; returns which. Only these, where some are given. */
  readonly uploads: Array<(from: AccountId, to: AccountId, only?: ReadonlySet<string>) => ReadonlyArray<string>>
}

/** Records that go from one account to another. */
export interface MovedRecords {
  readonly workspaceId: WorkspaceId
  readonly from: AccountId
  readonly to: AccountId
  readonly dataType: DataType
  readonly ids: ReadonlySet<string>
}

/** Exchanges what a map has under the keys of two accounts, whose id is a part of each key. */
export const exchangeKeys = <V>(
  { remove, set }: Context.Service.Shape<typeof Memory>,
  map: Map<string, V>,
  at: number,
  one: string,
  other: string
): void => {
  const both = Array.from(map).filter(([key]) => [one, other].includes(key.split(" ")[at]!))
  for (const [key] of both) remove(map, key)
  for (const [key, value] of both) {
    const parts = key.split(" ")
    parts[at] = parts[at] === one ? other : one
    set(map, parts.join(" "), value)
  }
}

/** Removes those entries of a map for which the test holds; returns how many. */
export const removeWhere = <K, V>(
  { remove }: Context.Service.Shape<typeof Memory>,
  map: Map<K, V>,
  test: (value: V, key: K) => boolean
): number => {
  const found = Array.from(map).filter(([key, value]) => test(value, key))
  for (const [key] of found) remove(map, key)
  return found.length
}

/** Runs the calls of all stores of one memory, and notes how to undo their changes. */
export class Memory extends Context.Service<
  Memory,
  {
    /** Runs a synchronous call when no other transaction is open, and tells it the time in milliseconds. */
    readonly call: <A>(run: (now: number) => A) => Effect.Effect<A>
    /** The same for calls that can fail; they change nothing before they do. */
    readonly attempt: <A, E>(run: (now: number) => Exit.Exit<A, E>) => Effect.Effect<A, E>
    /** Notes how to undo a change. Without an open transaction nobody will ask. */
    readonly journal: (undo: Undo) => void
    readonly set: <K, V>(map: Map<K, V>, key: K, value: V) => void
    readonly remove: <K, V>(map: Map<K, V>, key: K) => void
    readonly atomically: Context.Service.Shape<typeof Transactor>["atomically"]
    /** What the stores do when a feed is removed; they add themselves. */
    readonly feedRemoved: Array<(id: FeedId) => void>
    /** The same when all that is held of a bank is destroyed; each returns how much it had. */
    readonly bankDestroyed: Array<(bank: BankHeld) => number>
    readonly accountHooks: AccountHooks
  }
>()("@millrace/adapters/storage/memory/MemoryTransactor/Memory") {
  static readonly layer: Layer.Layer<Memory> = Layer.sync(Memory, () => {
    const root = begin(undefined)
    let journal: Array<Undo> = []

    // A fiber can outlive the transaction that it was forked in.
    const innermost = (current: Transaction | undefined): Transaction => {
      let transaction = current
      while (transaction !== undefined && !transaction.open) transaction = transaction.parent
      return transaction ?? root
    }

    const undoTo = (mark: number): void => {
      while (journal.length > mark) journal.pop()!()
    }

    const attempt = <A, E>(run: (now: number) => Exit.Exit<A, E>): Effect.Effect<A, E> =>
      Effect.withFiber((fiber) => {
        const transaction = innermost(fiber.getRef(Current))
        // A call does not yield, so it needs to wait for the lock but never to hold it.
        if (!transaction.busy) return run(fiber.getRef(Clock.Clock).currentTimeMillisUnsafe())
        return transaction.lock.withPermits(1)(Effect.suspend(() => attempt(run)))
      })

    const atomically = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.withFiber((fiber) => {
        const parent = innermost(fiber.getRef(Current))
        return parent.lock.withPermits(1)(
          Effect.suspend(() => {
            // The transaction may have ended while this one waited for it.
            if (!parent.open) return atomically(effect)
            const transaction = begin(parent)
            const mark = journal.length
            parent.busy = true
            return Effect.onExit(Effect.provideService(effect, Current, transaction), (exit) =>
              Effect.sync(() => {
                transaction.open = false
                parent.busy = false
                if (Exit.isFailure(exit)) undoTo(mark)
                else if (parent === root) journal = []
              })
            )
          })
        )
      })

    return {
      attempt,
      call: (run) => attempt((now) => Exit.succeed(run(now))),
      journal: (undo) => {
        if (root.busy) journal.push(undo)
      },
      set: (map, key, value) => {
        if (root.busy) {
          const before = map.get(key)
          const had = before !== undefined || map.has(key)
          journal.push(() => {
            if (had) map.set(key, before!)
            else map.delete(key)
          })
        }
        map.set(key, value)
      },
      remove: (map, key) => {
        const before = map.get(key)
        if (before === undefined && !map.has(key)) return
        if (root.busy) journal.push(() => void map.set(key, before!))
        map.delete(key)
      },
      atomically,
      feedRemoved: [],
      bankDestroyed: [],
      accountHooks: { moved: [], exchanged: [], joined: [], forgotten: [], uploads: [] }
    }
  })
}

export const layer: Layer.Layer<Transactor, never, Memory> = Layer.effect(
  Transactor,
  Effect.map(Memory, ({ atomically }) => Transactor.of({ atomically }))
)
