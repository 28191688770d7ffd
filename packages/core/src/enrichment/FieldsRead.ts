/** The fields that a set kind reads, of the records that it is shown: many records, and most of them have the same of these fields. */
import { blankOf } from "../record/BlankFields.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"

/** What of them a record has. */
interface Form {
  readonly names: ReadonlyArray<string>
  readonly blank: ReturnType<typeof blankOf>
}

/** Bits of a number that can be shifted into. */
const fewFields = 31

export class FieldsRead {
  private readonly reads: ReadonlyArray<string>
  /** By the fields that a record has, as bits. */
  private readonly forms = new Map<number, Form>()
  private readonly values: Array<FieldValue> = []

  constructor(reads: ReadonlyArray<string>) {
    this.reads = [...new Set(reads)]
  }

  /** Those that are known, in the order in which they are read. */
  of(view: Fields): Fields {
    const { reads, values } = this
    let [had, count] = [0, 0]
    for (let at = 0; at < reads.length; at++) {
      const value = view[reads[at]!]
      if (value === undefined || value === null) continue
      values[count++] = value
      if (at < fewFields) had |= 1 << at
    }
    const { blank, names } = this.formOf(view, had)
    const fields = blank()
    for (let n = 0; n < count; n++) fields[names[n]!] = values[n]!
    return fields
  }

  private formOf(view: Fields, had: number): Form {
    const isFew = this.reads.length <= fewFields
    const known = isFew ? this.forms.get(had) : undefined
    if (known !== undefined) return known
    const names = this.reads.filter((field) => view[field] !== undefined && view[field] !== null)
    const form = { names, blank: blankOf(names) }
    if (isFew) this.forms.set(had, form)
    return form
  }
}
