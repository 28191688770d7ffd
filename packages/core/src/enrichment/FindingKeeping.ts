/** Keeps what set kinds find, in the transaction of their analysis. */
import * as Effect from "effect/Effect"
import type { ActorRef } from "../access/ActorRef.ts"
import { EventStore } from "../event/EventStore.ts"
import { limits } from "../shared/Limits.ts"
import type { Sha256 } from "../shared/DerivedId.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { AnalysisScope } from "./AnalysisStore.ts"
import type { Enrichment } from "./Enrichment.ts"
import { changedFindings, type Finding, findingId } from "./Finding.ts"
import { findingEvent } from "./FindingEvents.ts"
import { FindingStore } from "./FindingStore.ts"
import type { PartitionKey } from "./kinds/SetKind.ts"
import type { FoundIn } from "./SetPlanning.ts"

export interface FindingKeeping {
  readonly scope: AnalysisScope
  readonly enrichmentId: Enrichment["id"]
  /** Partitions that were planned; all of them where they are not named. */
  readonly planned: ReadonlySet<PartitionKey> | undefined
  readonly found: ReadonlyArray<FoundIn>
  /** What was so when the enrichment began is kept, and not told. */
  readonly quiet: boolean
  readonly cause: ActorRef
  readonly sha256: Sha256
}

/** `false` where somebody decided about one of them meanwhile: then nothing of the transaction may stay. */
export const makeFindingKeeping = Effect.gen(function* () {
  const store = yield* FindingStore
  const events = yield* EventStore
  return Effect.fnUntraced(function* (keeping: FindingKeeping) {
    const { cause, enrichmentId, quiet, scope, sha256 } = keeping
    const { workspaceId } = scope
    const found = keeping.found.map((one) => ({ ...one, id: findingId(sha256, enrichmentId, one.finding.key) }))
    const partitions = keeping.planned === undefined ? undefined : [...keeping.planned]
    if (partitions?.length === 0) return true
    const known = new Map<string, Finding>()
    for (const one of yield* store.present(workspaceId, enrichmentId, partitions)) known.set(one.id, one)
    const others = [...new Set(found.map(({ id }) => id))].filter((id) => !known.has(id))
    for (const one of yield* store.get(workspaceId, others)) known.set(one.id, one)
    const changed = changedFindings(known, found, { ...scope, enrichmentId }, yield* Timestamp.now)
    if (changed.length === 0) return true
    if (!(yield* store.putFindings(changed))) return false
    if (quiet) return true
    const told = changed.filter(({ id, version }) => known.get(id)?.version !== version)
    yield* events.append(told.slice(0, limits.enrichmentEvents).map((one) => findingEvent(one, cause)))
    return true
  })
})
