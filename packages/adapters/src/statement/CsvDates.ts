/** Dates of CSV cells: the order of day, month and year is known by all rows together. */
import { CalendarDate } from "@millrace/core"
import { isSpace } from "./AmountText.ts"
import { normaliseHeader } from "./CsvHeaders.ts"

export type DateOrder = "YMD" | "DMY" | "MDY"

const months: ReadonlyMap<string, number> = new Map(
  [
    "jan january januar janvier janv enero ene gennaio gen januari janeiro janner stycznia styczen sty ledna leden ocak jaan jaanuar ianuarie ian tammikuu tammikuuta januara янв января",
    "feb february februar fevrier fevr fev febrero febbraio februari fevereiro luty lutego unora unor subat veebr veebruar februarie helmikuu helmikuuta februara фев февраля",
    "mar march marz mrz maerz mars marzo maart mrt marco marca marzec brezna brezen mart marc marcius marts martie maaliskuu maaliskuuta мар марта",
    "apr april avril avr abril abr aprile kwi kwietnia kwiecien dubna duben nisan aprill aprilis aprilie huhtikuu huhtikuuta aprila апр апреля",
    "may mai mayo maggio mag mei maio maj maja kvetna kveten mayis maijs majus toukokuu toukokuuta май мая",
    "jun june juni juin junio giugno giu junho cze czerwca czerwiec cervna cerven haziran juuni junius iunie kesakuu kesakuuta июн июня",
    "jul july juli juillet juil julio luglio lug julho lip lipca lipiec cervence cervenec temmuz juuli julius iulie heinakuu heinakuuta июл июля",
    "aug august aout agosto ago augustus sie sierpnia sierpien srpna srpen agustos augusti augusztus elokuu elokuuta авг августа",
    "sep sept september septembre septiembre settembre set setembro wrz wrzesnia wrzesien zari eylul szept szeptember septembrie syyskuu syyskuuta сен сентября",
    "oct october oktober okt octobre octubre ottobre ott outubro out paz pazdziernika pazdziernik rijna rijen ekim oktoober octombrie lokakuu lokakuuta окт октября",
    "nov november novembre noviembre novembro listopadu kasim noiembrie marraskuu marraskuuta ноя ноября",
    "dec december dezember dez decembre diciembre dic dicembre dezembro gru grudnia grudzien prosince prosinec aralik aral dets detsember decembrie joulukuu joulukuuta des desember дек декабря"
  ].flatMap((line, index) => line.split(" ").map((name) => [name, index + 1] as const))
)

const isDigit = (c: number): boolean => c >= 48 && c <= 57

/** Reads three parts out of a cell; its fields hold the last cell that was read. */
export class DateParts {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new DateParts()
  a = 0
  b = 0
  c = 0
  /** Digits of each part; 0 for a month name. */
  aDigits = 0
  bDigits = 0
  cDigits = 0
  /** Code of the separator, 0 for eight or six digits without one. */
  separator = 0

  /** False when the text has no form of a date. A time behind the date does not count. */
  read(text: string, from: number, to: number): boolean {
    let at = from
    // A day of the week in front
    if (!isDigit(text.charCodeAt(at))) {
      const match = /^\p{L}{2,12}[.,]*\s+(?=\d|\p{L})/u.exec(text.slice(from, Math.min(to, from + 20)))
      if (match !== null && !months.has(normaliseHeader(match[0]))) at += match[0].length
    }
    let start = at
    let value = 0
    while (at < to && isDigit(text.charCodeAt(at))) value = value * 10 + text.charCodeAt(at++) - 48
    this.aDigits = at - start
    if (this.aDigits > 4) return this.compact(text, start, at, to)
    if (this.aDigits === 0) {
      at = this.monthName(text, at, to)
      if (at < 0) return false
      this.a = this.b
    } else this.a = value
    const first = text.charCodeAt(at)
    if (!(first === 47 || first === 45 || first === 46 || isSpace(first) || first === 95)) return false
    this.separator = first
    at = this.gap(text, at, to)
    start = at
    value = 0
    while (at < to && isDigit(text.charCodeAt(at))) value = value * 10 + text.charCodeAt(at++) - 48
    this.bDigits = at - start
    if (this.bDigits > 2) return false
    if (this.bDigits === 0) {
      if (this.aDigits === 0) return false
      at = this.monthName(text, at, to)
      if (at < 0) return false
    } else this.b = value
    at = this.gap(text, at, to)
    start = at
    value = 0
    while (at < to && isDigit(text.charCodeAt(at))) value = value * 10 + text.charCodeAt(at++) - 48
    this.cDigits = at - start
    if (this.cDigits === 0 || this.cDigits > 4 || this.cDigits === 3) return false
    if (this.aDigits === 3 || (this.aDigits === 4 && this.cDigits > 2)) return false
    this.c = value
    return isTime(text, at, to)
  }

