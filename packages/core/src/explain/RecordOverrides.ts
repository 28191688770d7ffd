/** A person's own word about fields of a record (enrichments A6, decisions 12): it holds until they clear it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Caller } from "../access/Caller.ts"
import { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import { EnrichmentFacts } from "../enrichment/EnrichmentFacts.ts"
import type { RecordChangeStore } from "../enrichment/history/RecordChangeStore.ts"
import { type EnrichmentFact, type FactRequest, isWord } from "../enrichment/kinds/EnrichmentFact.ts"
import {
  type PersonsSplit,
  splitAmountField,
  splitField,
  splitOf,
  splitText
} from "../enrichment/kinds/split/PersonsSplit.ts"
import { lineSeparator, type Shadow } from "../enrichment/Progress.ts"
import { type Detail, type Forbidden, type NotFound, Unprocessable } from "../failure/Failure.ts"
import type { FeedId } from "../feed/Feed.ts"
import type { DataType } from "../record/DataType.ts"
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import { catalogOf } from "../record/FieldCatalog.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import { coerce, meanings } from "../rule/ActionPlan.ts"
import type { Issue } from "../rule/Check.ts"
import { typeOf, writeProblem } from "../rule/FieldAccess.ts"
import { Digest } from "../shared/Digest.ts"
import type { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { nearestName } from "../shared/NearestName.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { actedHistory } from "./ActedHistory.ts"
import { type Looked, RecordLooks, type RowLook } from "./RecordLooks.ts"
import { persons, type SplitRequest } from "./SplitRequest.ts"

export interface WordRequest {
  /** Field -> value; `null` empties it. */
  readonly fields?: Readonly<Record<string, string | boolean | null>>
  /** Fields that stay as they are shown now. */
  readonly lock?: ReadonlyArray<string>
  /** How the record falls into lines; `null` makes it whole again. */
  readonly split?: SplitRequest | null
}

export interface Words {
  readonly recordId: string
  /** What the person said and holds, by field. */
  readonly words: ReadonlyArray<EnrichmentFact>
  /** How they split it. */
  readonly split?: SaidSplit
  /** What enrichments would have written instead. */
  readonly shadows: ReadonlyArray<Shadow & { readonly feedId: FeedId; readonly rowId: string }>
  /** What was kept and may have been meant otherwise; absent where there is nothing of the kind. */
  readonly warnings?: ReadonlyArray<Issue>
}

/** A person's split, its amounts as they were said, with the sign of the record. */
export interface SaidSplit extends Pick<EnrichmentFact, "by" | "at"> {
  readonly deliver: PersonsSplit["deliver"]
  readonly lines: ReadonlyArray<{
    /** The row that feeds deliver. */
    readonly lineId: string
    readonly key: string
    readonly amount: string
    readonly set: Readonly<Record<string, FieldValue>>
  }>
  /** The amount of the record has become less than its lines before the last: they share it in proportion. */
  readonly mismatch: boolean
}

type Failed = NotFound | Forbidden | Unprocessable | StorageUnavailable

const refuse = (details: ReadonlyArray<Detail>) =>
  details.length === 0
    ? Effect.void
    : Effect.fail(
        new Unprocessable({
          code: "VALIDATION_FAILED",
          message: `${details[0]!.field}: ${details[0]!.message}`,
          details: details.slice(0, limits.errorDetails)
        })
      )

/** The value of the field's type, or what it has to be. */
const read = (
  sent: string | boolean | null,
  field: string,
  catalog: FieldCatalog
): FieldValue | { readonly must: string } => {
  if (sent === null || sent === "") return null
  const type = typeOf(field, catalog) ?? (typeof sent === "boolean" ? "bool" : "str")
  const value = coerce(String(sent), type)
  if (value === undefined || (type !== "bool" && typeof sent === "boolean")) return { must: meanings[type] }
  return typeof value === "string" && [...value].length > limits.templateLength
    ? { must: `at most ${limits.templateLength} characters` }
    : value
}

