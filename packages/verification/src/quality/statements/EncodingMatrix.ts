/** Statement files in the tables of each language that name none: whether their texts are read as they were written. */
import { readStatement } from "@millrace/adapters/statement"
import { Currency } from "@millrace/core"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Scene, sizeOf } from "../identity/Scene.ts"
import { encodeText } from "./EncodedText.ts"

const western = ["windows-1252", "macintosh", "ibm850"]
const central = ["windows-1250", "iso-8859-2", "ibm852"]
const baltic = ["windows-1257", "iso-8859-13"]
const cyrillic = ["windows-1251", "koi8-u", "ibm866", "iso-8859-5"]

/** Tables that banks of each language write. */
const tablesOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  de: western,
  fr: western,
  es: western,
  pt: western,
  it: western,
  sv: western,
  da: western,
  pl: central,
  cs: central,
  hu: central,
  ro: ["windows-1250", "iso-8859-2"],
  hr: central,
  lt: baltic,
  lv: baltic,
  tr: ["windows-1254"],
  ru: cyrillic,
  bg: ["windows-1251", "ibm866", "iso-8859-5"],
  uk: ["windows-1251", "koi8-u"],
  el: ["windows-1253", "iso-8859-7"],
  he: ["windows-1255"],
  ja: ["shift_jis", "euc-jp"],
  ko: ["euc-kr"],
  zh: ["gbk"],
  "zh-Hant": ["big5"]
}

const regions =
  "AD AE AF AL AM AR AT AU AZ BA BD BE BG BR BY CA CH CL CN CO CY CZ DE DK EE EG ES FI FR GB GE GR HR HU ID IE IL IN IQ IR IS IT JP KE KR KZ LB LT LU LV MA MD ME MK MT MX NL NO NZ PE PH PL PT RO RS RU SA SE SG SI SK TH TN TR UA US UY VN ZA".split(
    " "
  )
const currencies = "AUD BGN BRL CAD CHF CNY CZK DKK EUR GBP HUF INR JPY MXN NOK PLN RON RUB SEK TRY UAH USD ZAR".split(
  " "
)

/** Tables of one byte have the older forms of two Romanian letters. */
const old = (name: string): string =>
  name.replaceAll("ș", "ş").replaceAll("ț", "ţ").replaceAll("Ș", "Ş").replaceAll("Ț", "Ţ")

/** Words that everybody writes in the language: names of countries, currencies, months and days. */
const wordsOf = (locale: string): ReadonlyArray<string> => {
  const region = new Intl.DisplayNames(locale, { type: "region" })
  const currency = new Intl.DisplayNames(locale, { type: "currency" })
  const names = [...regions.map((code) => region.of(code)), ...currencies.map((code) => currency.of(code))]
  for (let month = 0; month < 12; month++) {
    const day = new Date(Date.UTC(2026, month, month + 1))
    names.push(new Intl.DateTimeFormat(locale, { month: "long", timeZone: "UTC" }).format(day))
    names.push(new Intl.DateTimeFormat(locale, { weekday: "long", timeZone: "UTC" }).format(day))
  }
  return names.flatMap((name) => (name !== undefined && /^[\p{L}\p{M} -]{2,40}$/u.test(name) ? [old(name)] : []))
}

type Format = (texts: ReadonlyArray<string>) => string

/** Formats where a file need not say how it is encoded. */
const formats: Readonly<Record<string, Format>> = {
  csv: (texts) =>
    `Date;Description;Amount\n${texts.map((text, at) => `${10 + at}.01.2026;${text};-5,0${at}\n`).join("")}`,
  qif: (texts) => `!Type:Bank\n${texts.map((text, at) => `D${10 + at}/01/2026\nT-5.0${at}\nP${text}\n^\n`).join("")}`,
  mt940: (texts) =>
    `:20:START\n:25:12345678/1234567890\n:28C:1/1\n:60F:C260101EUR100,00\n${texts
      .map((text, at) => `:61:2601${10 + at}01${10 + at}D5,00NTRFNONREF\n:86:${text}\n`)
      .join("")}:62F:C260131EUR${100 - texts.length * 5},00\n-\n`,
  ofx: (texts) =>
    `OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>5551234<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>\n${texts
      .map(
        (text, at) =>
          `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>202601${10 + at}<TRNAMT>-5.00<FITID>F${at}<NAME>${text}</STMTTRN>\n`
      )
      .join("")}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n`
}

/** Texts of a few words, at least one with a letter beyond ASCII; `undefined` where the table lacks one of its letters. */
const drawn = (random: Seeded, words: ReadonlyArray<string>, table: string): ReadonlyArray<string> | undefined => {
  const fitting = words.filter((word) => encodeText(word, table) !== undefined)
  const texts = random.list(1, 8, () => random.list(1, 3, () => random.pick(fitting)).join(" "))
  if (random.once(3)) texts.push(texts.pop()!.toUpperCase())
  const bytes = encodeText(texts.join(" "), table)
  return bytes?.some((byte) => byte >= 0x80) === true ? texts : undefined
}

const euro = Currency.make("EUR")

/** Whether every text is in the file that was read. */
const isRight = (bytes: Uint8Array, texts: ReadonlyArray<string>): boolean => {
  const read = readStatement(bytes, { fileName: "statement", baseCurrency: euro })
  if (Result.isFailure(read)) return false
  const rows = read.success.accounts.flatMap((account) => account.rows)
  return texts.every((text, at) => rows[at]?.description === text)
}

export const encodingMatrix: Scene = {
  name: "encodings",
  title: "files in 24 languages, each in the tables and formats of its banks, name no encoding",
  play: (effort) =>
    Effect.sync(() => {
      const rounds = sizeOf(effort, { small: 1, quick: 4, full: 20 })
      const random = new Seeded(effort.drawn ?? effort.seed)
      let files = 0
      let right = 0
      let windows = 0
      let windowsRight = 0
      for (const [locale, tables] of Object.entries(tablesOf)) {
        const words = wordsOf(locale)
        for (const table of tables) {
          for (const format of Object.values(formats)) {
            for (let round = 0; round < rounds;) {
              const texts = drawn(random, words, table)
              if (texts === undefined) continue
              round++
              const hit = isRight(encodeText(format(texts), table)!, texts)
              files++
              if (hit) right++
              if (table !== "windows-1252") continue
              windows++
              if (hit) windowsRight++
            }
          }
        }
      }
      return [
        { name: "files", value: files },
        { name: "read as they were written, %", value: (100 * right) / files, goal: { min: 95 } },
        { name: "of windows-1252, %", value: (100 * windowsRight) / windows, goal: { min: 98 } }
      ]
    })
}
