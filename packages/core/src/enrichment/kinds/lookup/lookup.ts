/** Fields from a table, by a key that the text of a record names (enrichments C2). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataTypes, type FieldType } from "../../../record/DataType.ts"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import type { Fields, FieldValue } from "../../../record/FieldValue.ts"
import { coerce, meanings } from "../../../rule/ActionPlan.ts"
import { readProblem, typeOf, writeProblem } from "../../../rule/FieldAccess.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { Id } from "../../../shared/Ids.ts"
import { limits } from "../../../shared/Limits.ts"
import type { TableSnapshot, TableSnapshots } from "../TableSnapshots.ts"
import {
  type Check,
  type Claim,
  EnrichmentFault,
  type EnrichmentScope,
  type Issue,
  type Outcome,
  type PlanContext,
  type RecordKind,
  type View
} from "../Kind.ts"
import { folded, LookupIndex, matchClasses, type MatchClass, normalized, normalizers } from "./LookupIndex.ts"

const field = Schema.NonEmptyString.check(Schema.isMaxLength(limits.mappingKeyLength))
const sentValue = Schema.Union([Schema.String.check(Schema.isMaxLength(limits.textLength)), Schema.Number])
const sentValues = Schema.Record(field, sentValue)
const column = Schema.NonEmptyString.check(Schema.isMaxLength(limits.mappingKeyLength))

const Inline = Schema.Struct({
  kind: Schema.Literal("inline"),
  entries: Schema.NonEmptyArray(
    Schema.Struct({ match: Schema.NonEmptyString.check(Schema.isMaxLength(500)), set: sentValues })
  ).check(Schema.isMaxLength(limits.lookupEntries))
})

const FromTable = Schema.Struct({
  kind: Schema.Literal("table"),
  tableId: Id("table"),
  matchColumn: column,
  /** Field -> the column that its value comes from. */
  columns: Schema.Record(field, column),
  priorityColumn: Schema.optionalKey(column)
})

const withDefault = <A extends string | boolean>(schema: Schema.Codec<A>, fallback: NoInfer<A>) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.succeed(fallback)))

export const LookupConfig = Schema.Struct({
  source: Schema.Union([Inline, FromTable]).annotate({ message: "must be a source of kind inline or table" }),
  field: Schema.NonEmptyString.pipe(Schema.withDecodingDefaultKey(Effect.succeed("description"))),
  mode: withDefault(Schema.Literals(["auto", ...matchClasses]), "auto"),
  also: Schema.Array(Schema.Struct({ field, column })).pipe(
    Schema.check(Schema.isMaxLength(3)),
    Schema.withDecodingDefaultKey(Effect.succeed([]))
  ),
  normalizer: withDefault(Schema.Literals(normalizers), "text"),
  wholeWords: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  onMultiple: withDefault(Schema.Literals(["priority", "error"]), "priority"),
  onMissing: withDefault(Schema.Literals(["keep", "default"]), "keep"),
  defaults: sentValues.pipe(Schema.withDecodingDefaultKey(Effect.succeed({})))
})
export type LookupConfig = typeof LookupConfig.Type

const stage = 30
const columnsPerTable = 20

/** What a hit writes: field -> value. */
type Writes = ReadonlyArray<readonly [field: string, value: FieldValue]>

export interface PreparedLookup {
  readonly config: LookupConfig
  readonly catalog: FieldCatalog
  readonly index: LookupIndex | undefined
  readonly writes: ReadonlyArray<{ readonly id: string; readonly key: string; readonly writes: Writes }>
  readonly defaults: Writes
  /** Names what is looked up in. */
  readonly version: string
}

const textOf = (sent: string | number): string =>
  typeof sent === "number" ? (Decimal.parse(String(sent)) ?? String(sent)) : sent

const typeOfNew = (sent: ReadonlyArray<string | number>): FieldType =>
  sent.every((one) => typeof one === "number") ? "num" : "str"

/** Custom fields that it adds; one that is text anywhere is text. */
const declared = (config: LookupConfig, catalog: FieldCatalog): FieldCatalog => {
  const sent = new Map<string, Array<string | number>>()
  const note = (key: string, one: string | number) => {
    const all = sent.get(key)
    if (all === undefined) sent.set(key, [one])
    else all.push(one)
  }
  const { defaults, source } = config
  if (source.kind === "inline") {
    for (const { set } of source.entries) for (const [key, one] of Object.entries(set)) note(key, one)
  } else for (const key of Object.keys(source.columns)) note(key, "")
  for (const [key, one] of Object.entries(defaults)) note(key, one)
  const added = new Map<string, FieldType>()
  for (const [key, all] of sent) if (!catalog.has(key)) added.set(key, typeOf(key, catalog) ?? typeOfNew(all))
  return added
}

