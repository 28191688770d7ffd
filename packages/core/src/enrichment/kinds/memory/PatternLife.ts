/** From acts of people to patterns, and what happens to them (enrichments D5.6). */
import type { EnrichmentFact } from "../EnrichmentFact.ts"
import type { EnrichmentScope, PersonsAct } from "../Kind.ts"
import type { CalendarDate } from "../../../shared/CalendarDate.ts"
import type { Timestamp } from "../../../shared/Timestamp.ts"
import { candidatesOf } from "./Candidates.ts"
import { type Evidence, inOrder, type Observation, weigh } from "./Evidence.ts"
import type { MemoryConfig } from "./MemoryConfig.ts"
import {
  keyOf,
  meets,
  type MemoryPattern,
  type PatternCondition,
  type PatternName,
  type PatternStatus,
  valueText
} from "./MemoryPattern.ts"

export interface Learning {
  readonly scope: Pick<EnrichmentScope, "workspaceId" | "enrichmentId">
  readonly config: MemoryConfig
  readonly today: CalendarDate
  readonly now: Timestamp
  readonly acts: ReadonlyArray<PersonsAct>
  /** What people decided about this memory and holds. */
  readonly facts: ReadonlyArray<EnrichmentFact>
  readonly before: ReadonlyArray<MemoryPattern>
  readonly idOf: (name: PatternName) => MemoryPattern["id"]
}

/** Points of the bound, in thousandths, that an active pattern may lose before it is suspended. */
const slack = 50
/** A person who takes back what was filled in says so twice (enrichments D5.1). */
const undoWeight = 2

const groupOf = (key: string, field: string): string => JSON.stringify([key, field])

const blockOf = (key: string, field: string, value: string | boolean): string =>
  JSON.stringify([key, field, valueText(value)])

/** The acts about each key and field, in order. */
const observed = ({ acts, config }: Learning): ReadonlyMap<string, ReadonlyArray<Observation>> => {
  const groups = new Map<string, Array<Observation>>()
  const latest = new Map<string, PersonsAct>()
  for (const act of acts) {
    const about = JSON.stringify([act.recordId, act.field])
    const known = latest.get(about)
    if (known === undefined || known.at < act.at || (known.at === act.at && known.id < act.id)) latest.set(about, act)
  }
  for (const { day, field, fields, recordId, value } of latest.values()) {
    const key = keyOf(config, fields)
    if (key === "" || !config.learnFields.includes(field)) continue
    const group = groupOf(key, field)
    const list = groups.get(group) ?? []
    groups.set(group, list)
    list.push({
      recordId,
      fields,
      value: value ?? undefined,
      day,
      weight: value === undefined ? undoWeight : 1
    })
  }
  return new Map(Array.from(groups, ([group, list]) => [group, inOrder(list)]))
}

/** Decisions of people about patterns: values that are not to be learnt, patterns that they want, and those that are rules now. */
const decisionsOf = (facts: ReadonlyArray<EnrichmentFact>) => {
  const blocked = new Set<string>()
  const accepted = new Set<string>()
  const promoted = new Set<string>()
  for (const { field, kind, otherId, value } of facts) {
    if (otherId === undefined) continue
    if (kind === "accept") accepted.add(otherId)
    else if (kind === "note") promoted.add(otherId)
    else if (kind === "block" && field !== undefined && value !== undefined && value !== null) {
      blocked.add(blockOf(otherId, field, value))
    }
  }
  return { blocked, accepted, promoted }
}

const figures = ({ bound, count, predicted, right, total }: Evidence) => ({ bound, count, predicted, right, total })
const nothing = { bound: 0, count: 0, predicted: 0, right: 0, total: 0 }

const isOfAmount = (condition: PatternCondition): boolean => condition.kind.startsWith("amount")

/** Whether a record may meet both. */
const overlap = (a: PatternCondition | null, b: PatternCondition | null): boolean => {
  if (a === null || b === null) return true
  if (a.kind === "sign" && b.kind === "sign") return a.sign === b.sign
  if (a.kind === "account" && b.kind === "account") return a.accountId === b.accountId
  if (isOfAmount(a) && isOfAmount(b) && a.kind !== b.kind)
    return JSON.stringify({ ...a, kind: "" }) !== JSON.stringify({ ...b, kind: "" })
  return true
}

