import { describe, expect, it } from "@effect/vitest"
import type { Column } from "@millrace/core/destination"
import type { Fields } from "@millrace/core/record"
import { lineEnd, quote } from "@millrace/core/text"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as CsvWriter from "../../../src/destination/csv/CsvWriter.ts"
import { parse } from "./Rfc4180.ts"

const columns: ReadonlyArray<Column> = [
  { name: "Text", label: "Text", type: "str" },
  { name: "Number", label: "Number", type: "num" },
  { name: "Day", label: "Day", type: "date" },
  { name: "Yes", label: "Yes", type: "bool" }
]

const written = (...rows: ReadonlyArray<Fields>): string => {
  const writer = CsvWriter.make(columns)
  return writer.header + rows.map(writer.row).join("")
}

const textCell = (text: string): string => parse(CsvWriter.make(columns.slice(0, 1)).row({ Text: text }))[0]![0]!

// What is hard to write, among any other UTF-16 units; lone surrogates too.
const awkward = [
  '"',
  ",",
  "\r",
  "\n",
  "\t",
  "=",
  "+",
  "-",
  "@",
  "'",
  " ",
  "\0",
  "\x85",
  "\ufeff",
  "a",
  "é",
  "😀"
] as const
const unit = Schema.Union([
  Schema.Literals(awkward),
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))
])
const text = Arbitrary.map(Arbitrary.array(Arbitrary.schema(unit), { maxLength: 12 }), (units) =>
  units.map((each) => (typeof each === "number" ? String.fromCharCode(each) : each)).join("")
)
const cellRows = Arbitrary.array(Arbitrary.array(text, { minLength: 1, maxLength: 5 }))
const records = Arbitrary.array(
  Arbitrary.all({ Text: text, Number: text, Day: text, Yes: Arbitrary.schema(Schema.Boolean) })
)
const runs = { arbitrary: { runs: 500 } }

describe("CsvWriter", () => {
  it("writes numbers bare, text as text, and nothing where there is nothing", () => {
    expect(
      written(
        { Text: "Coop, Zürich", Number: "-12.5", Day: "2026-03-14", Yes: true },
        { Text: 'the "old" one', Number: "0", Day: null, Yes: false },
        {}
      )
    ).toBe('Text,Number,Day,Yes\r\n"Coop, Zürich",-12.5,2026-03-14,true\r\n"the ""old"" one",0,,false\r\n,,,\r\n')
  })

  it("begins without a byte order mark", () => {
    const named = CsvWriter.make([{ name: "\ufeffName", label: "Name", type: "str" }])
    expect(named.header).toBe("Name\r\n")
  })

  it("gives an apostrophe to text that begins like a formula", () => {
    expect(["=1+1", "+1", "-1", "@a", "\t=1", "\r=1", "\n=1", "＝1"].map(textCell)).toEqual(
      ["=1+1", "+1", "-1", "@a", "\t=1", "\r=1", "\n=1", "＝1"].map((formula) => `'${formula}`)
    )
    expect(["1-1", "a=1", "", " ", "'=1", "1@a"].map(textCell)).toEqual(["1-1", "a=1", "", " ", "'=1", "1@a"])
  })

  it("does not let a control character hide a formula", () => {
    expect(["\0=1", "\x01\x7f\x85+1", "\ufeff@a"].map(textCell)).toEqual(["'=1", "'+1", "'@a"])
    expect(textCell("a\0b\x1b[0m\tc\r\nd")).toBe("ab[0m\tc\r\nd")
  })

  it("keeps negative numbers numbers, but trusts no number column with text", () => {
    const cells = ["-12.5", "-0.000000000001", "12", "=1", "-1+1", "+1", "1e5", "-", "-.5"].map(
      (value) => parse(written({ Number: value }))[1]![1]
    )
    expect(cells).toEqual(["-12.5", "-0.000000000001", "12", "'=1", "'-1+1", "'+1", "1e5", "'-", "'-.5"])
  })

  it("makes column names text as well", () => {
    const writer = CsvWriter.make([
      { name: "=1+1", label: "", type: "num" },
      { name: 'a,"b"', label: "", type: "str" }
    ])
    expect(writer.header).toBe('\'=1+1,"a,""b"""\r\n')
  })

  it("does not take what objects inherit for a value", () => {
    const writer = CsvWriter.make(
      ["constructor", "toString", "__proto__"].map((name): Column => ({ name, label: name, type: "str" }))
    )
    expect(writer.row({})).toBe(",,\r\n")
  })

  it("writes a lone empty cell so that readers do not skip the line", () => {
    const writer = CsvWriter.make(columns.slice(0, 1))
    expect(writer.row({ Text: "" })).toBe('""\r\n')
  })

  it.prop(
    "is read back by RFC 4180 as the cells that went in, whatever they are",
    { rows: cellRows },
    ({ rows }) => {
      const csv = rows.map((cells) => cells.map(quote).join(",") + lineEnd).join("")
      expect(parse(csv)).toEqual(rows)
    },
    runs
  )

  it.prop(
    "is read back by RFC 4180 as the text of each record, and never as a formula",
    { given: records },
    ({ given }) => {
      const [header, ...rows] = parse(written(...given))
      expect(header).toEqual(columns.map(({ name }) => name))
      expect(rows).toHaveLength(given.length)
      for (const [i, { Text, Day }] of given.entries()) {
        for (const [cell, original] of [
          [rows[i]![0]!, Text],
          [rows[i]![2]!, Day]
        ] as const) {
          expect(cell).not.toMatch(/^[=+\-@\t\r]/)
          const kept = original.toWellFormed().replace(/[^\P{Cc}\t\r\n]|\ufeff/gu, "")
          expect([kept, `'${kept}`]).toContain(cell)
        }
      }
    },
    runs
  )

  it("does not join halves of letters that a control character kept apart", () => {
    const cell = parse(written({ Text: "\ud800\u0000\udc00", Number: "1", Day: "2026-03-14", Yes: true }))[1]![0]
    expect(cell).toBe("\ufffd\ufffd")
  })

  it("writes the same text for the same records", () => {
    const record = { Text: "Zürich\r\n=1", Number: "-1", Day: "2026-03-14", Yes: true }
    expect(written(record, record)).toBe(written(record, record))
  })
})
