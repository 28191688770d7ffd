/** Which fields conditions may read and actions may write (enrichments A2, E4). */
import { fieldsOf, ownerFieldKeys, type FieldType } from "../record/DataType.ts"
import type { FieldCatalog } from "../record/FieldCatalog.ts"

/** Form of the keys of custom fields. */
const keyForm = /^[a-z][A-Za-z0-9_]{0,63}$/
/** Whether a custom field may be called so. */
export const isCustomName = (field: string): boolean => keyForm.test(field)
const dottedForm = /^[a-z][A-Za-z0-9_]{0,63}\.[a-z][A-Za-z0-9_]{0,63}$/

/** Stage after which the fields written by one kind only can be read (enrichments A2, A3). */
const reservedStage = new Map([
  ["merchantKey", 0],
  ["processor", 0],
  ["dedupe", 10],
  ["merchantId", 40],
  ["ai", 70],
  ["split", 80],
  ["transfer", 90],
  ["fee", 100],
  ["recurring", 110],
  ["anomaly", 120],
  ["budget", 140],
  ["filter", 170]
])

const stageOf = (field: string): number | undefined => {
  const dot = field.indexOf(".")
  return reservedStage.get(dot < 0 ? field : field.slice(0, dot))
}

const isReserved = (field: string): boolean => stageOf(field) !== undefined

/** Says who and what a record is, or follows from another field. */
const fixed: ReadonlySet<string> = new Set([
  ...ownerFieldKeys,
  "currency",
  "pending",
  "pendingTransactionId",
  "creditAmount",
  "debitAmount",
  "originalDescription",
  "securityId",
  "brokerageOrderId"
])

/** Values of transactions that may be rewritten for presentation, besides text. */
const presentation: ReadonlySet<string> = new Set(["amount", "date", "authorizedDate"])

const specsOf = Object.values(fieldsOf)

/** Whether the key is one of the source fields of the data type that the catalog was made of. */
export const isSource = (field: string, catalog: FieldCatalog): boolean =>
  specsOf.some(
    (spec) => Object.hasOwn(spec, field) && Object.entries(spec).every(([key, { type }]) => catalog.get(key) === type)
  )

/** Why a condition of that stage may not read the field; `undefined` when it may. */
export const readProblem = (field: string, catalog: FieldCatalog, stage: number): string | undefined => {
  const written = stageOf(field)
  if (written !== undefined && written >= stage) return `"${field}" is written by a later stage`
  return catalog.has(field) || keyForm.test(field) || dottedForm.test(field) ? undefined : `"${field}" is no field name`
}

/** Whether the field is known to exist. */
export const isKnown = (field: string, catalog: FieldCatalog): boolean =>
  catalog.has(field) || isReserved(field) || field === "notes"

/** Why an action may not write the field; `undefined` when it may. */
export const writeProblem = (field: string, catalog: FieldCatalog): string | undefined => {
  if (fixed.has(field) || isReserved(field)) return `"${field}" is not writable`
  const type = catalog.get(field)
  if (type !== undefined && type !== "str" && isSource(field, catalog))
    return presentation.has(field) && catalog.has("creditAmount") ? undefined : `"${field}" is not writable`
  return type !== undefined || keyForm.test(field) ? undefined : `"${field}" is no field name`
}

/** Declared type, if there is one. */
export const typeOf = (field: string, catalog: FieldCatalog): FieldType | undefined =>
  catalog.get(field) ?? (field === "notes" ? "str" : undefined)
