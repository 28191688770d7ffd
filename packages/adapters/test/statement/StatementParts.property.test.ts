/** Files of lines that come in parts, cut anywhere, give what the whole gives, and nobody has to keep their rows. */
import { Buffer } from "node:buffer"
import { Currency } from "@millrace/core"
import { StatementFault, type StatementOptions } from "@millrace/core/upload"
import { describe, expect, it } from "vitest"
import type { StatementDraft, TakeRow } from "../../src/statement/AccountStatements.ts"
import { LineSource } from "../../src/statement/LineSource.ts"
import { readMt940, scanMt940 } from "../../src/statement/Mt940Reader.ts"
import { readQif, scanQif } from "../../src/statement/QifReader.ts"
import type { ReaderNotes } from "../../src/statement/ReaderNotes.ts"
import type { StatedRow } from "../../src/statement/StatedRow.ts"
import { cut, integersFrom, list, pick, type Random } from "./parts.ts"

const rounds = process.env["MILLRACE_LONG"] === "1" ? 20_000 : 125

const texts = ["Café Zürich", "x", "", "Москва", "a  b", "€ 12", "𝒳 mall", "Grüße-", ":61:", "{1:F01}", "\ufeffmark"]

const amountOf = (random: Random, decimal: string): string =>
  pick(random, [`1${decimal}50`, "12", `0${decimal}05`, `1234567${decimal}5`, "x", `99999999999999999999${decimal}1`])

const mt940 = (random: Random, end: string): string => {
  const day = () => `2601${String(1 + random(32)).padStart(2, "0")}`
  const message = () => [
    ...(random(9) === 0 ? ["{1:F01BANKDEFFAXXX}{2:O9400000}{4:"] : []),
    ":20:X",
    ...(random(9) === 0 ? [] : [`:25:37040044/05320130${random(90)}`]),
    `:60F:C${day()}EUR${random(9)},00`,
    ...list(random(12), () => [
      `:61:${day()}0103${pick(random, ["C", "D", "RC", "ED"])}${amountOf(random, ",")}NTRF${pick(random, texts)}`,
      ...(random(4) === 0 ? [] : [`:86:${pick(random, texts)}`, ...list(random(3), () => `?20${pick(random, texts)}`)])
    ]).flat(),
    ...(random(3) === 0 ? [`:90D:${random(5)}EUR${random(9)},50`, `:90C:${random(5)}EUR1,50`] : []),
    ...(random(3) === 0 ? [] : [`:62F:C${day()}EUR${random(9)},50`]),
    "-"
  ]
  return (
    list(1 + random(4), message)
      .flat()
      .join(end) + pick(random, ["", end, `${end}${end}`])
  )
}

const qif = (random: Random, end: string): string => {
  const dayFirst = random(2) === 0
  const decimal = pick(random, [".", ","])
  const day = () => (random(30) === 0 ? "30/30/26" : dayFirst ? `${1 + random(28)}/1/26` : `1/${1 + random(28)}/26`)
  const row = () => [
    ...(random(20) === 0 ? [] : [`D${day()}`]),
    `T-${amountOf(random, decimal)}`,
    `P${pick(random, texts)}`,
    ...(random(3) === 0 ? [`M${pick(random, texts)}`] : []),
    ...(random(9) === 0 ? ["SFood", `$-1${decimal}50`] : []),
    "^"
  ]
  const account = (n: number) => [
    ...(random(2) === 0 ? ["!Account", `NGiro ${n}`, "TBank", `$12${decimal}00`, `/${day()}`, "^"] : []),
    pick(random, ["!Type:Bank", "!Type:CCard", "!Type:Cat", "!Type:Bank "]),
    ...list(random(12), row).flat()
  ]
  return (
    list(1 + random(3), account)
      .flat()
      .join(end) + pick(random, ["", end])
  )
}

const encodings = ["utf-8", "utf-8", "utf-8", "utf-16le", "windows-1252", "shift_jis"] as const

/** Bytes of a text, some of them changed or left out. */
const bytesOf = (text: string, encoding: (typeof encodings)[number], random: Random): Uint8Array => {
  const form = encoding === "utf-16le" ? "utf16le" : encoding === "utf-8" ? "utf8" : "latin1"
  const bytes = Buffer.from((random(5) === 0 ? "\ufeff" : "") + text, form)
  if (random(3) > 0 || bytes.length === 0) return bytes
  for (let n = 0; n < 3; n++) bytes[random(bytes.length)] = pick(random, [0xe2, 0x82, 0xf0, 0xff, 10, 13, 65, 0])
  return random(2) === 0 ? bytes : bytes.subarray(0, random(bytes.length))
}

