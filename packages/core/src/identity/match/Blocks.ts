/**
 * How rows of an account are put together to blocks: those of some days, or a part of those of a day where many come in one.
 *
 * Which part a row is in follows from its upstream id alone, so that a record and the row that shows it are in the same.
 */
import { type IdParts, idPartOf, mostIdParts } from "../../record/IdParts.ts"
import { dayNumber, undatedDay } from "./EpochDays.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"

export interface Days {
  readonly from: CalendarDate.CalendarDate
  readonly to: CalendarDate.CalendarDate
}

/** Days of blocks that are looked at. */
export interface OpenDays extends Days {
  /** Where a day has several blocks. */
  readonly idParts?: IdParts
}

/** Rows of a block: so few that what changed brings little else along, so many that digests are fewer than rows. */
const blockRows = 4
/** The same where a day has so many that it is parted: more, since then there are many digests in any case. */
const partRows = 8

const mostDays = 32
/** Largest power of two that is not above `wanted`, nor above `most`. */
const powerOfTwo = (wanted: number, most: number): number => {
  let power = 1
  while (power < most && power * 2 <= wanted) power *= 2
  return power
}

export class Blocks {
  /** A power of two; one of both is 1. */
  readonly days: number
  readonly parts: number

  private constructor(days: number, parts: number) {
    this.days = days
    this.parts = parts
  }

  static readonly daily = new Blocks(1, 1)

  /** For rows of these days. */
  static fitting(days: Int32Array): Blocks {
    let [first, last] = [Infinity, -Infinity]
    for (const day of days) {
      if (day === undatedDay) continue
      if (day < first) first = day
      if (day > last) last = day
    }
    if (first > last) return Blocks.daily
    const perDay = days.length / (last - first + 1)
    return new Blocks(powerOfTwo(blockRows / perDay, mostDays), powerOfTwo(perDay / partRows, mostIdParts))
  }

  /** As text, which holds no blanks. */
  get text(): string {
    return `${this.days}/${this.parts}`
  }

  static parse(text: string): Blocks {
    const [days, parts] = text.split("/")
    return new Blocks(Number(days), Number(parts))
  }

  /** Whether blocks of the one are at most twice as large as those of the other. */
  isLike({ days, parts }: Blocks): boolean {
    const times = (this.days * parts) / (days * this.parts)
    return times <= 2 && times >= 1 / 2
  }

  /** Block of a row. Rows without a day have blocks of their own, which are never settled. */
  of(day: number, providerId: string): number {
    const { days, parts } = this
    return parts === 1 ? Math.floor(day / days) : day * parts + idPartOf(providerId, parts)
  }

  /** First block of a day, and first block behind it: all rows of the day are in between. */
  from(day: number): number {
    return this.parts === 1 ? Math.floor(day / this.days) : day * this.parts
  }
  after(day: number): number {
    return this.parts === 1 ? Math.floor(day / this.days) + 1 : (day + 1) * this.parts
  }

  /** The days of some blocks, in their order; those that follow each other together, as far as the same parts of them are meant. */
  daysOf(blocks: Iterable<number>): ReadonlyArray<OpenDays> {
    const { days, parts } = this
    const found: Array<{ first: number; last: number; which: number }> = []
    const undated = Math.floor(undatedDay / days)
    for (const block of [...blocks].toSorted((a, b) => a - b)) {
      const place = Math.floor(block / parts)
      if (place === undated) continue
      const part = 1 << (block - place * parts)
      const before = found.at(-1)
      if (before?.last === place) before.which |= part
      else found.push({ first: place, last: place, which: part })
    }
    const together: typeof found = []
    for (const one of found) {
      const before = together.at(-1)
      if (before?.last === one.first - 1 && before.which === one.which) before.last = one.last
      else together.push({ ...one })
    }
    return together.map(({ first, last, which }) => ({
      from: CalendarDate.fromEpochDay(first * days),
      to: CalendarDate.fromEpochDay((last + 1) * days - 1),
      ...(parts === 1 ? {} : { idParts: { of: parts, which: which >>> 0 } })
    }))
  }

  /** All blocks of some days. */
  *within({ from, to }: Days): Iterable<number> {
    const end = this.after(dayNumber(to))
    for (let block = this.from(dayNumber(from)); block < end; block++) yield block
  }
}