const checkWrites = (
  set: Readonly<Record<string, string | number>>,
  at: string,
  catalog: FieldCatalog,
  errors: Array<Issue>
): void => {
  for (const [key, sent] of Object.entries(set)) {
    const problem = writeProblem(key, catalog)
    const type = typeOf(key, catalog) ?? "str"
    if (problem !== undefined) errors.push({ field: `${at}.${key}`, message: problem })
    else if (coerce(textOf(sent), type) === undefined)
      errors.push({ field: `${at}.${key}`, message: `must be ${meanings[type]}` })
  }
}

const check = (config: LookupConfig, before: FieldCatalog): Check => {
  const catalog: FieldCatalog = new Map([...declared(config, before), ...before])
  const errors: Array<Issue> = []
  const { also, defaults, normalizer, onMissing, source } = config
  const reads = [[config.field, "field"], ...also.map((one, n) => [one.field, `also[${n}].field`] as const)] as const
  for (const [key, at] of reads) {
    const problem = readProblem(key, before, stage)
    if (problem !== undefined) errors.push({ field: at, message: problem })
  }
  if (source.kind === "inline") {
    if (also.length > 0) errors.push({ field: "also", message: "applies to a source of kind table only" })
    for (const [n, { match, set }] of source.entries.entries()) {
      const empty = config.mode === "normalized" ? normalized(match, normalizer) === "" : folded(match) === ""
      if (empty) errors.push({ field: `source.entries[${n}].match`, message: "matches every record" })
      if (Object.keys(set).length === 0)
        errors.push({ field: `source.entries[${n}].set`, message: "must name at least one field" })
      checkWrites(set, `source.entries[${n}].set`, catalog, errors)
    }
  } else {
    const written = Object.keys(source.columns)
    if (written.length === 0 || written.length > columnsPerTable)
      errors.push({ field: "source.columns", message: `must name 1 to ${columnsPerTable} fields` })
    for (const key of written) {
      const problem = writeProblem(key, catalog)
      if (problem !== undefined) errors.push({ field: `source.columns.${key}`, message: problem })
    }
  }
  if (config.mode === "normalized" && normalizer === "none")
    errors.push({ field: "normalizer", message: "none leaves nothing to compare in the mode normalized" })
  if (Object.keys(defaults).length > 0 && onMissing !== "default")
    errors.push({ field: "defaults", message: "needs onMissing default" })
  checkWrites(defaults, "defaults", catalog, errors)
  return { errors, lints: [] }
}

const writesOf = (set: Readonly<Record<string, string | number>>, catalog: FieldCatalog): Writes =>
  Object.entries(set).map(([key, sent]) => [key, coerce(textOf(sent), typeOf(key, catalog) ?? "str") ?? null] as const)

const classesOf = ({ mode, normalizer }: LookupConfig): ReadonlyArray<MatchClass> =>
  mode === "auto" ? matchClasses.filter((one) => one !== "normalized" || normalizer !== "none") : [mode]

const optionsOf = (config: LookupConfig) => ({
  classes: classesOf(config),
  normalizer: config.normalizer,
  wholeWords: config.wholeWords
})

const prepare = (config: LookupConfig, before: FieldCatalog): PreparedLookup => {
  const catalog: FieldCatalog = new Map([...declared(config, before), ...before])
  const base = { config, catalog, defaults: writesOf(config.defaults, catalog), version: "inline" }
  const { source } = config
  if (source.kind === "table") return { ...base, index: undefined, writes: [] }
  const rows = source.entries.map(({ match }, n) => ({ id: String(n), key: match, also: [], priority: 0 }))
  return {
    ...base,
    index: new LookupIndex(rows, optionsOf(config)),
    writes: source.entries.map(({ match, set }, n) => ({ id: String(n), key: match, writes: writesOf(set, catalog) }))
  }
}

const cellText = (values: Fields, key: string): string => {
  const cell = values[key]
  return cell === undefined || cell === null ? "" : String(cell)
}