interface Scanned {
  readonly statement: { readonly drafts: ReadonlyArray<StatementDraft> }
  readonly notes: ReaderNotes
}

type Scan = (parts: ReadonlyArray<Uint8Array>, options: StatementOptions, take?: TakeRow) => StatementFault | Scanned

const formats: ReadonlyArray<readonly [string, (random: Random, end: string) => string, Scan]> = [
  ["MT940", mt940, scanMt940],
  ["QIF", qif, (parts, options, take) => scanQif(() => parts, options, take)]
]

/** All that is told of a file, each row under its statement. */
const told = (scan: Scan, parts: ReadonlyArray<Uint8Array>, options: StatementOptions, isTaken: boolean) => {
  const rows = new Map<StatementDraft, Array<StatedRow>>()
  const take = (draft: StatementDraft, row: StatedRow): void => {
    const own = rows.get(draft)
    if (own === undefined) rows.set(draft, [row])
    else own.push(row)
  }
  const scanned = scan(parts, options, isTaken ? take : undefined)
  if (scanned instanceof StatementFault) return { ...scanned, message: scanned.message }
  const { notes, statement } = scanned
  if (isTaken) expect(statement.drafts.flatMap((draft) => draft.rows)).toEqual([])
  return {
    drafts: statement.drafts.map((draft) => ({ ...draft, rows: isTaken ? (rows.get(draft) ?? []) : draft.rows })),
    refused: notes.refused,
    assumed: notes.assumed,
    warnings: notes.warnings()
  }
}

describe.each(formats)("%s in parts", (_, write, scan) => {
  it("gives the rows, the notes and the faults of the whole", () => {
    const seen = { faults: 0, rows: 0 }
    for (let seed = 0; seed < rounds; seed++) {
      const random = integersFrom(seed)
      const encoding = pick(random, encodings)
      const bytes = bytesOf(write(random, pick(random, ["\n", "\n", "\r\n", "\r"])), encoding, random)
      const options: StatementOptions = { fileName: "x", baseCurrency: Currency.make("EUR"), csv: { encoding } }
      const whole = told(scan, [bytes], options, false)
      expect(told(scan, cut(bytes, random), options, true), `seed ${seed}`).toEqual(whole)
      if ("drafts" in whole) seen.rows += whole.drafts.reduce((sum, { count }) => sum + count, 0)
      else seen.faults++
    }
    expect(seen.faults).toBeGreaterThan(rounds / 50)
    expect(seen.rows).toBeGreaterThan(rounds * 2)
  })
})

const linesOf = (parts: Iterable<Uint8Array>, encoding: string) => {
  const source = new LineSource(parts, encoding)
  const lines: Array<string> = []
  for (let line = source.next(); line !== undefined; line = source.next()) lines.push(line)
  return { lines, line: source.line, isTooLong: source.isTooLong }
}

describe("the lines of a file in parts", () => {
  it("are those of the whole text, in every encoding and with every line end", () => {
    for (let seed = 0; seed < rounds; seed++) {
      const random = integersFrom(seed)
      const encoding = pick(random, encodings)
      const end = pick(random, ["\n", "\r\n", "\r"])
      const many = random(20) === 0 ? 9_000 : random(30)
      const bytes = bytesOf(list(many, () => pick(random, texts)).join(end), encoding, random)
      const text = new TextDecoder(encoding).decode(bytes)
      const lines = text.includes("\n") ? text.split("\n").map((line) => line.replace(/\r$/, "")) : text.split("\r")
      if (/(?:^|[\r\n])$/.test(text) && lines.at(-1) === "") lines.pop()
      const expected = { lines, line: lines.length, isTooLong: false }
      expect(linesOf([bytes], encoding), `seed ${seed}`).toEqual(expected)
      expect(linesOf(cut(bytes, random), encoding), `seed ${seed}`).toEqual(expected)
    }
  })

  it("end at the first that is too long, wherever the file is cut", () => {
    const longest = 1_048_576
    for (const [length, isTooLong] of [
      [longest, false],
      [longest + 1, true]
    ] as const) {
      const bytes = Buffer.from(`a\n${"x".repeat(length)}\nb\n`)
      for (const size of [1_000, 70_000, 2_000_000]) {
        const parts = list(Math.ceil(bytes.length / size), (n) => bytes.subarray(n * size, (n + 1) * size))
        const { line, ...source } = linesOf(parts, "utf-8")
        expect([line, source.lines.length, source.isTooLong]).toEqual(isTooLong ? [2, 1, true] : [3, 3, false])
      }
    }
  })

  it("are asked for one part after another", () => {
    let asked = 0
    const source = new LineSource(
      (function* () {
        for (; asked < 1_000; asked++) yield Buffer.from("line\n".repeat(2_000))
      })(),
      "utf-8"
    )
    for (let n = 0; n < 4_000; n++) source.next()
    expect(asked).toBeLessThan(5)
  })
})

