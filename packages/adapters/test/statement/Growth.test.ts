/**
 * Reading takes time that grows with the file and no faster, whatever the bytes are: one file must not keep a server
 * busy for long.
 */
import { Buffer } from "node:buffer"
import { describe, expect, it } from "vitest"
import { randomFrom, read } from "./reading.ts"

const header = "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\n\n"
const statement = `${header}<OFX><STMTTRNRS><STMTRS><CURDEF>EUR<BANKTRANLIST>`

const message =
  '<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Acct><Id><IBAN>NL91ABNA0417164300</IBAN></Id></Acct>'
const entry =
  '<Ntry><Amt Ccy="EUR">1</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-02-03</Dt></BookgDt>'
const camtEnd = "</Stmt></BkToCstmrStmt></Document>"
const mt940 = ":20:X\n:25:37040044/0532013000\n:60F:C260101EUR1,00\n:61:260203D1,00NTRF"

/** What stands before the repeated bytes, and behind them. */
const places = {
  "a plain file": ["", ""],
  "a table": ["Date,Description,Amount\n2024-01-01,x,1\n", "\n2024-01-02,y,2\n"],
  "lines above a table": ["Account: ", "\nDate,Description,Amount\n2024-01-01,x,1\n"],
  "a row of a table": ["Date,Description,Type,Amount,Balance\n2024-01-01,", ",1,1\n2024-01-02,y,debit,2,3\n"],
  "a file that begins as OFX": [`${header}<OFX>`, ""],
  "an OFX statement": [statement, "</BANKTRANLIST></STMTRS></STMTTRNRS></OFX>"],
  "an OFX memo": [
    `${statement}<STMTTRN><DTPOSTED>20240101<TRNAMT>1<MEMO>`,
    "</STMTTRN></BANKTRANLIST></STMTRS></STMTTRNRS></OFX>"
  ],
  "an OFX amount": [
    `${statement}<STMTTRN><DTPOSTED>20240101<TRNAMT>`,
    "</STMTTRN></BANKTRANLIST></STMTRS></STMTTRNRS></OFX>"
  ],
  "a CAMT message": [message, `${camtEnd}`],
  "a CAMT text": [`${message}${entry}<AddtlNtryInf>`, `</AddtlNtryInf></Ntry>${camtEnd}`],
  "an MT940 message": [mt940, "\n-\n"],
  "MT940 details": [`${mt940}\n:61:260203D1,00NTRF\n:86:166?20`, "\n-\n"],
  "a QIF file": ["!Type:Bank\nD2026-02-03\nT1\n^\n", "\n^\n"]
} as const

type Place = keyof typeof places

const large = process.env["MILLRACE_LONG"] === "1" ? 1_000_000 : 200_000
const small = large / 10

const repeated = (place: Place, unit: Uint8Array, size: number): Uint8Array => {
  const [before, behind] = places[place]
  return Buffer.concat([Buffer.from(before), Buffer.alloc(size, unit), Buffer.from(behind)])
}

/** Milliseconds of work, not of waiting: other programs on the machine do not count. */
const work = (bytes: Uint8Array): number => {
  const before = process.cpuUsage()
  read(bytes)
  const { system, user } = process.cpuUsage(before)
  return (user + system) / 1_000
}

// Below this a measurement says more about the collector of garbage than about the file.
const floor = 10

/**
 * How much longer ten times the bytes take. The least of many tries counts, as a loaded machine only ever adds; what is
 * far off is not tried for long.
 */
const growth = (make: (size: number) => Uint8Array): number => {
  let [short, long, times] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  const [few, many] = [make(small), make(large)]
  for (let tries = 0; times > 12 && (tries < 2 || (times < 40 && tries < 20)); tries++) {
    short = Math.min(short, work(few))
    long = Math.min(long, work(many))
    times = long / Math.max(short, floor)
  }
  return times
}

const expectLinear = (place: Place, units: ReadonlyArray<Uint8Array>) => {
  const slow = units
    .map((unit) => [
      JSON.stringify(Buffer.from(unit).toString("latin1")),
      growth((size) => repeated(place, unit, size))
    ])
    .filter(([, times]) => Number(times) > 12)
  expect(slow).toEqual([])
}

/** All that separate, quote or count, and one of eight of the others, unless there is time for each. */
const everyByte = Array.from({ length: 256 }, (_, byte) => byte)
  .filter((byte) => process.env["MILLRACE_LONG"] === "1" || byte < 0x41 || byte % 8 === 3)
  .map((byte) => Buffer.from([byte]))

