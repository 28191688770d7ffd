/** Learns from what people correct, and fills in what they would (enrichments C4 and D5). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataTypes } from "../../../record/DataType.ts"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import { coerce } from "../../../rule/ActionPlan.ts"
import { typeOf } from "../../../rule/FieldAccess.ts"
import { type Claim, EnrichmentFault, type Outcome, type PersonsAct, type RecordKind, type View } from "../Kind.ts"
import { checkMemory, MemoryConfig, memoryStage } from "./MemoryConfig.ts"
import { memoryEvents, patternEvent } from "./MemoryEvents.ts"
import { conditionText, keyOf, meets, MemoryPattern, PatternCondition, textKeyOf } from "./MemoryPattern.ts"
import type { MemoryPatterns } from "./MemoryPatterns.ts"
import { findingOf, patternFeedback, patternFinding } from "./PatternFinding.ts"
import { learnPatterns } from "./PatternLife.ts"

export interface PreparedMemory {
  readonly config: MemoryConfig
  readonly catalog: FieldCatalog
  /** What fills, by key. */
  readonly active: ReadonlyMap<string, ReadonlyArray<MemoryPattern>>
}

/** With what was learnt. */
export const withPatterns = (prepared: PreparedMemory, patterns: ReadonlyArray<MemoryPattern>): PreparedMemory => ({
  ...prepared,
  active: Map.groupBy(
    patterns.filter(({ field, status }) => status === "active" && prepared.config.learnFields.includes(field)),
    ({ key }) => key
  )
})

/** What a fill follows from. */
const FillEvidence = Schema.Struct({
  pattern: MemoryPattern.fields.id,
  key: Schema.String,
  value: MemoryPattern.fields.value,
  condition: Schema.NullOr(PatternCondition),
  count: Schema.Int,
  total: Schema.Int,
  bound: Schema.Int,
  right: Schema.Int,
  predicted: Schema.Int
})
const isFillEvidence = Schema.is(FillEvidence)

const nothing: Outcome = { claims: [] }

const plan = ({ active, catalog, config }: PreparedMemory, { fields }: View): Outcome => {
  if (active.size === 0) return nothing
  const key = keyOf(config, fields)
  const patterns = key === "" ? undefined : active.get(key)
  if (patterns === undefined) return nothing
  const claims: Array<Claim> = []
  for (const field of config.learnFields) {
    const pattern = patterns.find((one) => one.field === field && meets(one.condition, fields))
    if (pattern === undefined) continue
    const { bound, condition, count, id, predicted, right, total, value: learnt } = pattern
    const value = typeof learnt === "boolean" ? learnt : coerce(learnt, typeOf(field, catalog) ?? "str")
    if (value === undefined) continue
    const evidence = { pattern: id, key, value: learnt, condition, count, total, bound, right, predicted }
    claims.push({ field, value, path: id, evidence: evidence as unknown as Schema.Json })
  }
  return claims.length === 0 ? nothing : { claims, matched: true }
}

const declares = ({ learnFields }: MemoryConfig, catalog: FieldCatalog): FieldCatalog =>
  new Map(learnFields.flatMap((field) => (catalog.has(field) ? [] : [[field, typeOf(field, catalog) ?? "str"]])))

/** What stood in the records that people decided about, by key. */
const textsOf = (config: MemoryConfig, acts: ReadonlyArray<PersonsAct>) => {
  const texts = new Map<string, Map<string, readonly [field: string, text: string]>>()
  for (const { fields } of acts) {
    const key = keyOf(config, fields)
    const field = textKeyOf(fields[config.patternField]) === key ? config.patternField : "description"
    const text = fields[field]
    if (key === "" || typeof text !== "string") continue
    const known = texts.get(key) ?? new Map<string, readonly [field: string, text: string]>()
    texts.set(key, known.set(`${field}\n${text}`, [field, text]))
  }
  return new Map(Array.from(texts, ([key, known]) => [key, [...known.values()]]))
}

/** The kind `memory` on the patterns of the installation. */
export const makeMemory = ({
  memory: patterns
}: {
  readonly memory: MemoryPatterns["Service"]
}): RecordKind<MemoryConfig, PreparedMemory> => ({
  type: "memory",
  label: "Memory",
  family: "record",
  stage: () => memoryStage,
  capabilities: {
    authority: "memory",
    dataTypes,
    writes: ["*"],
    emits: Object.values(memoryEvents),
    finds: [patternFinding],
    perWorkspace: 1
  },
  Config: MemoryConfig,
  check: checkMemory,
  declares,
  prepare: (config, before) => ({
    config,
    catalog: new Map([...declares(config, before), ...before]),
    active: new Map()
  }),
  open: Effect.fnUntraced(function* (prepared, scope) {
    const all = yield* patterns
      .list(scope)
      .pipe(Effect.mapError(({ message }) => new EnrichmentFault({ reason: "input", message })))
    return {
      prepared: withPatterns(prepared, all),
      version: patterns.versionOf(all.filter(({ status }) => status === "active"))
    }
  }),
  plan,
  learnsFrom: ({ config }) => config.learnFields,
  learn: Effect.fnUntraced(function* ({ config }, { acts, enrichmentId, facts, now, today, workspaceId }) {
    const scope = { workspaceId, enrichmentId }
    const before = yield* patterns.list(scope)
    const after = learnPatterns({ scope, config, today, now, acts, facts, before, idOf: patterns.idOf })
    const known = new Map(before.map((pattern) => [pattern.id, pattern]))
    const texts = textsOf(config, acts)
    return {
      keep: patterns.keep(scope, before, after),
      events: after.flatMap((pattern) => patternEvent(known.get(pattern.id), pattern)),
      findings: after.flatMap((pattern) => findingOf(pattern, texts.get(pattern.key) ?? []))
    }
  }),
  feedback: patternFeedback,
  forget: (scope) => Effect.flatMap(patterns.list(scope), (all) => patterns.keep(scope, all, [])),
  explain: (_, { evidence, field, value }) => {
    if (!isFillEvidence(evidence)) return `Learnt: ${field} is ${JSON.stringify(value)}`
    const { bound, condition, count, key, total } = evidence
    const where = condition === null ? "" : ` and ${conditionText(condition)}`
    return (
      `People chose ${JSON.stringify(value)} ${count} of ${total} times for "${key}"${where} ` +
      `(at least ${(bound / 10).toFixed(1)} % sure): ${field} is ${JSON.stringify(value)}`
    )
  }
})