  private gap(text: string, from: number, to: number): number {
    let at = from
    while (at < to) {
      const c = text.charCodeAt(at)
      if (!(c === 47 || c === 45 || c === 46 || c === 44 || c === 95 || isSpace(c))) break
      at++
    }
    return at
  }

  /** Leaves the month in `b`; gives the position behind its name, -1 when it is none. */
  private monthName(text: string, from: number, to: number): number {
    const match = /^(?:de\s+)?(\p{L}{3,12})(?:\.|\s+de(?=\s))?/u.exec(text.slice(from, Math.min(to, from + 24)))
    if (match === null) return -1
    const month = months.get(normaliseHeader(match[1]!))
    if (month === undefined) return -1
    this.b = month
    return from + match[0].length
  }

  private compact(text: string, from: number, at: number, to: number): boolean {
    const digits = at - from
    if ((digits !== 8 && digits !== 6) || !isTime(text, at, to)) return false
    this.separator = 0
    const year = digits - 4
    this.aDigits = digits
    this.a = Number(text.slice(from, from + year))
    this.b = Number(text.slice(from + year, from + year + 2))
    this.c = Number(text.slice(from + year + 2, at))
    this.bDigits = 2
    this.cDigits = 2
    return true
  }
}

/** What may follow a date: a full stop, a time, another day that it counts from. */
const isTime = (text: string, from: number, to: number): boolean => {
  if (from === to) return true
  const at = text.charCodeAt(from) === 46 ? from + 1 : from
  if (at === to) return true
  const c = text.charCodeAt(at)
  if (!(isSpace(c) || c === 84 || c === 44)) return false
  if (/^\s+(?:as of|per|valuta|val\.?|eff\.?)\s+[\d./\s-]{6,12}$/i.test(text.slice(at, Math.min(to, at + 40))))
    return true
  return /^(?:[\sT,]|\d|[:.+\-Z]|[AaPp]\.?\s?[Mm]\.?|[A-Z]{3,4}$)*$/.test(text.slice(at, Math.min(to, at + 40)))
}

const fullYear = (year: number, digits: number): number => (digits > 2 ? year : year < 70 ? 2000 + year : 1900 + year)

/** The parts in the given order as a day; `undefined` when the calendar has none. */
const assemble = (parts: DateParts, order: DateOrder): CalendarDate.CalendarDate | undefined => {
  if (parts.aDigits === 8 || parts.aDigits === 6) return assembleCompact(parts, order)
  if (parts.aDigits === 0) return CalendarDate.fromParts(fullYear(parts.c, parts.cDigits), parts.a, parts.b)
  if (parts.aDigits === 4) return CalendarDate.fromParts(parts.a, parts.b, parts.c)
  if (parts.bDigits === 0 && order !== "YMD") {
    return CalendarDate.fromParts(fullYear(parts.c, parts.cDigits), parts.b, parts.a)
  }
  if (order === "YMD") {
    return parts.cDigits === 4 ? undefined : CalendarDate.fromParts(fullYear(parts.a, 2), parts.b, parts.c)
  }
  const year = fullYear(parts.c, parts.cDigits)
  return order === "DMY"
    ? CalendarDate.fromParts(year, parts.b, parts.a)
    : CalendarDate.fromParts(year, parts.a, parts.b)
}