const sequences = [
  "</",
  "< ",
  "<a",
  "<a ",
  "<a/",
  "</a",
  "</a ",
  "<a>",
  "</a>",
  "<a></a>",
  "<a>x",
  "<a/>",
  '<a b="',
  "<MEMO>",
  "</MEMO>",
  "<MEMO>x",
  "<STMTTRN>",
  "</STMTTRN>",
  "<STMTTRN></STMTTRN>",
  "<STMTRS>",
  "</STMTRS>",
  "<STMTRS></STMTRS>",
  "</OFX>",
  "<OFX>",
  "<OFX></OFX>",
  "<OFX ",
  "<!",
  "<!--",
  "<!-->",
  "<!---->",
  "-->",
  "<?",
  "<?>",
  "<?xml ",
  "<![CDATA[",
  "<![CDATA[]]>",
  "]]>",
  "&#",
  "&#1",
  "&#x",
  "&amp",
  "&amp;",
  "&a;",
  "<&",
  "><",
  "<>",
  "?20",
  "?20x\n",
  ">20",
  "EREF+",
  "/REMI/",
  "\n:61:260203D1,00NTRF",
  "\n:86:",
  "\n:86:166?20x",
  "\n^\nD1",
  "\nSx\n$1",
  "<!--x-->",
  "<b/>",
  "<Ntry></Ntry>",
  '"',
  '""',
  '",',
  '"\n',
  ",",
  ", ",
  ";,",
  "\r",
  "\r\n",
  "\r\r\n",
  "\n\r",
  "\n\n ",
  " \n",
  "a ",
  "a,",
  "a\n",
  "1,",
  "1\n",
  "2024-01-01,x,1\n",
  "2024-01-01,x,",
  "-",
  ".",
  "1.",
  "1,000",
  "((",
  "\u0000<",
  "\u00ff\u00fe",
  "\u00c3\u00a9",
  "\u00c3<",
  "\u00a0<"
].map((text) => Buffer.from(text, "latin1"))

const names = (form: (name: string) => string) => (size: number) => {
  const length = form("U0000000").length
  const list = Array.from({ length: Math.floor(size / length) }, (_, n) => form(`U${String(n).padStart(7, "0")}`))
  return Buffer.from(statement + list.join(""))
}

const row = (name: string, memo: string) =>
  Buffer.from(`${statement}<STMTTRN><DTPOSTED>20240101<TRNAMT>1<NAME>${name}<MEMO>${memo}</STMTTRN>`)

describe("the work of reading grows with the file and no faster", () => {
  it.each(["a plain file", "an OFX statement"] as const)(
    "for every byte repeated in %s",
    (place) => expectLinear(place, everyByte),
    300_000
  )

  it.each(Object.keys(places) as ReadonlyArray<Place>)(
    "for sequences repeated in %s",
    (place) => expectLinear(place, sequences),
    300_000
  )

  it("for ever new names of elements, closed and not", () => {
    expect(growth(names((name) => `<${name}>`))).toBeLessThanOrEqual(12)
    expect(growth(names((name) => `<${name}></${name}>`))).toBeLessThanOrEqual(12)
    expect(growth(names((name) => `</${name}>`))).toBeLessThanOrEqual(12)
  })

  it("for names as long as the file, and texts that nearly contain each other", () => {
    expect(growth((size) => Buffer.from(`${statement}<${"a".repeat(size)}>`))).toBeLessThanOrEqual(12)
    expect(growth((size) => row(`b${"a".repeat(size / 2)}`, `a${"a".repeat(size / 2)}a`))).toBeLessThanOrEqual(12)
  })

  it("for bytes at random and for damaged statements", () => {
    const whole = Buffer.from(
      `${statement}${"<STMTTRN><DTPOSTED>20240101<TRNAMT>-1.50<FITID>x1<NAME>a &amp; b</STMTTRN>\n".repeat(20_000)}`
    )
    for (let seed = 1; seed <= (process.env["MILLRACE_LONG"] === "1" ? 20 : 4); seed++) {
      const random = randomFrom(seed)
      const noise = Buffer.from(Uint8Array.from({ length: large }, () => Math.floor(random() * 256)))
      expect(growth((size) => Buffer.concat([Buffer.from(statement), noise.subarray(0, size)]))).toBeLessThanOrEqual(12)
      const marks = "<>/&![]-;#\"'\r\n\u0000 "
      const damaged = Buffer.from(whole.subarray(0, large))
      for (let change = 0; change < large / 50; change++) {
        damaged[Math.floor(random() * large)] = marks.charCodeAt(Math.floor(random() * marks.length))
      }
      expect(growth((size) => damaged.subarray(0, size))).toBeLessThanOrEqual(12)
    }
  }, 600_000)
})
