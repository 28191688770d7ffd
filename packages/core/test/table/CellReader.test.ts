import { readCell, type CellForm } from "../../src/table/CellReader.ts"
import { fieldKey } from "../../src/table/FieldKey.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import { limits } from "../../src/shared/Limits.ts"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"

const runs = process.env["MILLRACE_LONG"] === "1" ? 200_000 : 5_000

const choices = [
  { id: "f", label: "Food" },
  { id: "Food", label: "Other" }
]
const forms: ReadonlyArray<CellForm> = [
  { type: "text" },
  { type: "number" },
  { type: "currency", options: { scale: 2 } },
  { type: "date" },
  { type: "datetime" },
  { type: "boolean" },
  { type: "select", options: { choices } },
  { type: "multi_select", options: { choices } },
  { type: "email" },
  { type: "url" },
  { type: "json" }
]

const inputs: ReadonlyArray<unknown> = [
  "",
  " ",
  "0",
  "-0.0",
  "1e3",
  "00.10",
  "1.234567890123",
  "9".repeat(30),
  "9".repeat(31),
  "Food",
  "f",
  "true",
  "2026-02-28",
  "2026-02-29",
  "2026-02-28T10:00:00Z",
  "2026-02-28T10:00:00+14:00",
  "2026-02-28T10:00:00",
  "desk@example.com",
  "desk@@example.com",
  "https://example.com",
  "HTTP://x",
  "\ud800",
  "a\0",
  "é",
  "🧾",
  0,
  -0,
  1.5,
  1e21,
  1e-7,
  Number.MAX_SAFE_INTEGER,
  true,
  false,
  null,
  [],
  ["f"],
  ["Food", "f"],
  ["f", "f"],
  [null],
  {},
  { a: [1, "x", null] },
  { __proto__: 1 },
  JSON.parse('{"__proto__":{"x":1}}'),
  { rawJSON: "1.10" },
  [[]],
  undefined
]

// The types of this version of TypeScript do not know this part of JSON yet.
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

const readNumber = (input: unknown, scale?: number) =>
  Result.getOrElse(
    readCell({ type: "number", ...(scale === undefined ? {} : { options: { scale } }) }, input),
    (message) => `! ${message}`
  )

const readChoice = (input: unknown) => Result.getOrUndefined(readCell({ type: "select", options: { choices } }, input))

const day = (input: string) => Result.getOrUndefined(readCell({ type: "date" }, input))

const refused = (form: CellForm, input: unknown) => Result.isFailure(readCell(form, input))

describe("cells", () => {
  it("are read again as they are kept", () => {
    const random = new Seeded(5)
    let kept = 0
    for (let n = 0; n < runs; n++) {
      const form = random.pick(forms)
      const cell = readCell(form, random.pick(inputs))
      if (Result.isFailure(cell)) {
        expect(cell.failure).toMatch(/^(must|is none|item \d+ (must|is none))/)
        continue
      }
      const again = form.type === "json" && typeof cell.success === "string" ? JSON.parse(cell.success) : cell.success
      expect(readCell(form, again)).toEqual(cell)
      kept++
    }
    expect(kept).toBeGreaterThan(runs / 10)
  })

  it("keep every digit of a number, and refuse those that the field does not allow", () => {
    expect(readNumber("0012.500")).toBe("12.5")
    expect(readNumber(0.1)).toBe("0.1")
    expect(readNumber(rawJSON("12345678901234567.890"))).toBe("12345678901234567.89")
    expect(readNumber("1.5", 0)).toBe("! must have at most 0 digits after the point")
    expect(readNumber("1.0", 0)).toBe("1")
    expect(readNumber("1e3")).toBe(Decimal.make("1000"))
    for (const wrong of ["", "1,5", "=1+1", " 1", "Infinity", Number.NaN, true, []])
      expect(readNumber(wrong)).toMatch(/^! must be/)
    expect(readNumber("1".repeat(limits.numberText))).toBe("1".repeat(limits.numberText))
    expect(readNumber("1".repeat(limits.numberText + 1))).toMatch(/^! must have at most 30/)
    expect(readNumber("1e300")).toMatch(/^! must have at most 30/)
  })

  it("of a date are a day, or the first ten characters of a date-time; of a date-time they name an offset", () => {
    const texts = ["2026-02-28", "2026-02-28T23:30:00", "2026-02-28t23:30:00z", "2026-02-28T23:30:00-11:00"]
    expect(texts.map(day)).toEqual(texts.map(() => "2026-02-28"))
    expect(["2026-02-29T10:00:00", "2026-02-28T", "2026-02-28x"].map(day)).toEqual([undefined, undefined, undefined])
    expect(texts.map((text) => refused({ type: "datetime" }, text))).toEqual([true, true, false, false])
  })

  it("of a select are an id or an exact label, the id first", () => {
    expect([
      readChoice("f"),
      readChoice("Food"),
      readChoice("Other"),
      readChoice("food"),
      readChoice(" Food"),
      readChoice(1)
    ]).toEqual(["f", "Food", "Food", undefined, undefined, undefined])
  })

  it("hold no NUL and no half of a surrogate pair, wherever they hide", () => {
    for (const text of ["a\0b", "\ud800", "\udc00x"]) {
      expect(refused({ type: "text" }, text)).toBe(true)
      expect(refused({ type: "json" }, text)).toBe(true)
      expect(refused({ type: "json" }, { [text]: 1 })).toBe(true)
      expect(refused({ type: "json" }, [{ a: [text] }])).toBe(true)
    }
    expect(refused({ type: "json" }, "\\u0000 is only a name for it")).toBe(false)
    expect(fieldKey("\ud800", new Set())).toBe("field")
  })
})

const digitsOf = (options: NonNullable<CellForm["options"]>): number =>
  Array.from({ length: 15 }, (_, digits) => digits).findLast((digits) =>
    Result.isSuccess(readCell({ type: "currency", options }, `1.${"1".repeat(digits)}`))
  )!

describe("amounts", () => {
  it.each([
    [{ currency: "JPY" }, 0],
    [{ currency: "EUR" }, 2],
    [{ currency: "KWD" }, 3],
    [{ currency: "CLF" }, 4],
    [{ currency: "x:BTC" }, 8],
    [{ currency: "JPY", scale: 4 }, 4],
    [{ currency: "EUR", scale: 0 }, 0],
    [{ scale: 5 }, 5],
    [{}, limits.fieldScale]
  ])("have the digits of their currency, unless the field says otherwise: %j", (options, digits) => {
    expect(digitsOf(options)).toBe(digits)
  })

  it("may be written with zeros behind the last digit that counts", () => {
    expect(readCell({ type: "currency", options: { currency: "JPY" } }, "1500.00")).toEqual(Result.succeed("1500"))
  })
})