/** Those that matter least go first: what does not fill, then what is least sure. */
const weakness: Readonly<Record<PatternStatus, number>> = { retired: 0, suspended: 1, proposed: 2, active: 3 }

/**
 * All patterns as they are from now on, by id. The order in which acts were heard of changes nothing; what a pattern was
 * before decides only whether one that is no longer sure enough goes on.
 */
export const learnPatterns = (learning: Learning): ReadonlyArray<MemoryPattern> => {
  const { before, config, facts, idOf, now, scope, today } = learning
  const groups = observed(learning)
  const { accepted, blocked, promoted } = decisionsOf(facts)
  const known = new Map(before.map((pattern) => [pattern.id, pattern]))
  const after = new Map<string, MemoryPattern>()
  const put = (pattern: Omit<MemoryPattern, "changedAt">): void => {
    const old = known.get(pattern.id)
    const same = old !== undefined && old.status === pattern.status && old.reason === pattern.reason
    after.set(pattern.id, { ...pattern, changedAt: same ? old.changedAt : now })
  }

  /** What is sure now, by key and field. */
  const sure = new Map<string, ReadonlyArray<MemoryPattern["condition"]>>()
  for (const [group, acts] of groups) {
    const [key, field] = JSON.parse(group) as [string, string]
    const candidates = candidatesOf(acts, config, today)
    sure.set(
      group,
      candidates.map(({ condition }) => condition)
    )
    for (const { condition, evidence } of candidates) {
      const { value } = evidence
      const id = idOf({ enrichmentId: scope.enrichmentId, key, field, condition, value })
      if (blocked.has(blockOf(key, field, value)) || promoted.has(id)) continue
      const was = known.get(id)?.status
      const isWanted = config.activation === "auto" || accepted.has(id) || was === "active"
      const status = isWanted ? "active" : "proposed"
      put({ ...scope, id, key, field, condition, value, status, ...figures(evidence) })
    }
  }

  for (const old of before) {
    if (after.has(old.id)) continue
    const { condition, field, id, key, value } = old
    const { changedAt: _, reason: __, ...rest } = old
    const acts = (groups.get(groupOf(key, field)) ?? []).filter(({ fields }) => meets(condition, fields))
    const evidence = weigh(acts, { halfLifeDays: config.halfLifeDays, today }, value)
    const current = { ...rest, ...(evidence === undefined ? nothing : figures(evidence)) }
    const over = (reason: NonNullable<MemoryPattern["reason"]>) => put({ ...current, status: "retired", reason })
    if (promoted.has(id)) over("promoted")
    else if (blocked.has(blockOf(key, field, value))) over("deleted")
    else if (old.status === "retired") put({ ...current, status: "retired", reason: lastReason(old) })
    else if (!config.learnFields.includes(field) || evidence === undefined || old.status === "proposed")
      over("unsupported")
    else if ((sure.get(groupOf(key, field)) ?? []).some((other) => overlap(condition, other))) over("replaced")
    else if (evidence.isContradicted) put({ ...current, status: "suspended", reason: "contradicted" })
    else if (evidence.count < config.minSupport || evidence.bound < Number(config.confidence) * 1_000 - slack)
      put({ ...current, status: "suspended", reason: "unsupported" })
    else if (old.status === "suspended") put({ ...current, status: "suspended", reason: old.reason ?? "unsupported" })
    else put({ ...current, status: "active" })
  }

  const all = [...after.values()]
  if (all.length > config.maxPatterns) {
    all.sort((a, b) => weakness[b.status] - weakness[a.status] || b.bound - a.bound || (a.id < b.id ? -1 : 1))
    all.length = config.maxPatterns
  }
  return all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** One that was deleted comes back only when that is lifted and people agree again; why it is over stays otherwise. */
const lastReason = ({ reason }: MemoryPattern): NonNullable<MemoryPattern["reason"]> =>
  reason === undefined || reason === "contradicted" ? "unsupported" : reason