/** A field that nobody knows is one of its own, and perhaps one that was misspelt. */
const ownField = (
  field: string,
  at: string,
  dataType: DataType,
  catalog: FieldCatalog,
  rows: ReadonlyArray<RowLook>
): ReadonlyArray<Issue> => {
  const isMapped = rows.some(({ feed }) => feed.fieldMappings.some(({ sourceField }) => sourceField === field))
  if (isMapped || typeOf(field, catalog) !== undefined) return []
  const writable = [...catalog.keys(), "notes"].filter((known) => writeProblem(known, catalog) === undefined)
  const meant = nearestName(field, writable)
  const hint = meant === undefined ? "no feed maps it yet" : `did you mean "${meant}"?`
  return [{ field: at, message: `is no field of ${dataType} and is kept as one of its own: ${hint}` }]
}

/** What fields hold once these are kept. */
const said = (requests: ReadonlyArray<FactRequest>): Fields =>
  Object.fromEntries(requests.flatMap(({ field, value }) => (field === undefined ? [] : [[field, value ?? null]])))

/** What the first feed that shows the record delivers of it; without one, what the provider says. */
const valueNow = (looked: Looked, rows: ReadonlyArray<RowLook>, field: string): FieldValue => {
  const fields = rows[0]?.result.record.fields ?? looked.record.fields
  return Object.hasOwn(fields, field) ? (fields[field] ?? null) : null
}

/** What takes the place of a split that is taken back: the record is whole, and its lines are looked for. */
const whole = (recordId: string): FactRequest => ({ kind: "split", recordId, field: splitField })

const saidSplit = (recordId: string, facts: ReadonlyArray<EnrichmentFact>, fields: Fields): Pick<Words, "split"> => {
  const fact = facts.find(({ kind, value }) => kind === "split" && typeof value === "string")
  if (fact === undefined) return {}
  const { deliver, lines } = splitOf(String(fact.value))
  const minus = String(fields[splitAmountField(fields)] ?? "").startsWith("-")
  const signed = (amount: string) => (minus && amount !== "0" ? `-${amount}` : amount)
  return {
    split: {
      by: fact.by,
      at: fact.at,
      deliver,
      lines: lines.map(({ amount, id, key, set }) => ({
        lineId: `${recordId}${lineSeparator}${id}`,
        key,
        amount: signed(amount),
        set
      })),
      mismatch: fields["split.mismatch"] === true
    }
  }
}

/** Whether it says something now. */
const speaks = ({ kind, value }: EnrichmentFact): boolean => kind !== "split" || typeof value === "string"

