/**
 * Rows that were put aside, on their way back: what matching by ids asks of them is at hand, and what they say is unpacked
 * when somebody asks for it. So a large account is matched and written while a few thousand rows of it are held whole.
 */
import type { Fields } from "../record/FieldValue.ts"
import type { Observation } from "../record/Observation.ts"
import type * as CalendarDate from "../shared/CalendarDate.ts"
import { type RowForm, saidIn, type TakenRow } from "./Ingest.ts"
import { fieldsFrom, parted } from "./RowText.ts"

/** Of the parts of an account that were unpacked, so many stay: rows at the border of two are asked for together. */
const partsHeld = 2

const columnEnd = "\u001d"
const valueEnd = "\u001e"
const isPending = "p"

const columnOf = (rows: ReadonlyArray<TakenRow>, valueOf: (row: TakenRow) => string): string =>
  rows.map(valueOf).join(valueEnd)

/** All but the texts of some rows, by column: clean text holds no ends. */
export const headsText = (rows: ReadonlyArray<TakenRow>): string =>
  [
    columnOf(rows, ({ providerId }) => providerId),
    columnOf(rows, ({ pendingProviderId }) => pendingProviderId),
    columnOf(rows, ({ pending }) => (pending ? isPending : "")),
    columnOf(rows, ({ date }) => date ?? "")
  ].join(columnEnd)

/** Length of what `headsText` adds for a row, about. */
export const headLength = ({ pendingProviderId, providerId }: TakenRow): number =>
  providerId.length + pendingProviderId.length + 15

/**
 * Stands before a text that is taken apart: put together with it the text has memory of its own. A part of a text keeps all of
 * it, and words of rows are remembered for long.
 */
const own = " "

/** The same in memory of its own. */
const alone = (text: string): string => (own + text).slice(own.length)

/** What some rows of an account say. */
class Part {
  readonly #text: () => string
  readonly form: RowForm
  readonly #of: UnpackedParts
  #texts: ReadonlyArray<string> | undefined
  /** Of rows that somebody has asked for. */
  #fields: Array<Fields | undefined> = []

  constructor(text: () => string, form: RowForm, of: UnpackedParts) {
    this.#text = text
    this.form = form
    this.#of = of
  }

  textAt(row: number): string {
    if (this.#texts === undefined) {
      this.#texts = parted(this.#text())
      this.#of.unpacked(this)
    }
    return this.#texts[row]!
  }

  fieldsAt(row: number): Fields {
    return (this.#fields[row] ??= fieldsFrom(this.form.plan, own + this.textAt(row)))
  }

  letGo(): void {
    this.#texts = undefined
    this.#fields = []
  }
}

/** Those that are held, the last one last. Anyone who goes to and fro between them is given all of them. */
class UnpackedParts {
  readonly #held: Array<Part> = []
  #parts = 0
  #times = 0

  part(text: () => string, form: RowForm): Part {
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

class SpooledRow implements Observation {
  readonly providerId: string
  readonly pendingProviderId: string
  readonly pending: boolean
  readonly date: CalendarDate.CalendarDate | null
  readonly #part: Part
  readonly #at: number
  #hash: string | undefined
  /** Where it is at hand. */
  #text: string | undefined
  #fields: Fields | undefined

  constructor(
    head: Pick<Observation, "providerId" | "pendingProviderId" | "pending" | "date">,
    part: Part,
    at: number
  ) {
    this.providerId = head.providerId
    this.pendingProviderId = head.pendingProviderId
    this.pending = head.pending
    this.date = head.date
    this.#part = part
    this.#at = at
  }

  keep(): void {
    this.#text ??= alone(this.#part.textAt(this.#at))
  }

  get content(): string {
    return saidIn(this.#part.form, this.#text ?? this.#part.textAt(this.#at))
  }

  get hash(): string {
    return (this.#hash ??= this.#part.form.contentHash(this.content))
  }

  get fields(): Fields {
    if (this.#text === undefined) return this.#part.fieldsAt(this.#at)
    return (this.#fields ??= fieldsFrom(this.#part.form.plan, this.#text))
  }
}

/** Rows of one account, in the order in which their parts are added. */
export class SpooledRows {
  readonly rows: Array<Observation> = []
  readonly #parts = new UnpackedParts()
  readonly #form: RowForm

  constructor(form: RowForm) {
    this.#form = form
  }

  /** `texts` gives what they say as one text; it may be asked for again at any time. */
  add(heads: string, texts: () => string): void {
    const columns = alone(heads)
      .split(columnEnd)
      .map((column) => column.split(valueEnd))
    const [ids, links, pending, dates] = [columns[0]!, columns[1]!, columns[2]!, columns[3]!]
    const part = this.#parts.part(texts, this.#form)
    for (let at = 0; at < ids.length; at++) {
      const date = dates[at]!
      const head = {
        providerId: ids[at]!,
        pendingProviderId: links[at]!,
        pending: pending[at] === isPending,
        date: date === "" ? null : (date as CalendarDate.CalendarDate)
      }
      this.rows.push(new SpooledRow(head, part, at))
    }
  }
}