describe("files in parts that cannot be read", () => {
  const options: StatementOptions = { fileName: "x", baseCurrency: Currency.make("EUR") }

  it.each([
    ["MT940", (parts: () => Iterable<Uint8Array>) => scanMt940(parts(), options), ":20:X\n:25:1\n\u0000\n", 1],
    [
      "QIF, on the first way",
      (parts: () => Iterable<Uint8Array>) => scanQif(parts, options),
      "!Type:Bank\n\u0000\n",
      1
    ],
    [
      "QIF, on the second way",
      (parts: () => Iterable<Uint8Array>) => scanQif(parts, options),
      "D2026-02-03\nT1\n^\n".repeat(200_001),
      2
    ]
  ])("are let go of: %s", (_, scan, text, times) => {
    let open = 0
    let opened = 0
    const bytes = Buffer.from(text)
    const scanned = scan(function* () {
      open++
      opened++
      try {
        for (let n = 0; n < 3; n++) yield bytes
      } finally {
        open--
      }
    })
    expect([scanned instanceof StatementFault, open, opened]).toEqual([true, 0, times])
  })
})

/** A message that states sums of its three movements. */
const stating = (stated: string) =>
  Buffer.from(`:20:X\n:25:1\n:61:260203D1,50NTRF\n:61:260203D2,NTRF\n:61:260203C1,NTRF\n${stated}\n-\n`)

describe("files without limit", () => {
  const many = 200_001
  const options: StatementOptions = { fileName: "x", baseCurrency: Currency.make("EUR") }
  const row = Buffer.from("D2026-02-03\nT-1.50\n^\n".repeat(1_000))
  const parts = list(Math.ceil(many / 1_000), () => row)

  it("have more rows handed on than are kept of a file", () => {
    let rows = 0
    const scanned = scanQif(
      () => parts,
      options,
      () => {
        rows++
      }
    )
    expect([scanned instanceof StatementFault, rows]).toEqual([false, 201_000])
    expect(readQif(Buffer.concat(parts), options)).toMatchObject({
      failure: { message: "more than 200000 rows in one file: split it by period", line: 600_001 }
    })
  })

  it("state the sums of a message whose rows nobody keeps", () => {
    const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      [":90D:2EUR3,50\n:90C:1EUR1,", []],
      [":90D:2EUR3,51", [`line 6: :90D: states 2 rows of 3.51, the message has 2 of 3.5`]]
    ]
    for (const [stated, warnings] of cases) {
      const scanned = scanMt940([stating(stated)], options, () => undefined)
      expect("notes" in scanned && scanned.notes.warnings()).toEqual(warnings)
      expect(readMt940(stating(stated), options)).toMatchObject({
        success: { warnings: expect.arrayContaining([...warnings]) }
      })
    }
  })

  it("state the sums of messages of thousands of rows", () => {
    const rows = list(5_000, (n) => `:61:260203${n % 2 === 0 ? "D" : "C"}0,01NTRF\n`).join("")
    const warningsOf = (stated: string) => {
      const scanned = scanMt940([Buffer.from(`:20:X\n:25:1\n${rows}${stated}`)], options, () => undefined)
      return "notes" in scanned && scanned.notes.warnings()
    }
    expect(warningsOf(":90D:2500EUR25,\n:90C:2500EUR25,\n")).toEqual([])
    expect(warningsOf(":90C:2500EUR24,99\n")).toEqual([
      "line 5003: :90C: states 2500 rows of 24.99, the message has 2500 of 25"
    ])
  })
})