const make = Effect.gen(function* () {
  const { sha256 } = yield* Digest
  const looks = yield* RecordLooks
  const facts = yield* EnrichmentFacts
  const store = yield* AnalysisStore
  const acted = yield* actedHistory
  const { atomically } = yield* Transactor

  const held = Effect.fnUntraced(function* ({ record, scope }: Looked) {
    const all = yield* store.facts(scope, { recordIds: [record.id] })
    return all.filter((fact) => isWord(fact) && fact.recordId === record.id)
  })

  const shown = Effect.fnUntraced(function* (looked: Looked, rows: ReadonlyArray<RowLook>) {
    const own = yield* held(looked)
    const fields = rows[0]?.result.record.fields ?? looked.record.fields
    return {
      recordId: looked.record.id,
      words: own.filter(({ kind }) => kind !== "split"),
      ...saidSplit(looked.record.id, own, fields),
      shadows: rows.flatMap(({ feed, result, rowId }) =>
        result.record.shadows.map((shadow) => ({ ...shadow, feedId: feed.id, rowId }))
      )
    } satisfies Words as Words
  })

  return RecordOverrides.of({
    set: Effect.fn("RecordOverrides.set")(function* (caller, recordId, { fields = {}, lock = [], split }) {
      const looked = yield* looks.open(caller, "setRecordFields", recordId)
      const { dataType } = looked.scope
      const before = yield* looks.rows(caller, looked)
      const catalog: FieldCatalog = new Map([
        ...catalogOf(dataType),
        ...before.flatMap(({ pipeline }) => [...pipeline.catalog])
      ])
      const details: Array<Detail> = []
      const warnings: Array<Issue> = []
      const requests: Array<FactRequest> = []
      for (const [field, sent] of Object.entries(fields)) {
        const problem = writeProblem(field, catalog)
        const value = read(sent, field, catalog)
        if (problem !== undefined) details.push({ field: `fields.${field}`, message: problem })
        else if (value !== null && typeof value === "object") {
          details.push({ field: `fields.${field}`, message: `must be ${value.must}` })
        } else {
          requests.push({ kind: "set", recordId, field, value })
          if (value !== null) warnings.push(...ownField(field, `fields.${field}`, dataType, catalog, before))
        }
      }
      for (const [n, field] of lock.entries()) {
        const problem = Object.hasOwn(fields, field) ? "is set as well" : writeProblem(field, catalog)
        if (problem !== undefined) details.push({ field: `lock[${n}]`, message: problem })
        else {
          requests.push({ kind: "lock", recordId, field, value: valueNow(looked, before, field) })
          warnings.push(...ownField(field, `lock[${n}]`, dataType, catalog, before))
        }
      }
      if (split === null) requests.push(whole(recordId))
      else if (split !== undefined) {
        const present = { ...(before[0]?.result.record.fields ?? looked.record.fields), ...said(requests) }
        const lines = persons(split, { recordId, dataType, fields: present, catalog, sha256 })
        if (Result.isFailure(lines)) details.push(...lines.failure)
        else requests.push({ kind: "split", recordId, field: splitField, value: splitText(lines.success) })
      }
      if (requests.length + details.length === 0) details.push({ field: "fields", message: "names no field" })
      yield* refuse(details)
      return yield* atomically(
        Effect.gen(function* () {
          // Said again, it is the word that holds already.
          const same = new Set(
            (yield* held(looked)).map(({ field, kind, value }) => JSON.stringify([kind, field, value ?? null]))
          )
          const wasSplit = (yield* held(looked)).some(({ kind }) => kind === "split")
          const fresh = requests.filter(
            ({ field, kind, value }) =>
              !same.has(JSON.stringify([kind, field, value ?? null])) &&
              (kind !== "split" || value !== undefined || wasSplit)
          )
          if (fresh.length > 0) {
            const touched = [{ scope: looked.scope, recordIds: [recordId] }]
            const { workspaceId } = looked.scope
            yield* facts.add({ workspaceId, dataType }, touched, fresh, caller.cause)
          }
          const now = yield* shown(looked, yield* acted(caller, looked, before))
          return warnings.length === 0 ? now : { ...now, warnings }
        })
      )
    }),
    clear: Effect.fn("RecordOverrides.clear")(function* (caller, recordId, fields) {
      const looked = yield* looks.open(caller, "clearRecordFields", recordId)
      const before = yield* looks.rows(caller, looked)
      return yield* atomically(
        Effect.gen(function* () {
          const wanted = (yield* held(looked))
            .filter(speaks)
            .filter(({ field }) => fields === undefined || (field !== undefined && fields.includes(field)))
          if (wanted.length > 0) {
            const touched = [{ scope: looked.scope, recordIds: [recordId] }]
            const which = wanted.map(({ id }) => id)
            const { dataType, workspaceId } = looked.scope
            yield* facts.lift(looked.scope, touched, which, caller.cause)
            if (wanted.some(({ kind }) => kind === "split")) {
              yield* facts.add({ workspaceId, dataType }, touched, [whole(recordId)], caller.cause)
            }
          }
          return yield* shown(looked, yield* acted(caller, looked, before))
        })
      )
    })
  })
})

export class RecordOverrides extends Context.Service<
  RecordOverrides,
  {
    /**
     * Keeps what a person says. Every feed that shows the record follows by a local run; no enrichment overrules it, now or
     * later. Fails with every fault at once.
     */
    readonly set: (caller: Caller, recordId: string, request: WordRequest) => Effect.Effect<Words, Failed>
    /** Takes their word back, about these fields or about all: the value is that of the next authority at once. */
    readonly clear: (caller: Caller, recordId: string, fields?: ReadonlyArray<string>) => Effect.Effect<Words, Failed>
  }
>()("@millrace/core/explain/RecordOverrides") {
  static readonly layer: Layer.Layer<
    RecordOverrides,
    never,
    RecordLooks | EnrichmentFacts | AnalysisStore | RecordChangeStore | Transactor | Ids | Digest
  > = Layer.effect(RecordOverrides, make)
}