const assembleCompact = (parts: DateParts, order: DateOrder): CalendarDate.CalendarDate | undefined => {
  const yearDigits = parts.aDigits - 4
  if (order === "YMD") return CalendarDate.fromParts(fullYear(parts.a, yearDigits), parts.b, parts.c)
  const digits = `${String(parts.a).padStart(yearDigits, "0")}${String(parts.b).padStart(2, "0")}${String(parts.c).padStart(2, "0")}`
  const first = Number(digits.slice(0, 2))
  const second = Number(digits.slice(2, 4))
  const year = fullYear(Number(digits.slice(4)), yearDigits)
  return order === "DMY" ? CalendarDate.fromParts(year, second, first) : CalendarDate.fromParts(year, first, second)
}

/** Reads cells in one order; the same day is assembled once. */
export class DateReader {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new DateReader("YMD")
  private readonly order: DateOrder
  private readonly parts = new DateParts()
  private readonly days = new Map<number, CalendarDate.CalendarDate>()

  constructor(order: DateOrder) {
    this.order = order
  }

  read(text: string, from: number, to: number): CalendarDate.CalendarDate | undefined {
    const parts = this.parts
    if (!parts.read(text, from, to)) return undefined
    // Month names and plain numbers assemble differently, hence the digits in the key.
    const key = (((parts.a * 100 + parts.b) * 10_000 + parts.c) * 10 + parts.aDigits) * 10 + parts.bDigits
    const known = this.days.get(key)
    if (known !== undefined) return known
    const date = assemble(parts, this.order)
    if (date !== undefined && parts.cDigits < 5 && this.days.size < 50_000) this.days.set(key, date)
    return date
  }
}

/** What all dates of a column say about their order. */
export class DateEvidence {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new DateEvidence()
  private readonly parts = new DateParts()
  private count = 0
  private yearFirst = 0
  private maxFirst = 0
  private minFirst = 99
  private maxSecond = 0
  private minThird = 9_999
  private maxThird = 0
  private numeric = 0
  private lastNumeric = false
  private compact = 0
  private readonly compactOk = { YMD: true, DMY: true, MDY: true }
  private separator = 0
  private sample = ""
  // Whether the rows rise or fall all the way, per reading of ambiguous dates.
  private readonly last = { DMY: "", MDY: "" }
  private readonly rising = { DMY: true, MDY: true }
  private readonly falling = { DMY: true, MDY: true }
  private moved = false

  /** False when the cell has no form of a date. */
  add(text: string, from: number, to: number): boolean {
    const parts = this.parts
    if (!parts.read(text, from, to)) return false
    this.count++
    this.lastNumeric = false
    if (parts.aDigits >= 6) {
      this.compact++
      if (this.sample === "") this.sample = text.slice(from, to)
      for (const order of ["YMD", "DMY", "MDY"] as const) {
        if (this.compactOk[order] && assembleCompact(parts, order) === undefined) this.compactOk[order] = false
      }
      return true
    }
    if (this.count === 1) {
      this.separator = parts.separator
      this.sample = text.slice(from, to)
    }
    if (parts.aDigits === 4) {
      this.yearFirst++
      return true
    }
    if (parts.aDigits === 0 || parts.bDigits === 0) return true
    this.numeric++
    this.lastNumeric = true
    if (parts.a > this.maxFirst) this.maxFirst = parts.a
    if (parts.a < this.minFirst) this.minFirst = parts.a
    if (parts.b > this.maxSecond) this.maxSecond = parts.b
    if (parts.c > this.maxThird) this.maxThird = parts.c
    if (parts.c < this.minThird) this.minThird = parts.c
    if (this.maxFirst <= 12 && this.maxSecond <= 12) this.follow(parts)
    return true
  }

