/** Fields that a filter can name, and what their values are (decisions 8.1). */

/**
 * How the values of a field are compared. `text` is folded; `key` compares exactly (ids, choices of a select
 * field, a relation to one row); `keys` is a list of them; `json` holds JSON text, whose own type decides.
 */
export type FilterFieldType = "text" | "number" | "date" | "datetime" | "boolean" | "key" | "keys" | "json"

export interface FilterField {
  readonly type: FilterFieldType
  /** Of a select field: other words for a key, such as the label of the choice. */
  readonly keys?: ReadonlyMap<string, string>
  /** Of a relation: the fields of the rows it leads to. One hop only. */
  readonly related?: ReadonlyMap<string, FilterField>
}

/** Field key -> field. Nothing else can be named in a filter. */
export type FilterFields = ReadonlyMap<string, FilterField>

/** One value of a row: text (numbers and dates are text too), a truth value, a list of keys, or nothing. */
export type CellValue = string | boolean | null | ReadonlyArray<string>

/** What filters are asked of: field key -> value; an absent key is an unknown value. */
export type RowValues = Readonly<Record<string, CellValue>>
