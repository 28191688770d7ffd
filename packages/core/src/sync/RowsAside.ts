/**
 * Rows that were put aside, on their way back: what matching by ids asks of them is at hand, and their fields are unpacked
 * when somebody asks for them. So a large account is matched and written while a few thousand rows of it are held whole.
 */
import type { Fields } from "../record/FieldValue.ts"
import type { Observation } from "../record/Observation.ts"
import type * as CalendarDate from "../shared/CalendarDate.ts"
import { FieldTexts } from "./FieldTexts.ts"

/** Of the parts of an account that were unpacked, so many stay: rows at the border of two are asked for together. */
const partsHeld = 2

/** All but the fields of some rows, by column. */
interface Heads {
  readonly ids: ReadonlyArray<string>
  readonly links: ReadonlyArray<string>
  readonly pending: ReadonlyArray<boolean>
  readonly dates: ReadonlyArray<CalendarDate.CalendarDate | null>
  readonly hashes: ReadonlyArray<string>
}

export const headsText = (rows: ReadonlyArray<Observation>): string =>
  JSON.stringify({
    ids: rows.map(({ providerId }) => providerId),
    links: rows.map(({ pendingProviderId }) => pendingProviderId),
    pending: rows.map(({ pending }) => pending),
    dates: rows.map(({ date }) => date),
    hashes: rows.map(({ hash }) => hash)
  } satisfies Heads)

/** Length of what `headsText` adds for a row, about. */
export const headLength = ({ hash, pendingProviderId, providerId }: Observation): number =>
  providerId.length + pendingProviderId.length + hash.length + 30

/** The fields of some rows of an account. */
class Part {
  readonly #text: () => string
  readonly #of: UnpackedParts
  readonly #form: FieldTexts
  /** Of rows that nobody has asked for, as text. */
  #fields: Array<Fields | string> | undefined

  constructor(text: () => string, form: FieldTexts, of: UnpackedParts) {
    this.#text = text
    this.#form = form
    this.#of = of
  }

  at(row: number): Fields {
    if (this.#fields === undefined) {
      this.#fields = [...FieldTexts.parted(this.#text())]
      this.#of.unpacked(this)
    }
    const found = this.#fields[row]!
    return typeof found === "string" ? (this.#fields[row] = this.#form.read(found)) : found
  }

  letGo(): void {
    this.#fields = undefined
  }
}

/** Those that are held, the last one last. Whoever goes to and fro between them is given all of them. */
class UnpackedParts {
  readonly #held: Array<Part> = []
  #parts = 0
  #times = 0

  part(text: () => string, form: FieldTexts): Part {
    this.#parts++
    return new Part(text, form, this)
  }

  unpacked(part: Part): void {
    this.#times++
    if (this.#times > 3 * this.#parts) return
    this.#held.push(part)
    if (this.#held.length > partsHeld) this.#held.shift()!.letGo()
  }
}

class RowAside implements Observation {
  readonly providerId: string
  readonly pendingProviderId: string
  readonly pending: boolean
  readonly date: CalendarDate.CalendarDate | null
  readonly hash: string
  readonly #part: Part
  readonly #at: number

  constructor({ dates, hashes, ids, links, pending }: Heads, part: Part, at: number) {
    this.providerId = ids[at]!
    this.pendingProviderId = links[at]!
    this.pending = pending[at]!
    this.date = dates[at]!
    this.hash = hashes[at]!
    this.#part = part
    this.#at = at
  }

  get fields(): Fields {
    return this.#part.at(this.#at)
  }
}

/** Rows of one account, in the order in which their parts are added. */
export class RowsAside {
  readonly rows: Array<Observation> = []
  readonly #parts = new UnpackedParts()
  readonly #form: FieldTexts

  /** `form`: what has written the fields. */
  constructor(form: FieldTexts) {
    this.#form = form
  }

  /** `fields` gives the texts of their fields as one; it may be asked for again at any time. */
  add(heads: string, fields: () => string): void {
    const read = JSON.parse(heads) as Heads
    const part = this.#parts.part(fields, this.#form)
    for (let at = 0; at < read.ids.length; at++) this.rows.push(new RowAside(read, part, at))
  }
}
