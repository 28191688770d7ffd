/** What a field is asked to be, as a field, with every fault (decisions 4.5). */
import * as Result from "effect/Result"
import type { Detail } from "../failure/Failure.ts"
import * as Currency from "../shared/Currency.ts"
import { isId, type Id } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { nameFault } from "../shared/Name.ts"
import { isAbsent, readCell } from "./CellReader.ts"
import { isScalar } from "./Facet.ts"
import { fieldKey } from "./FieldKey.ts"
import { fieldKeyForm, type AskableFieldType, type Choice, type FieldOptions, type TableField } from "./Table.ts"
import type { OptionsRequest } from "./TableRequest.ts"

/** Collects faults below a path such as `fields[2]`, `""` for the whole. Of several at one place the first is reported. */
export class Faults {
  private readonly found = new Map<string, Detail>()

  get details(): ReadonlyArray<Detail> {
    return [...this.found.values()]
  }

  add(path: string, part: string, message: string): void {
    const field = path === "" ? part : part === "" ? path : `${path}.${part}`
    if (!this.found.has(field)) this.found.set(field, { field, message })
  }
}

type Asked = NonNullable<OptionsRequest["choices"]>

const maxIdLength = 64

/** Ids that are absent are made from the labels. */
const choicesOf = (asked: Asked, path: string, faults: Faults): ReadonlyArray<Choice> => {
  const taken = new Set(asked.flatMap(({ id }) => (id === undefined ? [] : [id])))
  const ids = new Set<string>()
  const labels = new Set<string>()
  return asked.map(({ id, label, color }, at) => {
    const place = `options.choices[${at}]`
    const made = id ?? fieldKey(label, taken)
    taken.add(made)
    if (made === "" || made.length > maxIdLength)
      faults.add(path, `${place}.id`, `must have 1 to ${maxIdLength} characters`)
    if (ids.has(made)) faults.add(path, `${place}.id`, `"${made}" is used twice`)
    const unnamed = nameFault(label)
    if (unnamed !== undefined) faults.add(path, `${place}.label`, unnamed)
    if (labels.has(label)) faults.add(path, `${place}.label`, `"${label}" is used twice`)
    ids.add(made)
    labels.add(label)
    return { id: made, label, ...(color === undefined ? {} : { color }) }
  })
}

/** Which options a type takes. */
const takes: Readonly<Record<keyof FieldOptions, ReadonlySet<AskableFieldType>>> = {
  choices: new Set(["select", "multi_select"]),
  currency: new Set(["currency"]),
  scale: new Set(["number", "currency"]),
  relation: new Set(["relation"])
}

const optionsOf = (
  type: AskableFieldType,
  asked: OptionsRequest | undefined,
  path: string,
  faults: Faults
): FieldOptions | undefined => {
  for (const option of Object.keys(takes) as Array<keyof FieldOptions>)
    if (asked?.[option] !== undefined && !takes[option].has(type))
      faults.add(path, `options.${option}`, `is not taken by fields of type ${type}`)
  if (takes.choices.has(type)) {
    const choices = asked?.choices ?? []
    if (choices.length > limits.fieldChoices)
      faults.add(path, "options.choices", `must be at most ${limits.fieldChoices}`)
    return { choices: choicesOf(choices, path, faults) }
  }
  if (type === "relation") {
    const { many = false, tableId } = asked?.relation ?? { tableId: "" }
    if (asked?.relation === undefined) faults.add(path, "options.relation", "is missing")
    else if (!isId("table", tableId)) faults.add(path, "options.relation.tableId", "is not a table of this workspace")
    return { relation: { tableId: tableId as Id<"table">, many } }
  }
  if (!takes.scale.has(type)) return undefined
  const { scale } = asked ?? {}
  const currency = asked?.currency === undefined ? undefined : Currency.parse(asked.currency)
  if (scale !== undefined && !(Number.isInteger(scale) && scale >= 0 && scale <= limits.fieldScale))
    faults.add(path, "options.scale", `must be a whole number from 0 to ${limits.fieldScale}`)
  if (asked?.currency !== undefined && currency === undefined)
    faults.add(path, "options.currency", "must be a currency such as USD")
  return currency === undefined && scale === undefined
    ? undefined
    : { ...(currency === undefined ? {} : { currency }), ...(scale === undefined ? {} : { scale }) }
}

export interface Definition {
  readonly name: string
  readonly type: AskableFieldType
  readonly options?: OptionsRequest | undefined
  readonly required: boolean
  readonly unique: boolean
  readonly indexed: boolean
  /** JSON. */
  readonly default?: unknown
  readonly description?: string | undefined
}

/** Everything about a field besides its identity and place. Faults are added below `path`. */
export const define = (
  asked: Definition,
  path: string,
  faults: Faults
): Omit<TableField, "id" | "key" | "origin" | "position"> => {
  const { description, indexed, name, required, unique } = asked
  if (asked.type === "file") faults.add(path, "type", "file is not available yet: nothing stores files in tables")
  const type = asked.type === "file" ? "text" : asked.type
  const unnamed = nameFault(name)
  if (unnamed !== undefined) faults.add(path, "name", unnamed)
  if ((description?.length ?? 0) > limits.textLength)
    faults.add(path, "description", `must have at most ${limits.textLength} characters`)
  const options = asked.type === "file" ? undefined : optionsOf(type, asked.options, path, faults)
  const form = options === undefined ? { type } : { type, options }
  for (const flag of ["unique", "indexed"] as const)
    if (asked[flag] && !isScalar(form)) faults.add(path, flag, "is only possible for fields with one value")
  const cell = asked.default === undefined ? Result.succeed(null) : readCell(form, asked.default)
  if (Result.isFailure(cell)) faults.add(path, "default", cell.failure)
  else if (!isAbsent(cell.success) && type === "relation") faults.add(path, "default", "is not possible for relations")
  else if (!isAbsent(cell.success) && unique) faults.add(path, "default", "is not possible for unique fields")
  return {
    name,
    type,
    required,
    unique,
    indexed,
    ...(options === undefined ? {} : { options }),
    ...(Result.isSuccess(cell) && !isAbsent(cell.success) ? { default: cell.success } : {}),
    ...(description === undefined || description === "" ? {} : { description })
  }
}

/** Whether it has the form of a key. */
export const isFieldKey = (key: string): boolean => fieldKeyForm.test(key)
