/** Files that name no encoding. How many of many languages are read as they were written is measured by `npm run quality`. */
import { Buffer } from "node:buffer"
import { describe, expect, it } from "vitest"
import { only, randomFrom, statementOf } from "./reading.ts"

/** Bytes of windows-1252 for signs that stand in English texts. */
const signs: Readonly<Record<string, number>> = {
  "€": 0x80,
  "’": 0x92,
  "“": 0x93,
  "”": 0x94,
  "–": 0x96,
  "…": 0x85,
  "™": 0x99
}

const bytesOf = (text: string): Uint8Array => Buffer.from([...text].map((sign) => signs[sign] ?? sign.charCodeAt(0)))

const phrases: ReadonlyArray<string> = [
  "JOE’S £5 DEAL",
  "A – B €",
  "5 € MENU",
  "McDonald’s",
  "L’Occitane",
  "“SPECIAL” OFFER",
  "SHOP® ONLINE",
  "BRAND™ STORE",
  "§ 5 LEVY",
  "AND SO ON…",
  "PAYMENT £12.50",
  "REF 12\u00a034",
  "WEST – EAST RAIL",
  "O’NEIL & SONS",
  "20 ° CLUB"
]

const formats: Readonly<Record<string, (texts: ReadonlyArray<string>) => string>> = {
  CSV: (texts) => `Date,Description,Amount\n${texts.map((text) => `2024-01-13,${text},-5.00\n`).join("")}`,
  QIF: (texts) => `!Type:Bank\n${texts.map((text) => `D13/01/2024\nT-5.00\nP${text}\n^\n`).join("")}`,
  OFX: (texts) =>
    `OFXHEADER:100\nVERSION:102\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>GBP<BANKACCTFROM><BANKID>1<ACCTID>5551234<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>\n${texts
      .map((text, at) => `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20240113<TRNAMT>-5.00<FITID>F${at}<NAME>${text}</STMTTRN>\n`)
      .join("")}</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n`
}

describe("files of windows-1252 whose only letters beyond ASCII are signs", () => {
  it.each(Object.keys(formats))("are read as that: %s", (format) => {
    for (let seed = 1; seed <= 150; seed++) {
      const random = randomFrom(seed)
      const texts = Array.from(
        { length: 1 + Math.floor(random() * 4) },
        () => phrases[Math.floor(random() * phrases.length)]!
      )
      const { accounts } = statementOf(bytesOf(formats[format]!(texts)))
      expect(only(accounts).rows.map((row) => row.description.replaceAll("\u00a0", " "))).toEqual(
        texts.map((text) => text.replaceAll("\u00a0", " "))
      )
    }
  })

  it.each(["-£67.40", "£ 5.00", "-67.40 €", "(€5.00)", "€1,067.40"])(
    "have amounts with their currency: %s",
    (amount) => {
      const file = bytesOf(`Date;Description;Amount\n2024-01-13;SHOP;${amount}\n`)
      expect(only(only(statementOf(file).accounts).rows).currency).toBe(amount.includes("£") ? "GBP" : "EUR")
    }
  )
})

describe("the encoding that the options name", () => {
  const [ofx, csv] = [formats["OFX"]!(["B\u00a7cker"]), formats["CSV"]!(["B\u00a7cker"])]

  it("counts for OFX as for CSV, and before what the file declares", () => {
    const file = Buffer.from(
      ofx.replace("\n\n", "\nENCODING:USASCII\nCHARSET:1252\n\n").replace("§", "\u0084"),
      "latin1"
    )
    const read = statementOf(file, { encoding: "ibm850" })
    expect(only(only(read.accounts).rows).description).toBe("Bäcker")
    expect([read.assumed["encoding"], read.warnings]).toEqual([undefined, []])
  })

  it("may be a table of DOS", () => {
    const file = Buffer.from(csv.replace("§", "\u0084"), "latin1")
    expect(only(only(statementOf(file, { encoding: "ibm850" }).accounts).rows).description).toBe("Bäcker")
    expect(only(only(statementOf(file, { encoding: "ibm852" }).accounts).rows).description).toBe("Bäcker")
  })

  it("is said where an OFX file names none and is no UTF-8", () => {
    const file = Buffer.from(ofx.replace("§", "\u00e4"), "latin1")
    const read = statementOf(file)
    expect([only(only(read.accounts).rows).description, read.assumed["encoding"]]).toEqual(["Bäcker", "windows-1252"])
    expect(read.warnings).toContain("encoding guessed: windows-1252, set sourceConfig.csv.encoding to override")
  })
})
