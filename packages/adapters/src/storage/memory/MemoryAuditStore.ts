/** The audit in memory. */
import { createHash } from "node:crypto"
import { chainHash, chainStart, type AuditEntryId } from "@millrace/core/audit"
import { AuditStore, type AuditChain, type AuditRow, type ChainedRow } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Memory } from "./MemoryTransactor.ts"

interface Open {
  readonly row: AuditRow
  readonly begunAt: number
  readonly ended: boolean
}

const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex")
const none: AuditChain = { newest: { number: 0, hash: chainStart }, forgotten: { number: 0, hash: chainStart } }

export const layer: Layer.Layer<AuditStore, never, Memory> = Layer.effect(
  AuditStore,
  Effect.gen(function* () {
    const { call, remove, set } = yield* Memory
    const open = new Map<AuditEntryId, Open>()
    const chains = new Map<WorkspaceId, AuditChain>()
    const rows = new Map<WorkspaceId, Map<number, ChainedRow>>()
    const begun = new Map<AuditEntryId, number>()

    const ofWorkspace = (id: WorkspaceId) => {
      let own = rows.get(id)
      if (own === undefined) rows.set(id, (own = new Map()))
      return own
    }

    const seal = (now: number): number => {
      let count = 0
      for (const [id, { begunAt, ended, row }] of open) {
        if (!ended && now - begunAt <= limits.auditMinutes * 60_000) continue
        const chain = chains.get(row.workspaceId) ?? none
        const newest = { number: chain.newest.number + 1, hash: chainHash(sha256, chain.newest.hash, row.content) }
        set(ofWorkspace(row.workspaceId), newest.number, Object.freeze({ ...row, ...newest }))
        set(chains, row.workspaceId, { ...chain, newest })
        set(begun, id, begunAt)
        remove(open, id)
        count++
      }
      return count
    }

    return AuditStore.of({
      begin: (row) => call((now) => set(open, row.id, { row, begunAt: now, ended: false })),
      end: (row) => call((now) => set(open, row.id, { row, begunAt: open.get(row.id)?.begunAt ?? now, ended: true })),
      list: (workspaceId, { actorId, before, from, limit, operationId, outcome, resourceId, to }) =>
        call((now) => {
          seal(now)
          return [...ofWorkspace(workspaceId).values()]
            .filter(
              (row) =>
                (before === undefined || row.number < before) &&
                (from === undefined || row.at >= from) &&
                (to === undefined || row.at <= to) &&
                (actorId === undefined || row.actorId === actorId) &&
                (operationId === undefined || row.operationId === operationId) &&
                (resourceId === undefined || row.resourceId === resourceId) &&
                (outcome === undefined || row.outcome === outcome)
            )
            .toSorted((a, b) => b.number - a.number)
            .slice(0, limit)
        }),
      chain: (workspaceId, after, limit) =>
        call(() =>
          [...ofWorkspace(workspaceId).values()]
            .filter(({ number }) => number > after)
            .toSorted((a, b) => a.number - b.number)
            .slice(0, limit)
        ),
      ends: (workspaceId) =>
        call((now) => {
          seal(now)
          return chains.get(workspaceId) ?? none
        }),
      seal: call(seal),
      purge: (limit) =>
        call((now) => {
          const oldest = now - limits.auditDays * 86_400_000
          let count = 0
          for (const [id, chain] of chains) {
            const own = ofWorkspace(id)
            let { forgotten } = chain
            while (count < limit) {
              const row = own.get(forgotten.number + 1)
              if (row === undefined || begun.get(row.id)! >= oldest) break
              remove(own, row.number)
              remove(begun, row.id)
              forgotten = { number: row.number, hash: row.hash }
              count++
            }
            if (forgotten !== chain.forgotten) set(chains, id, { ...chain, forgotten })
          }
          return count
        })
    })
  })
)
