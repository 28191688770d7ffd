/** What is asked of tables and their fields (decisions 5.7). */
import type { AskableFieldType } from "./Table.ts"

/** Absent ids of choices are made from their labels. */
export interface OptionsRequest {
  readonly choices?: ReadonlyArray<{ readonly id?: string; readonly label: string; readonly color?: string }>
  readonly currency?: string
  readonly scale?: number
  /** `tableId` as it was sent: it need not even have the form of an id. */
  readonly relation?: { readonly tableId: string; readonly many?: boolean }
}

export interface NewField {
  /** Made from the name when absent. */
  readonly key?: string
  readonly name: string
  readonly type: AskableFieldType
  readonly options?: OptionsRequest
  readonly required?: boolean
  readonly unique?: boolean
  readonly indexed?: boolean
  /** JSON, read as a cell of the field. */
  readonly default?: unknown
  readonly description?: string
}

export interface NewTable {
  readonly name: string
  readonly icon?: string
  readonly description?: string
  /** Anything but null is refused: there are no folders yet. */
  readonly folderId?: string | null
  readonly fields: ReadonlyArray<NewField>
  readonly keyFields?: ReadonlyArray<string>
}

/** What is absent stays; null clears. */
export interface TableChange {
  readonly name?: string
  readonly icon?: string | null
  readonly description?: string | null
  readonly folderId?: string | null
  readonly keyFields?: ReadonlyArray<string>
  /** Keys of fields in their new order; those left out follow in the order they have. */
  readonly fieldOrder?: ReadonlyArray<string>
}

/** What is absent stays; null clears. `options` replace the old ones whole. */
export interface FieldChange {
  readonly name?: string
  readonly type?: AskableFieldType
  readonly options?: OptionsRequest | null
  readonly required?: boolean
  readonly unique?: boolean
  readonly indexed?: boolean
  readonly default?: unknown
  readonly description?: string | null
  /** Place among the fields, 0 for the first. */
  readonly position?: number
}

export interface TableList {
  /** Those in the trash instead of the live ones. */
  readonly trashed?: boolean
  readonly folderId?: string
}
