/**
 * Pages of records as readers are shown them. Storage that keeps fields as JSON hands them on as it has them: they are read
 * only where somebody asks for their values, and an answer can be made of the bytes.
 */
import type { FieldValue } from "./FieldValue.ts"
import type { ShownRecord } from "./LedgerRecord.ts"

/** What a value is in JSON: text, or anything else. */
export const isText = 1
export const isOther = 0

/** For each value: where it begins, where it ends, and what it is. Text is without its quotation marks. */
export const placeSize = 3

/** A record in the JSON of its page: the values of its fields, and before them its id. */
export interface WrittenRecord {
  /** Of the values, in their order; `id` is the first. Records with the same names have the same list. */
  readonly names: ReadonlyArray<string>
  /** Where the place of its first value is among those of the page. */
  readonly first: number
}

/** Records as JSON in UTF-8, escaped as `JSON.stringify` escapes, that nobody has read yet. */
export interface WrittenPage {
  readonly bytes: Uint8Array
  readonly places: Int32Array
  readonly records: ReadonlyArray<WrittenRecord>
}

export interface ShownPage {
  readonly length: number
  /** Where the record at a place stands in the order of pages. */
  readonly position: (at: number) => Pick<ShownRecord, "date" | "id">
  /** What a record says in one field; absent where it says nothing there. */
  readonly value: (at: number, field: string) => FieldValue | undefined
  /** The records of a page that is written are read where they are asked for. */
  readonly records: ReadonlyArray<ShownRecord>
  readonly written?: WrittenPage
}

/** A page of records that have been read. */
export const shownPage = (records: ReadonlyArray<ShownRecord>): ShownPage => ({
  length: records.length,
  position: (at) => records[at]!,
  value: (at, field) => records[at]!.fields[field],
  records
})

/** The records of a page in another order: at each place, that which stood at the place in `order`. */
export const reordered = (page: ShownPage, order: ReadonlyArray<number>): ShownPage => {
  const { written } = page
  const at = (place: number): number => order[place]!
  return {
    length: order.length,
    position: (place) => page.position(at(place)),
    value: (place, field) => page.value(at(place), field),
    get records() {
      return order.map((n) => page.records[n]!)
    },
    ...(written === undefined ? {} : { written: { ...written, records: order.map((n) => written.records[n]!) } })
  }
}
