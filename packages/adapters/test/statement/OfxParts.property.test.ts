/** OFX files that come in parts, cut anywhere, give what the whole gives, and nobody has to keep their rows. */
import { Buffer } from "node:buffer"
import * as fs from "node:fs"
import * as path from "node:path"
import { Currency } from "@millrace/core"
import { StatementFault, type StatementOptions } from "@millrace/core/upload"
import { describe, expect, it } from "vitest"
import type { AccountDraft } from "../../src/statement/OfxAccount.ts"
import { readOfx, type ScannedOfx, scanOfx, scanWholeOfx } from "../../src/statement/OfxReader.ts"
import type { StatedRow } from "../../src/statement/StatedRow.ts"
import { cut, integersFrom, list, pick, type Random } from "./parts.ts"

const rounds = process.env["MILLRACE_LONG"] === "1" ? 20_000 : 250
const options: StatementOptions = { fileName: "x", baseCurrency: Currency.make("EUR") }

const texts = [
  "MIGROS 12",
  "Café &amp; Co",
  "a  b",
  "x",
  "A &lt; B",
  "Grüße",
  "Москва",
  "5 < 6",
  "",
  "a <b c",
  "𝒳 mall"
]

const unknown = ["INTU.XXX", "WRAP", "EXTRA", "NOTE", "A.VERY.LONG.NAME.OF.AN.ELEMENT", `N${"x".repeat(70)}`]

/** Elements that no reader knows: closed, empty, groups, groups that nobody closes. */
const strange = (random: Random): string => {
  const name = pick(random, unknown)
  return pick(random, [
    `<${name}>`,
    `<${name}></${name}>`,
    `<${name}/>`,
    `<${name}>text`,
    `<${name} a="1">text</${name}>`,
    `<${name}><NAME>inner<DTPOSTED>20260101</${name}>`,
    `<${name}><NAME>inner</NAME>`,
    `</${name}>`,
    `<!-- <${name}> </${name}> -->`,
    `<?x ${name}?>`,
    `<${name}><![CDATA[</${name}>]]></${name}>`
  ])
}

const write = (random: Random): string => {
  const isXml = random(3) === 0
  const end = pick(random, ["\n", "\n", "\r\n", "\r", ""])
  const odd = () => (random(5) === 0 ? strange(random) : "")
  const leaf = (tag: string, value: string) => `<${tag}>${value}${isXml ? `</${tag}>` : ""}${end}${odd()}`
  const maybe = (part: string, chance = 3) => (random(chance) === 0 ? part : "")
  const day = () => `202601${String(1 + random(31)).padStart(2, "0")}${pick(random, ["", "120000[0:GMT]"])}`
  const amount = () => pick(random, ["-1.50", "12", "1,234.50", "+3.10", "007", "99999999999999", "1,234", "x", "-.-"])
  const text = () => pick(random, [...texts, `<![CDATA[${pick(random, texts)}]]>`, `a<![CDATA[b</NAME>]]>c`])
  const row = (n: number) => {
    const parts = [
      leaf("TRNTYPE", pick(random, ["DEBIT", "POS", "HOLD", "A.LONG.KIND.OF.ITS.OWN"])),
      maybe(leaf("DTPOSTED", day()), 40) || leaf("DTPOSTED", day()),
      random(30) === 0 ? "" : leaf("TRNAMT", amount()),
      leaf("FITID", `F${n}`),
      leaf("NAME", text()),
      maybe(leaf("MEMO", text())),
      maybe(leaf("DTUSER", pick(random, ["20260102", "never"])), 8),
      maybe(`<CURRENCY><CURRATE>1<CURSYM>${pick(random, ["USD", "XX1"])}</CURRENCY>${end}`, 12),
      maybe(`<PAYEE><NAME>${text()}</PAYEE>`, 12),
      maybe("<STMTTRN>", 60)
    ]
    return `${maybe("<STMTTRN >", 20) || "<STMTTRN>"}${end}${parts.join("")}${random(30) === 0 ? "" : `</STMTTRN>${end}`}`
  }
  const balance = () =>
    maybe(
      `<LEDGERBAL>${leaf("BALAMT", pick(random, ["12.00", "EUR 12", "", "1234567890123456.123"]))}${leaf("DTASOF", day())}</LEDGERBAL>`
    )
  const bank = (n: number) =>
    `<STMTTRNRS>${maybe(`<STATUS>${leaf("CODE", random(40) === 0 ? "2000" : "0")}<SEVERITY>INFO</STATUS>`)}<STMTRS>${odd()}` +
    `${random(9) === 0 ? "" : leaf("CURDEF", "EUR")}<BANKACCTFROM>${leaf("BANKID", "37040044")}${leaf("ACCTID", `DE89370400440532013${n}`)}` +
    `${leaf("ACCTTYPE", "CHECKING")}</BANKACCTFROM><BANKTRANLIST>${leaf("DTSTART", day())}${end}` +
    `${list(random(9), row).join("")}${random(20) === 0 ? "" : "</BANKTRANLIST>"}${balance()}</STMTRS></STMTTRNRS>${end}`
  const movement = (n: number) =>
    `<BUYSTOCK><INVBUY><INVTRAN>${leaf("FITID", `I${n}`)}${leaf("DTTRADE", day())}</INVTRAN><SECID>${leaf("UNIQUEID", `US037833100${n}`)}</SECID>` +
    `${leaf("TOTAL", amount())}</INVBUY></BUYSTOCK>${maybe("<SPLIT><FITID>9</SPLIT>")}`
  const broker = () =>
    `<INVSTMTTRNRS><INVSTMTRS>${leaf("CURDEF", "USD")}<INVACCTFROM>${leaf("BROKERID", "x.org")}${leaf("ACCTID", "A-99")}</INVACCTFROM>` +
    `<INVTRANLIST>${list(random(4), movement).join("")}</INVTRANLIST></INVSTMTRS></INVSTMTTRNRS>` +
    `<SECLIST>${list(2, (n) => `<STOCKINFO><SECINFO><SECID>${leaf("UNIQUEID", `US037833100${n}`)}</SECID>${leaf("SECNAME", text())}</SECINFO></STOCKINFO>`).join("")}</SECLIST>`
  const block = () =>
    `<OFX>${end}<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS>${odd()}</SONRS></SIGNONMSGSRSV1>` +
    `<BANKMSGSRSV1>${list(1 + random(3), bank).join("")}</BANKMSGSRSV1>${random(3) === 0 ? broker() : ""}</OFX>${end}`
  const head = `OFXHEADER:100${end || "\n"}DATA:OFXSGML${end || "\n"}${maybe(`CHARSET:1252${end || "\n"}`)}${end || "\n"}`
  return head + block() + maybe(pick(random, [strange(random), "<STMTTRN>", "words"]), 6) + maybe(block(), 5)
}

