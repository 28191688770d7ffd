/** What enrichments found, in memory. */
import type { Finding } from "@millrace/core/enrichment"
import { FindingStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { frozen } from "./Frozen.ts"
import { Memory, removeWhere } from "./MemoryTransactor.ts"
import { ascending } from "./Order.ts"

const newestFirst = (a: Finding, b: Finding): number => ascending(b.firstSeenAt, a.firstSeenAt) || ascending(b.id, a.id)

export const layer: Layer.Layer<FindingStore, never, Memory> = Layer.effect(
  FindingStore,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { call, remove, set } = memory
    const findings = new Map<string, Finding>()
    memory.bankDestroyed.push(({ accountIds, recordIds }) =>
      removeWhere(memory, findings, (one) =>
        (JSON.stringify([one.subject.id, one.data]).match(/[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}/g) ?? []).some(
          (id) => accountIds.has(id) || recordIds.has(id)
        )
      )
    )

    const of = (workspaceId: string, enrichmentId: string): ReadonlyArray<Finding> =>
      [...findings.values()].filter((one) => one.workspaceId === workspaceId && one.enrichmentId === enrichmentId)

    return FindingStore.of({
      list: (workspaceId, enrichmentId, { before, from, kind, limit, status, to }) =>
        call(() =>
          of(workspaceId, enrichmentId)
            .filter((one) => {
              const day = one.firstSeenAt.slice(0, 10)
              return (
                (status === undefined || one.status === status) &&
                (kind === undefined || one.kind === kind) &&
                (from === undefined || day >= from) &&
                (to === undefined || day <= to) &&
                (before === undefined ||
                  one.firstSeenAt < before.firstSeenAt ||
                  (one.firstSeenAt === before.firstSeenAt && one.id < before.id))
              )
            })
            .toSorted(newestFirst)
            .slice(0, limit)
        ),
      get: (workspaceId, ids) =>
        call(() =>
          [...new Set(ids)].toSorted(ascending).flatMap((id) => {
            const one = findings.get(id)
            return one?.workspaceId === workspaceId ? [one] : []
          })
        ),
      present: (workspaceId, enrichmentId, partitions) =>
        call(() =>
          of(workspaceId, enrichmentId)
            .filter((one) => one.present && (partitions === undefined || partitions.includes(one.partition)))
            .toSorted((a, b) => ascending(a.id, b.id))
        ),
      putFindings: (changed) =>
        call(() => {
          const follows = changed.every(({ id, version }) => {
            const held = findings.get(id)
            return held === undefined || held.version === version - 1 || held.version === version
          })
          if (!follows) return false
          for (const one of changed) set(findings, one.id, frozen(one))
          return true
        }),
      forget: (workspaceId, enrichmentId) =>
        call(() => {
          for (const { id } of of(workspaceId, enrichmentId)) remove(findings, id)
        })
    })
  })
)