  /** Some cells can only be read day first and some only month first. */
  get conflicts(): boolean {
    return this.maxFirst > 12 && this.maxFirst <= 31 && this.maxSecond > 12
  }

  /** `24/05/13`, `24/05/17`: what stays is the year, what changes is the day. */
  private get looksYearFirst(): boolean {
    const days = this.minThird >= 1 && this.maxThird <= 31 && this.maxSecond <= 12
    return days && this.maxFirst - this.minFirst <= 1 && this.maxThird - this.minThird > 1 && this.maxFirst > 12
  }

  /** As `add`, for a cell that reads as the last one that had the form of a date. */
  addAgain(): void {
    this.count++
    if (this.lastNumeric) this.numeric++
  }

  private follow(parts: DateParts): void {
    const dayFirst = (parts.c * 100 + parts.b) * 100 + parts.a
    const monthFirst = (parts.c * 100 + parts.a) * 100 + parts.b
    this.step("DMY", String(dayFirst).padStart(8, "0"))
    this.step("MDY", String(monthFirst).padStart(8, "0"))
  }

  private step(order: "DMY" | "MDY", day: string): void {
    const last = this.last[order]
    if (last !== "") {
      if (day < last) this.rising[order] = false
      if (day > last) this.falling[order] = false
      if (day !== last) this.moved = true
    }
    this.last[order] = day
  }

  /** The order that the rows show, or what the hints say and that it is a guess. */
  decide(monthFirstHint: boolean): { readonly order: DateOrder; readonly ambiguous: boolean } {
    if (this.compact > 0) {
      const order = (["YMD", "DMY", "MDY"] as const).find((candidate) => this.compactOk[candidate])
      return { order: order ?? "YMD", ambiguous: false }
    }
    if (this.yearFirst > 0 || this.maxFirst > 31) return { order: "YMD", ambiguous: false }
    if (this.numeric === 0) return { order: "DMY", ambiguous: false }
    if (this.looksYearFirst) return { order: "YMD", ambiguous: true }
    if (this.maxFirst > 12) return { order: "DMY", ambiguous: false }
    if (this.maxSecond > 12) return { order: "MDY", ambiguous: false }
    if (this.moved && this.numeric >= 3) {
      const dayFirst = this.rising.DMY || this.falling.DMY
      const monthFirst = this.rising.MDY || this.falling.MDY
      if (dayFirst !== monthFirst) return { order: dayFirst ? "DMY" : "MDY", ambiguous: true }
    }
    if (this.separator === 46) return { order: "DMY", ambiguous: false }
    return { order: monthFirstHint ? "MDY" : "DMY", ambiguous: true }
  }

  /** The order as a pattern in the notation of `CsvOptions.dateFormat`. */
  pattern(order: DateOrder): string {
    const sample = this.sample
    const separator = this.separator === 0 ? "" : isSpace(this.separator) ? " " : String.fromCharCode(this.separator)
    const named = /\p{L}{3}/u.test(sample.slice(0, 12))
    const month = named ? "MMM" : "MM"
    const longYear = /\d{4}/.test(sample)
    const year = longYear ? "YYYY" : "YY"
    const first = order === "YMD" ? [year, month, "DD"] : order === "DMY" ? ["DD", month, year] : [month, "DD", year]
    return first.join(separator)
  }
}

/** The order that a pattern such as `DD.MM.YYYY` or `M/D/YY` states; `undefined` when it states none. */
export const orderOfPattern = (pattern: string): DateOrder | undefined => {
  const day = pattern.indexOf("D")
  const month = pattern.indexOf("M")
  const year = pattern.indexOf("Y")
  if (day < 0 || month < 0 || year < 0 || /[^DMY\s./,_-]/.test(pattern)) return undefined
  if (year < month && month < day) return "YMD"
  return day < month && month < year ? "DMY" : month < day && day < year ? "MDY" : undefined
}
