/** What the fields of records are: types, labels and descriptions (decisions 4.2). */
import type { FieldValue } from "./FieldValue.ts"

/** How a value is written and compared. `num` values are exact decimals as text inside the kernel. */
export const fieldTypes = ["str", "num", "date", "ts", "bool"] as const
export type FieldType = (typeof fieldTypes)[number]

export interface FieldSpec {
  readonly type: FieldType
  readonly label: string
  /** One sentence for people who map the field. */
  readonly description: string
  /** Every record has it. */
  readonly required: boolean
  readonly example?: FieldValue
  /** An amount of money: rounded to the minor unit of the record's currency. */
  readonly money?: true
  /** Of one item of a document: there are as many values as items. */
  readonly item?: true
}

/** Field key -> field, in the order they are shown. */
export type FieldSpecs = Readonly<Record<string, FieldSpec>>

type Describe = (type: FieldType, label: string, description: string, example?: FieldValue) => FieldSpec

const describe =
  (required: boolean): Describe =>
  (type, label, description, example) => ({
    type,
    label,
    description,
    required,
    ...(example === undefined ? {} : { example })
  })

/** A field that every record has. */
export const always = describe(true)

/** A field that is absent where its value is unknown. */
export const maybe = describe(false)

export const money = (spec: FieldSpec): FieldSpec => ({ ...spec, money: true })

export const ofItem = (spec: FieldSpec): FieldSpec => ({ ...spec, item: true })