/** With the rows of the table; fails where a column is none of it. */
const fromTable = (
  prepared: PreparedLookup,
  snapshot: TableSnapshot
): Effect.Effect<PreparedLookup, EnrichmentFault> => {
  const { also, source } = prepared.config
  if (source.kind !== "table") return Effect.succeed(prepared)
  const named = [
    source.matchColumn,
    ...Object.values(source.columns),
    ...also.map((one) => one.column),
    ...(source.priorityColumn === undefined ? [] : [source.priorityColumn])
  ]
  const missing = named.find((key) => !snapshot.columns.has(key))
  if (missing !== undefined) {
    return Effect.fail(new EnrichmentFault({ reason: "input", message: `the table has no column "${missing}"` }))
  }
  if (source.priorityColumn !== undefined && snapshot.columns.get(source.priorityColumn) !== "num") {
    const message = `the column "${source.priorityColumn}" is not numeric`
    return Effect.fail(new EnrichmentFault({ reason: "input", message }))
  }
  const rows = snapshot.rows.map(({ id, values: cells }) => {
    const priority = source.priorityColumn === undefined ? "" : cellText(cells, source.priorityColumn)
    return {
      id,
      key: cellText(cells, source.matchColumn),
      also: also.map((one) => folded(cellText(cells, one.column))),
      priority: priority === "" ? Infinity : Number(priority)
    }
  })
  return Effect.succeed({
    ...prepared,
    version: snapshot.version,
    index: new LookupIndex(rows, optionsOf(prepared.config)),
    writes: snapshot.rows.map(({ id, values: cells }, n) => ({
      id,
      key: rows[n]!.key,
      writes: Object.entries(source.columns).flatMap(([key, from]): Writes => {
        const text = cellText(cells, from)
        const type = typeOf(key, prepared.catalog) ?? "str"
        const made = text === "" ? undefined : coerce(text, type)
        return made === undefined ? [] : [[key, made]]
      })
    }))
  })
}

const claimsOf = (writes: Writes, path: string, evidence: Schema.Json): ReadonlyArray<Claim> =>
  writes.map(([key, made]) => ({ field: key, value: made, path, evidence }))

const plan = (prepared: PreparedLookup, { fields }: View, { work }: PlanContext): Outcome => {
  const { config, defaults, index, version, writes } = prepared
  const text = fields[config.field]
  const also = config.also.map((one) => folded(cellText(fields, one.field)))
  const hit = typeof text === "string" ? index?.find(text, also, work) : undefined
  if (hit === undefined) {
    if (config.onMissing === "keep") return { claims: [] }
    return { claims: claimsOf(defaults, "default", { by: "default", table: version }) }
  }
  if (hit.found > 1 && config.onMultiple === "error") {
    throw new EnrichmentFault({ reason: "input", message: `${hit.found} rows match by ${hit.by}` })
  }
  const { id, key, writes: made } = writes[hit.row]!
  return { claims: claimsOf(made, id, { by: hit.by, key, row: id, table: version }), matched: true }
}

/** The kind `lookup` on the tables of the installation. */
export const makeLookup = ({
  tables
}: {
  readonly tables: TableSnapshots["Service"]
}): RecordKind<LookupConfig, PreparedLookup> => ({
  type: "lookup",
  label: "Lookups",
  family: "record",
  stage: () => stage,
  capabilities: { authority: "lookup", dataTypes, writes: ["*"], perWorkspace: limits.enrichmentsPerWorkspace },
  Config: LookupConfig,
  check,
  declares: declared,
  prepare,
  open: Effect.fnUntraced(function* (prepared: PreparedLookup, { workspaceId }: EnrichmentScope) {
    const { source } = prepared.config
    if (source.kind === "inline") return { prepared, version: prepared.version }
    const snapshot = yield* Effect.mapError(
      tables.read(workspaceId, source.tableId),
      ({ message }) => new EnrichmentFault({ reason: "input", message })
    )
    if (snapshot === undefined) {
      return yield* new EnrichmentFault({ reason: "input", message: `there is no table ${source.tableId}` })
    }
    if (snapshot === "tooMany") {
      const message = `the table has more than ${limits.lookupRows} rows`
      return yield* new EnrichmentFault({ reason: "limit", message })
    }
    const opened = yield* fromTable(prepared, snapshot)
    return { prepared: opened, version: opened.version }
  }),
  plan,
  explain: (_, { evidence, field: key, value: made }) => {
    const told = evidence as { readonly by?: unknown; readonly key?: unknown } | undefined
    if (told?.by === "default") return `No key matches: ${key} is ${JSON.stringify(made)} by default`
    return `The key ${JSON.stringify(told?.key ?? "")} matches (${String(told?.by)}): ${key} is ${JSON.stringify(made)}`
  }
})
