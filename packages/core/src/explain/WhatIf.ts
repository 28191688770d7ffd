/** Enrichments and facts as they would be after some changes (enrichments F2). */
import { shows } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import { userOf } from "../access/Principal.ts"
import type { Enrichment, EnrichmentId } from "../enrichment/Enrichment.ts"
import { blockOf, judge, noFindings } from "../enrichment/EnrichmentCheck.ts"
import type { EnrichmentChange, NewEnrichment } from "../enrichment/EnrichmentContract.ts"
import type { EnrichmentFact, EnrichmentFactId, FactRequest } from "../enrichment/kinds/EnrichmentFact.ts"
import type { Kinds } from "../enrichment/Kinds.ts"
import type { Detail } from "../failure/Failure.ts"
import { restoredConfig } from "../message/DestinationSecrets.ts"
import type { NamedHosts } from "../message/MessageHosts.ts"
import { derivedId, type Sha256 } from "../shared/DerivedId.ts"
import type { Timestamp } from "../shared/Timestamp.ts"

/** A change that is only supposed. */
export type Supposed =
  | { readonly kind: "create"; readonly enrichment: NewEnrichment }
  | { readonly kind: "update"; readonly enrichmentId: EnrichmentId; readonly change: EnrichmentChange }
  | { readonly kind: "delete"; readonly enrichmentId: EnrichmentId }
  | { readonly kind: "reorder"; readonly enrichmentId: EnrichmentId; readonly order: number }
  | { readonly kind: "enable"; readonly enrichmentId: EnrichmentId; readonly enabled: boolean }
  /** It is silent about a field of a record, or about all of it. */
  | {
      readonly kind: "silence"
      readonly enrichmentId: EnrichmentId
      readonly recordId: string
      readonly field?: string
    }
  /** Two records belong together for it, or do not. */
  | {
      readonly kind: "link"
      readonly enrichmentId: EnrichmentId
      readonly recordId: string
      readonly otherId: string
      readonly linked: boolean
    }
  /** A decision is taken back. */
  | { readonly kind: "lift"; readonly decisionId: EnrichmentFactId }

/** Something that a person would decide, at the place of the change that says so. */
export interface SupposedFact {
  readonly at: string
  readonly fact: EnrichmentFact
}

export interface Supposition {
  readonly enrichments: ReadonlyArray<Enrichment>
  /** Of the enrichments that would be others: before, after. */
  readonly changed: ReadonlyArray<readonly [before: Enrichment | undefined, after: Enrichment | undefined]>
  readonly facts: ReadonlyArray<SupposedFact>
  readonly lifts: ReadonlyArray<{ readonly at: string; readonly id: EnrichmentFactId }>
  /** What is wrong with the changes, at their paths. */
  readonly details: ReadonlyArray<Detail>
}

/** An app sees what it made, and no more. */
const isShown = (caller: Caller, { createdByActor, workspaceId }: Enrichment): boolean =>
  shows(caller, "simulateEnrichments", {
    workspaceId,
    ...(createdByActor === undefined ? {} : { createdBy: createdByActor })
  })

/** Above all revisions that really are, and another one for each content: what is compiled of it is of no other use. */
const supposedRevision = (sha256: Sha256, enrichment: Enrichment): number =>
  2 ** 41 + Number.parseInt(sha256(JSON.stringify(enrichment)).slice(0, 10), 16)

export const suppose = (
  caller: Caller,
  present: ReadonlyArray<Enrichment>,
  changes: ReadonlyArray<Supposed>,
  kinds: Kinds["Service"],
  hosts: NamedHosts,
  sha256: Sha256,
  now: Timestamp
): Supposition => {
  const details: Array<Detail> = []
  const after = new Map<string, Enrichment>(present.map((one) => [one.id, one]))
  const touched = new Set<string>()
  const facts: Array<SupposedFact> = []
  const lifts: Array<Supposition["lifts"][number]> = []
  const { workspace } = caller.principal
  const put = (enrichment: Enrichment) => {
    const { revision: _, ...content } = enrichment
    const revision = supposedRevision(sha256, { ...content, revision: 0 })
    after.set(enrichment.id, { ...content, revision })
    touched.add(enrichment.id)
  }
  for (const [n, one] of changes.entries()) {
    const at = `changes[${n}]`
    const found = noFindings()
    const within = (part: string) => {
      for (const { field, message } of [...found.top, ...found.inside]) {
        details.push({ field: `${at}.${part}.${field}`, message })
      }
      return found.top.length + found.inside.length === 0
    }
    if (one.kind === "create") {
      const { dataType, enabled = true, name, order, type } = one.enrichment
      const config = one.enrichment.config ?? blockOf(type, one.enrichment.blocks, found) ?? {}
      judge({ workspaceId: workspace.id, type, dataType, config }, kinds, hosts, found)
      if (!within("enrichment")) continue
      put({
        id: `enr_${derivedId(sha256, workspace.id, "supposed", String(n), JSON.stringify(one.enrichment))}` as EnrichmentId,
        workspaceId: workspace.id,
        name,
        type,
        enabled,
        order: order ?? Math.max(0, ...[...after.values()].map((other) => other.order)) + 10,
        dataType,
        feedIds: one.enrichment.feedIds ?? [],
        allFeeds: one.enrichment.allFeeds ?? false,
        config,
        createdBy: userOf(caller.principal),
        createdAt: now,
        updatedAt: now,
        version: 1,
        revision: 1
      })
      continue
    }
    if (one.kind === "lift") {
      lifts.push({ at: `${at}.decisionId`, id: one.decisionId })
      continue
    }
    const before = after.get(one.enrichmentId)
    if (before === undefined || !isShown(caller, before)) {
      details.push({ field: `${at}.enrichmentId`, message: "is no enrichment of this workspace" })
      continue
    }
    const decided = (request: FactRequest) => {
      const id =
        `fct_${derivedId(sha256, workspace.id, "supposed", String(n), JSON.stringify(request))}` as EnrichmentFactId
      const { dataType, workspaceId } = before
      facts.push({ at, fact: { ...request, id, workspaceId, dataType, by: caller.cause, at: now } })
    }
    switch (one.kind) {
      case "silence": {
        const { enrichmentId, field, recordId } = one
        decided({ kind: "suppress", enrichmentId, recordId, ...(field === undefined ? {} : { field }) })
        break
      }
      case "link": {
        const { enrichmentId, linked, otherId, recordId } = one
        decided({ kind: linked ? "confirm" : "forbid", enrichmentId, recordId, otherId })
        break
      }
      case "delete":
        after.delete(before.id)
        touched.add(before.id)
        break
      case "reorder":
        put({ ...before, order: one.order })
        break
      case "enable":
        put({ ...before, enabled: one.enabled })
        break
      case "update": {
        const { allFeeds, blocks, config: given, enabled, feedIds, order } = one.change
        const sent = given ?? blockOf(before.type, blocks, found)
        const config = sent === undefined ? before.config : restoredConfig(sent, before.config)
        judge({ ...before, config }, kinds, hosts, found)
        if (!within("change")) continue
        put({
          ...before,
          config,
          enabled: enabled ?? before.enabled,
          order: order ?? before.order,
          feedIds: feedIds ?? before.feedIds,
          allFeeds: allFeeds ?? before.allFeeds
        })
      }
    }
  }
  const old = new Map<string, Enrichment>(present.map((one) => [one.id, one]))
  return {
    enrichments: [...after.values()],
    facts,
    lifts,
    changed: [...touched].map((id) => [old.get(id), after.get(id)] as const),
    details
  }
}
