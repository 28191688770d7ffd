/** Leases in memory. */
import { Timestamp } from "@millrace/core"
import { type Lease, LeaseLost, Leases } from "@millrace/core/storage"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Memory } from "./MemoryTransactor.ts"

const dayMillis = 86_400_000

export interface StoredLease extends Lease {
  /** Milliseconds; not included. */
  readonly until: number
}

/** The leases, and the steps that all calls on them are made of. */
export class LeaseTable extends Context.Service<
  LeaseTable,
  {
    readonly leases: ReadonlyMap<string, StoredLease>
    /** Takes or prolongs all of these; `undefined`, and nothing has changed, when one is busy. */
    readonly take: (
      resources: ReadonlyArray<string>,
      holder: string,
      now: number,
      until: number
    ) => ReadonlyArray<Lease> | undefined
    readonly prolong: (holder: string, until: number) => void
    readonly free: (holder: string) => void
    readonly purge: (before: number, limit: number) => number
  }
>()("@millrace/adapters/storage/memory/MemoryLeases/LeaseTable") {
  static readonly layer: Layer.Layer<LeaseTable, never, Memory> = Layer.effect(
    LeaseTable,
    Effect.map(Memory, ({ remove, set }) => {
      const leases = new Map<string, StoredLease>()
      let epochs = 0
      const put = (lease: StoredLease) => set(leases, lease.resource, lease)
      return {
        leases,
        take: (resources, holder, now, until) => {
          const wanted = [...new Set(resources)]
          const busy = wanted.some((resource) => {
            const lease = leases.get(resource)
            return lease !== undefined && lease.holder !== holder && lease.until > now
          })
          if (busy) return undefined
          return wanted.map((resource) => {
            const before = leases.get(resource)
            const own = before?.holder === holder ? before : undefined
            const lease: Lease = { resource, holder, epoch: own?.epoch ?? ++epochs }
            put({ ...lease, until: Math.max(own?.until ?? until, until) })
            return lease
          })
        },
        prolong: (holder, until) => {
          for (const lease of leases.values()) if (lease.holder === holder) put({ ...lease, until })
        },
        free: (holder) => {
          for (const lease of leases.values()) if (lease.holder === holder) remove(leases, lease.resource)
        },
        purge: (before, limit) => {
          const over = [...leases.values()].filter(({ until }) => until < before).slice(0, limit)
          for (const { resource } of over) remove(leases, resource)
          return over.length
        }
      }
    })
  )
}

export const layer: Layer.Layer<Leases, never, Memory | LeaseTable> = Layer.effect(
  Leases,
  Effect.gen(function* () {
    const { attempt, call } = yield* Memory
    const table = yield* LeaseTable
    const held = ({ epoch, holder, resource }: Lease): StoredLease | undefined => {
      const lease = table.leases.get(resource)
      return lease?.holder === holder && lease.epoch === epoch ? lease : undefined
    }
    return Leases.of({
      take: (resources, holder, seconds) =>
        call((now) => Option.fromUndefinedOr(table.take(resources, holder, now, now + seconds * 1000))),
      extend: (leases, seconds) =>
        call((now) =>
          leases.filter((lease) => {
            if (held(lease) === undefined) return false
            table.take([lease.resource], lease.holder, now, now + seconds * 1000)
            return true
          })
        ),
      fence: (lease) =>
        attempt((): Exit.Exit<void, LeaseLost> =>
          held(lease) === undefined ? Exit.fail(new LeaseLost({ resource: lease.resource })) : Exit.void
        ),
      free: (holder) => call(() => table.free(holder)),
      current: (resource) =>
        call((now) =>
          Option.fromUndefinedOr(table.leases.get(resource)).pipe(
            Option.filter(({ until }) => until > now),
            Option.map(({ until, ...lease }) => ({ ...lease, expiresAt: Timestamp.fromMillis(until) }))
          )
        ),
      purge: (limit) => call((now) => table.purge(now - dayMillis, limit))
    })
  })
)