const changed = (text: string, random: Random): string => {
  const at = random(text.length)
  const put = ["<", ">", "/", "&", "</STMTTRN>", "<!--", "<![CDATA[", "]]>", "\n", "</OFX>", "<OFX>", "<BANKTRANLIST>"]
  switch (random(6)) {
    case 0:
      return text.slice(0, at) + pick(random, put) + text.slice(at)
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random(30))
    case 2:
      return random(3) === 0 ? text.slice(0, at) : text
    default:
      return text
  }
}

const bytesOf = (text: string, random: Random): Uint8Array => {
  const form = pick(random, ["utf8", "utf8", "utf8", "latin1", "utf16le"] as const)
  const mark = form === "utf16le" || (form === "utf8" && random(5) === 0) ? "\ufeff" : ""
  const bytes = Buffer.from(mark + text + pick(random, ["", "", "\n\n", " \u0000\u0000", "\u001a"]), form)
  if (random(8) === 0) bytes[random(bytes.length)] = pick(random, [0xe2, 0x82, 0xf0, 0xff, 10, 13, 65, 0])
  return bytes
}

/** All that is told of a file, each row under its statement. */
const told = (scanned: StatementFault | ScannedOfx, taken?: Map<AccountDraft, Array<readonly [StatedRow, string]>>) => {
  if (scanned instanceof StatementFault) return { fault: { ...scanned, message: scanned.message } } as const
  const { notes, statement } = scanned
  return {
    fault: undefined,
    drafts: statement.drafts.map((draft) => {
      const { rows: kept, securities: named, ...rest } = draft
      if (taken !== undefined) expect([kept, named]).toEqual([[], []])
      const securities = new Map(named)
      const rows =
        taken === undefined ? kept.map((row, at) => [row, securities.get(at) ?? ""]) : (taken.get(draft) ?? [])
      return { ...rest, rows }
    }),
    names: [...statement.securityNames],
    skipped: [...statement.skipped],
    refused: notes.refused,
    assumed: notes.assumed,
    warnings: notes.warnings()
  }
}

const inParts = (parts: ReadonlyArray<Uint8Array>, least?: number) => {
  const taken = new Map<AccountDraft, Array<readonly [StatedRow, string]>>()
  const take = (draft: AccountDraft, row: StatedRow, security: string): void => {
    const own = taken.get(draft)
    if (own === undefined) taken.set(draft, [[row, security]])
    else own.push([row, security])
  }
  return told(
    scanOfx(() => parts, options, take, least),
    taken
  )
}

const sicRow = (n: number) =>
  `<STMTTRN><TRNTYPE>POS\n<DTPOSTED>20260103\n<TRNAMT>-${n}.5\n<FITID>${n}<SIC>\n<NAME>Café ${n}\n</STMTTRN>\n`

