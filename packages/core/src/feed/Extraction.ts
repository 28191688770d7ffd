/** What a feed of documents wants to be read out of them, and the source fields that follow (decisions 7.2). */
import * as Schema from "effect/Schema"
import {
  fieldsOf,
  isDocumentType,
  type DataType,
  type FieldSpec,
  type FieldSpecs,
  type FieldType
} from "../record/DataType.ts"
import { itemsField } from "../record/Items.ts"
import { catalogOf, type FieldCatalog } from "../record/FieldCatalog.ts"
import { limits } from "../shared/Limits.ts"

const extractionTypes = ["string", "number", "date", "currency", "boolean", "category", "id"] as const

const ExtractionField = Schema.Struct({
  key: Schema.String.check(
    Schema.isPattern(/^[a-z][a-z0-9_]{0,63}$/, {
      message: "must begin with a small letter and hold small letters, digits and _"
    })
  ),
  name: Schema.String,
  type: Schema.Literals(extractionTypes),
  description: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(limits.textLength))),
  examples: Schema.optionalKey(
    Schema.Array(Schema.String.check(Schema.isMaxLength(limits.textLength))).check(
      Schema.isMaxLength(limits.extractionExamples)
    )
  ),
  /** There is one value for each item of the document. */
  isItemField: Schema.optionalKey(Schema.Boolean)
})
type ExtractionField = typeof ExtractionField.Type

export const ExtractionConfig = Schema.Struct({
  extractionFields: Schema.Array(ExtractionField).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(limits.extractionFields)
  ),
  /** Delivers one row for each item instead of one for each document. */
  itemizePerRow: Schema.Boolean,
  extractionInstructions: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(limits.extractionInstructions)))
})
export type ExtractionConfig = typeof ExtractionConfig.Type

const typeOf: Readonly<Record<ExtractionField["type"], FieldType>> = {
  string: "str",
  number: "num",
  date: "date",
  currency: "num",
  boolean: "bool",
  category: "str",
  id: "str"
}

const specOf = ({ description, isItemField, name, type }: ExtractionField): FieldSpec => ({
  type: typeOf[type],
  label: name,
  description: description ?? `${name}, as this feed asks for it`,
  required: false,
  ...(type === "currency" ? { money: true } : {}),
  ...(isItemField === true ? { item: true } : {})
})

const declared = new WeakMap<ExtractionConfig, FieldSpecs>()

/** The fields that a feed declares, always the same object for the same configuration; `undefined` where it has none. */
export const declaredFields = (config: ExtractionConfig | undefined): FieldSpecs | undefined => {
  if (config === undefined) return undefined
  let specs = declared.get(config)
  if (specs === undefined) {
    specs = Object.fromEntries(config.extractionFields.map((field) => [field.key, specOf(field)]))
    declared.set(config, specs)
  }
  return specs
}

/** A feed, as far as it decides which fields its rows have. */
export interface RowsAsked {
  readonly dataType: DataType
  readonly extractionConfig?: ExtractionConfig | undefined
}

/** Whether a feed delivers a row for each item. */
export const isItemized = ({ dataType, extractionConfig }: RowsAsked): boolean =>
  isDocumentType(dataType) && extractionConfig?.itemizePerRow === true

/** All fields that the records of a feed have, those of items too. */
export const recordFields = ({ dataType, extractionConfig }: RowsAsked): FieldSpecs => {
  const own = declaredFields(extractionConfig)
  return own === undefined ? fieldsOf[dataType] : { ...fieldsOf[dataType], ...own }
}

/** The source fields of the rows of a feed: those of items only where each item is a row. */
export const rowFields = (feed: RowsAsked): FieldSpecs => {
  const all = recordFields(feed)
  return isItemized(feed) || !isDocumentType(feed.dataType)
    ? all
    : Object.fromEntries(Object.entries(all).filter(([, { item }]) => item !== true))
}

/** Types of the fields of a feed's records. */
export const catalogOfFeed = ({ dataType, extractionConfig }: RowsAsked): FieldCatalog =>
  catalogOf(dataType, declaredFields(extractionConfig))

/** What a schema cannot find wrong, with its path from the block on. */
export const extractionFaults = (
  dataType: DataType,
  { extractionFields }: ExtractionConfig
): ReadonlyArray<{ readonly field: string; readonly message: string }> => {
  if (!isDocumentType(dataType)) {
    return [{ field: "", message: "applies to receipts, invoices and documents only" }]
  }
  const seen = new Set<string>()
  return extractionFields.flatMap(({ key }, at) => {
    const repeated = seen.has(key)
    seen.add(key)
    const message =
      key in fieldsOf[dataType] || key === itemsField || key === "removed"
        ? `"${key}" is a field of ${dataType} already`
        : repeated
          ? `"${key}" is an earlier field already`
          : undefined
    return message === undefined ? [] : [{ field: `extractionFields[${at}].key`, message }]
  })
}
