/** Days and amounts of QIF files: their order and their decimal sign are known by all of the file. */
import type { CalendarDate, Decimal } from "@millrace/core"
import { groupedAmount } from "./AmountText.ts"
import { DateEvidence, type DateOrder, DateReader } from "./CsvDates.ts"
import { DecimalEvidence } from "./CsvDecimals.ts"

/** `1/ 5'04` as `1/5/2004`: an apostrophe stands before the years from 2000. */
const qifDateText = (text: string): string => {
  const compact = text.length > 40 ? text : text.replace(/\s*([/'.-])\s*/g, "$1")
  const found = /^(.{1,12})['’](\d{1,4})(.*)$/.exec(compact)
  if (found === null) return compact
  const [, before = "", year = "", behind = ""] = found
  return `${before}/${year.length <= 2 ? 2000 + Number(year) : year}${behind}`
}

/** What is looked at of one amount. */
const longest = 64

export class QifEvidence {
  readonly dates = new DateEvidence()
  readonly decimals = new DecimalEvidence()
  /** Line of the first day that contradicts those before it, 0 where none does. */
  conflict = 0
  private readonly codes = new Uint16Array(longest + 1)

  addDate(text: string, line: number): void {
    const date = qifDateText(text)
    if (this.dates.add(date, 0, date.length) && this.conflict === 0 && this.dates.conflicts) this.conflict = line
  }

  addAmount(text: string): void {
    if (text.length > longest) return
    for (let at = 0; at < text.length; at++) this.codes[at] = text.charCodeAt(at)
    this.codes[text.length] = 10
    this.decimals.add(this.codes, 0, text.length)
  }
}

export class QifValues {
  private readonly dates: DateReader
  private readonly decimal: number

  /** `decimal` is the code of the decimal sign. */
  constructor(order: DateOrder, decimal: number) {
    this.dates = new DateReader(order)
    this.decimal = decimal
  }

  date(text: string): CalendarDate.CalendarDate | undefined {
    const date = qifDateText(text)
    return this.dates.read(date, 0, date.length)
  }

  amount(text: string): Decimal.Decimal | undefined {
    return groupedAmount(text, 0, text.length, this.decimal, true)
  }
}
