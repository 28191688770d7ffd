/** Rows of OFX that are scanned at once are what they are where each element is told. */
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { randomFrom, read } from "./reading.ts"

const rounds = process.env["MILLRACE_LONG"] === "1" ? 20_000 : 1_200

/** Integers from 0 to below `n`. */
type Random = (n: number) => number

const pick = <A>(random: Random, values: ReadonlyArray<A>): A => values[random(values.length)]!

const texts = [
  "MIGROS 12",
  "Café &amp; Co",
  "a  b",
  "x",
  "A &lt; B",
  "Grüße",
  "Москва",
  "tab\there",
  "5 < 6",
  "",
  " edge ",
  "MIGROS"
]

const write = (random: Random): string => {
  const isXml = random(3) === 0
  const end = pick(random, ["\n", "\n", "\r\n", "\r", ""])
  const leaf = (tag: string, value: string) => `<${tag}>${value}${isXml ? `</${tag}>` : ""}${end}`
  const maybe = (part: string, chance = 3) => (random(chance) === 0 ? "" : part)
  const row = (n: number) => {
    const parts = [
      leaf("TRNTYPE", pick(random, ["DEBIT", "CREDIT", "POS", "hold", "HOLD", "FEE"])),
      leaf(
        "DTPOSTED",
        `202401${String(1 + random(31)).padStart(2, "0")}${pick(random, ["", "120000", "120000[0:GMT]"])}`
      ),
      leaf(
        "TRNAMT",
        pick(random, ["-1.50", "12", "-0.00", "1,234.50", "0.5", "+3.10", "007", "99999999999999", "1.230"])
      ),
      leaf("FITID", `F${random(30) === 0 ? 1 : n}`),
      maybe(leaf("NAME", pick(random, texts)), 6),
      maybe(leaf("MEMO", pick(random, texts))),
      random(4) === 0 ? leaf("CHECKNUM", pick(random, ["0000", "123"])) : "",
      random(6) === 0 ? leaf("REFNUM", "R1") : "",
      random(6) === 0 ? leaf("DTUSER", "20240102") : "",
      random(20) === 0 ? leaf("SIC", "1") : "",
      random(30) === 0 ? leaf("NAME", "again") : ""
    ]
    return `<STMTTRN>${end}${parts.join("")}${random(40) === 0 ? "" : `</STMTTRN>${end}`}`
  }
  const rows = Array.from({ length: 1 + random(12) }, (_, n) => row(n)).join("")
  return `OFXHEADER:100${end || "\n"}DATA:OFXSGML${end || "\n"}${end || "\n"}<OFX>${end}<STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>12345<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>${end}${rows}</BANKTRANLIST></STMTRS></STMTTRNRS></OFX>${end}`
}

const changed = (text: string, random: Random): string => {
  const at = text.indexOf("<STMTTRN>") + random(Math.max(1, text.length - text.indexOf("<STMTTRN>") - 40))
  switch (random(5)) {
    case 0:
      return (
        text.slice(0, at) +
        pick(random, [
          "<",
          ">",
          "/",
          "&",
          "\n",
          "</NAME>",
          "<STMTTRN>",
          "</STMTTRN>",
          "<!-- x -->",
          "<CURRENCY><CURSYM>USD</CURRENCY>",
          "  "
        ]) +
        text.slice(at)
      )
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random(30))
    default:
      return text
  }
}

/** A comment makes rows ones that are told element by element, and means nothing. */
const told = (text: string): string => text.replaceAll("<STMTTRN>", "<STMTTRN><!-- -->")

const outcome = (text: string): unknown => {
  const result = read(text)
  if (Result.isSuccess(result)) return JSON.parse(JSON.stringify(result.success)) as unknown
  return { message: result.failure.message, line: result.failure.line }
}

describe("rows of OFX", () => {
  it("are the same scanned at once and element by element, in whole and in changed files", () => {
    let many = 0
    for (let seed = 1; seed <= rounds; seed++) {
      const next = randomFrom(seed)
      const random: Random = (n) => Math.floor(next() * n)
      const text = changed(write(random), random)
      const once = outcome(text)
      expect(withoutColumns(once), `seed ${seed}`).toEqual(withoutColumns(outcome(told(text))))
      if (typeof once === "object" && once !== null && "accounts" in once) many++
    }
    expect(many).toBeGreaterThan(rounds / 4)
  }, 600_000)
})

/** Columns, of warnings and of rows that are refused, move by what was put before them. */
const withoutColumns = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/"column":\d+,?/g, "")
      .replaceAll(/column \d+/g, "column")
  ) as unknown