describe("OFX in parts", () => {
  it("gives the rows, the notes and the faults of the whole", () => {
    const seen = { faults: 0, rows: 0, refused: 0 }
    for (let seed = 0; seed < rounds; seed++) {
      const random = integersFrom(seed)
      const bytes = bytesOf(changed(write(random), random), random)
      const whole = told(scanWholeOfx(bytes, options))
      expect(inParts(cut(bytes, random), pick(random, [1, 10, 100, 1_000])), `seed ${seed}`).toEqual(whole)
      if (whole.fault === undefined) {
        seen.rows += whole.drafts.reduce((sum, { count }) => sum + count, 0)
        seen.refused += whole.refused.length
      } else seen.faults++
    }
    expect(seen.faults).toBeGreaterThan(rounds / 20)
    expect(seen.rows).toBeGreaterThan(rounds * 2)
    expect(seen.refused).toBeGreaterThan(rounds / 20)
  }, 600_000)

  it("gives of large files what the whole gives", () => {
    const random = integersFrom(7)
    const text = `<OFX><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>12345</BANKACCTFROM><BANKTRANLIST>\n${list(9_000, sicRow).join("")}</BANKTRANLIST></STMTRS></STMTTRNRS></OFX>\n`
    for (const form of ["utf8", "latin1"] as const) {
      const bytes = Buffer.from(text, form)
      const whole = told(scanWholeOfx(bytes, options))
      expect(whole.drafts?.[0]?.count).toBe(9_000)
      const size = 1_000 + random(9_000)
      const parts = list(Math.ceil(bytes.length / size), (n) => bytes.subarray(n * size, (n + 1) * size))
      expect(inParts(parts)).toEqual(whole)
    }
  })

  it.each([
    ["a memo", `<STMTTRN><DTPOSTED>20260103<TRNAMT>1<MEMO>#</STMTTRN>`],
    ["an unknown value", `<STMTTRN><DTPOSTED>20260103<EXTRA>#</EXTRA><TRNAMT>1</STMTTRN>`],
    ["text in which others begin", `<STMTTRN><DTPOSTED>20260103<TRNAMT>1<MEMO>#<b</STMTTRN>`],
    ["CDATA", `<STMTTRN><DTPOSTED>20260103<TRNAMT>1<NAME><![CDATA[#]]></STMTTRN>`],
    ["a comment", `<!--#-->`],
    ["a name", `<N#>`],
    ["attributes", `<BAL #>`],
    ["a name that never ends", `<N#`],
    ["words between elements", `</BANKID>#`]
  ])("takes %s of up to a megabyte, wherever the file is cut", (_, written) => {
    const longest = 1_048_576
    for (const length of [
      longest - 400,
      longest - 20,
      longest - 14,
      longest - 7,
      longest + 1,
      longest + 30,
      longest * 3
    ]) {
      const filled = written.replace("#", "x".repeat(length))
      const text = `<OFX><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>12345</BANKACCTFROM><BANKTRANLIST>${filled}</BANKTRANLIST></STMTRS></STMTTRNRS></OFX>\n`
      const bytes = Buffer.from(text)
      const whole = told(scanWholeOfx(bytes, options))
      for (const size of [70_000, 1_000_003]) {
        const parts = list(Math.ceil(bytes.length / size), (n) => bytes.subarray(n * size, (n + 1) * size))
        expect(inParts(parts), `${length} in ${size}`).toEqual(whole)
      }
    }
  })

  it("has more rows handed on than are kept of a file", () => {
    const row = Buffer.from("<STMTTRN><DTPOSTED>20260103<TRNAMT>1\n</STMTTRN>".repeat(1_000))
    const head = Buffer.from("<OFX><STMTTRNRS><STMTRS><CURDEF>EUR<BANKTRANLIST>")
    const parts = [head, ...list(201, () => row), Buffer.from("</BANKTRANLIST></STMTRS></STMTTRNRS></OFX>")]
    let rows = 0
    const scanned = scanOfx(
      () => parts,
      options,
      () => {
        rows++
      }
    )
    expect([scanned instanceof StatementFault, rows]).toEqual([false, 201_000])
    expect(readOfx(Buffer.concat(parts), options)).toMatchObject({
      failure: { message: "STMTTRN: more than 200000 rows in one file: split the file by period", line: 200_001 }
    })
  })

  it.each([
    ["binary data", "<OFX>\u0000<x>", 2],
    ["nothing of OFX", "words", 2],
    ["a fault", "<OFX><STMTTRN></STMTTRN>", 2]
  ])("is let go of: %s", (_, text, times) => {
    let open = 0
    let opened = 0
    const scanned = scanOfx(function* () {
      open++
      opened++
      try {
        for (let n = 0; n < 300; n++) yield Buffer.from(n === 0 ? text : "\n".repeat(1_000))
      } finally {
        open--
      }
    }, options)
    expect([scanned instanceof StatementFault, open, opened]).toEqual([true, 0, times])
  })
})

const folder = path.resolve(import.meta.dirname, "../../../../../shared/data/ofx")

describe.skipIf(!fs.existsSync(folder))("OFX of real banks in parts", () => {
  it("gives what the whole gives", () => {
    const names = fs
      .readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:ofx|qfx)$/i.test(name))
    expect(names.length).toBeGreaterThan(20)
    for (const name of names) {
      const bytes = fs.readFileSync(path.join(folder, name))
      const whole = told(scanWholeOfx(bytes, options))
      for (let seed = 0; seed < 10; seed++) {
        const random = integersFrom(seed)
        expect(inParts(cut(bytes, random), pick(random, [1, 50, 500])), name).toEqual(whole)
      }
    }
  })
})
