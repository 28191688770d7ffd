/**
 * CAMT, MT940 and QIF files that others wrote, with what their readers make of them. They stand beside the repository and
 * not in it; without that folder these tests skip.
 */
import { Buffer } from "node:buffer"
import * as fs from "node:fs"
import * as path from "node:path"
import { Currency, Decimal } from "@millrace/core"
import type { StatementRow } from "@millrace/core/upload"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { read, statementOf } from "./reading.ts"

const data = path.resolve(import.meta.dirname, "../../../../../shared/data")
const camtFolder = path.join(data, "camt/genkgo-camt")
const mt940Folder = path.join(data, "mt940/wolph")
const qifFolder = path.join(data, "qif")
const csvFolder = path.join(data, "csv/csv2ofx")
const present = [camtFolder, mt940Folder, qifFolder, csvFolder].every((folder) => fs.existsSync(folder))
const suite = present ? describe : describe.skip
const note = present ? "" : ` (skipped: ${data} is missing)`

const named = (folder: string, end: string): ReadonlyArray<string> =>
  present
    ? fs
        .readdirSync(folder)
        .filter((name) => name.endsWith(end))
        .toSorted()
    : []

const rowsOf = (file: string): ReadonlyArray<StatementRow> =>
  statementOf(fs.readFileSync(file)).accounts.flatMap(({ rows }) => rows)

interface Tree {
  readonly [key: string]: unknown
}
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null

/** Every object of a class in a tree; what the writer had printed before is left out of it. */
const ofClass = (value: unknown, name: string): ReadonlyArray<Tree> => {
  if (!isTree(value)) return []
  const inner = Object.values(value).flatMap((child) => ofClass(child, name))
  return String(value["__CLASS__"]).endsWith(`\\DTO\\${name}`) ? [value, ...inner] : inner
}

const moneyOf = (value: unknown): readonly [amount: Decimal.Decimal, currency: string] => {
  const money = value as { readonly getAmount: string; readonly getCurrency: { readonly getCode: string } }
  const currency = Currency.make(money.getCurrency.getCode)
  return [Decimal.fromUnits(BigInt(money.getAmount), Currency.minorDigits(currency)), currency]
}

const dayOf = (value: unknown): string | undefined =>
  isTree(value) && typeof value["0"] === "string" ? value["0"].slice(0, 10) : undefined

/** The amount of a row as far as its currency has digits: the other reader cuts the rest off. */
const inMinorUnits = (row: StatementRow): string => {
  const digits = Currency.minorDigits(row.currency)
  return Decimal.fromUnits(Decimal.toUnits(row.amount, 10) / 10n ** BigInt(10 - digits), digits)
}

suite(`real CAMT messages${note}`, () => {
  const files = named(camtFolder, ".xml").filter((name) =>
    fs.existsSync(path.join(camtFolder, name.replace(".xml", ".json")))
  )

  it.each(files)("are read as expected: %s", (name) => {
    const text = fs.readFileSync(path.join(camtFolder, name), "utf8")
    const expected: unknown = JSON.parse(fs.readFileSync(path.join(camtFolder, name.replace(".xml", ".json")), "utf8"))
    const rows = rowsOf(path.join(camtFolder, name))
    expect(rows).toHaveLength(text.match(/<Ntry>/g)?.length ?? 0)
    const entries = ofClass(expected, "Entry")
    if (rows.length > 0) expect(entries.length).toBeGreaterThan(0)
    for (const entry of entries) {
      const [amount, currency] = moneyOf(entry["getAmount"])
      const booked = dayOf(entry["getBookingDate"]) ?? dayOf(entry["getValueDate"])
      const found = rows.filter(
        (row) =>
          inMinorUnits(row) === amount && row.currency === currency && (booked === undefined || row.date === booked)
      )
      expect(found.length, `${amount} ${currency} on ${booked}`).toBeGreaterThan(0)
      expect(found.some(({ pending }) => pending === (entry["getStatus"] === "PDNG"))).toBe(true)
      const reference = entry["getAccountServicerReference"]
      if (typeof reference === "string") expect(found.map(({ providerId }) => providerId)).toContain(reference)
    }
    const { accounts } = statementOf(fs.readFileSync(path.join(camtFolder, name)))
    for (const account of ofClass(expected, "Record").concat(ofClass(expected, "Statement"))) {
      const number = isTree(account["getAccount"]) ? account["getAccount"]["getIdentification"] : undefined
      if (typeof number === "string") expect(accounts.map((own) => own.number)).toContain(number)
    }
    for (const balance of ofClass(expected, "Balance")) {
      const kind = balance["getType"]
      if (kind !== "opening" && kind !== "closing") continue
      const [amount] = moneyOf(balance["getAmount"])
      const own = accounts.flatMap(({ closingBalance, openingBalance }) => [openingBalance, closingBalance])
      // Between the statements of one account they cancel out.
      if (ofClass(expected, "Balance").length <= 4 && accounts.length === 1 && !name.includes("multi")) {
        expect(own).toContain(amount)
      }
    }
  })

  it("says what is wrong with the one that holds no statement", () => {
    const result = read(fs.readFileSync(path.join(camtFolder, "test__data__camt053.v2.wrong.xml")))
    expect(Result.isFailure(result) && result.failure.message).toContain("the message holds no statement")
    expect([files.length, named(camtFolder, ".xml").length]).toEqual([25, 26])
  })
})

interface Expected {
  readonly amount: string
  readonly valueDate: string
  readonly bookedDate: string | undefined
  readonly bankReference: string | undefined
  readonly name: string | undefined
  readonly purpose: string | undefined
}

const scalar = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  const value = text.replace(/\s*\n\s+/g, " ").trim()
  if (value === "null" || value === "" || value === "''") return undefined
  return /^'.*'$/s.test(value) ? value.slice(1, -1).replaceAll("''", "'") : value
}

/** The transactions of a result: Python objects as YAML, days as four bytes. */
const expectedOf = (yaml: string): ReadonlyArray<Expected> =>
  yaml
    .split("- !!python/object:mt940.models.Transaction")
    .slice(1)
    .map((block) => {
      const day = (key: string): string | undefined => {
        const found = new RegExp(`\\n    ${key}: .*models\\.Date\\n    - !!binary \\|\\n      (\\S+)`).exec(block)?.[1]
        if (found === undefined) return undefined
        const [high = 0, low = 0, month = 0, date = 0] = Buffer.from(found, "base64")
        return `${high * 256 + low}-${String(month).padStart(2, "0")}-${String(date).padStart(2, "0")}`
      }
      const text = (key: string): string | undefined =>
        scalar(new RegExp(`\\n    ${key}: ([^\\n]*(?:\\n      +[^\\n]*)*)`).exec(block)?.[1])
      return {
        amount: Decimal.make(/Decimal\n\s+- '([-\d.]+)'/.exec(block)![1]!),
        valueDate: day("date")!,
        bookedDate: day("guessed_entry_date") ?? day("entry_date"),
        bankReference: text("bank_reference"),
        name: text("applicant_name"),
        purpose: text("purpose")
      }
    })

const letters = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "")

suite(`real MT940 and MT942 messages${note}`, () => {
  const files = named(mt940Folder, ".sta")

  it.each(files)("are read as expected, or refused in a sentence: %s", (name) => {
    const result = read(fs.readFileSync(path.join(mt940Folder, name)))
    const expected = expectedOf(fs.readFileSync(path.join(mt940Folder, name.replace(".sta", ".yml")), "utf8"))
    if (Result.isFailure(result)) {
      expect(result.failure.message).toContain("the file holds no statement")
      expect(expected.filter(({ amount }) => amount !== undefined)).toEqual([])
      return
    }
    const rows = result.success.accounts.flatMap((account) => account.rows).toSorted((a, b) => a.line - b.line)
    expect(rows).toHaveLength(expected.length)
    for (const [at, row] of rows.entries()) {
      const own = expected[at]!
      // The other reader takes the reversal of a credit for a credit; the balances of its file say otherwise.
      const amount = row.amountText.startsWith("RC") ? Decimal.negate(own.amount as Decimal.Decimal) : own.amount
      expect([row.line, row.amount]).toEqual([row.line, amount])
      expect([own.bookedDate ?? own.valueDate]).toContain(row.date)
      if (own.bankReference !== undefined && own.bankReference !== "NONREF") {
        expect(row.providerId).toBe(own.bankReference)
      }
      if (own.name !== undefined) expect(letters(row.merchantName ?? "")).toBe(letters(own.name))
      if (own.purpose !== undefined)
        expect(letters(row.originalDescription)).toContain(letters(own.purpose).replace("MTLG", "").slice(0, 30))
    }
  })

  it("tie out where the file was not shortened", () => {
    const { accounts } = statementOf(
      fs.readFileSync(path.join(mt940Folder, "mt940_tests__betterplace__sepa_mt9401.sta"))
    )
    expect(accounts.length).toBeGreaterThan(10)
    expect(accounts.filter(({ difference }) => difference !== "0").map(({ number }) => number)).toEqual([])
    expect(files).toHaveLength(27)
  })

  it.each(["ASNB__mt940", "ASNB__mt940_with_spaces_for_entry_date"])("are read in SWIFT blocks: %s", (name) => {
    const { accounts } = statementOf(fs.readFileSync(path.join(mt940Folder, `mt940_tests__${name}.txt`)))
    expect(accounts).toMatchObject([{ openingBalance: "444.29", closingBalance: "501.23", difference: "0" }])
    expect(accounts[0]!.rows).toHaveLength(8)
  })
})

suite(`real QIF files${note}`, () => {
  const files = [
    ...named(qifFolder, ".qif").map((name) => path.join(qifFolder, name)),
    ...named(csvFolder, ".qif").map((name) => path.join(csvFolder, name))
  ]

  it.each(files.map((file) => [path.basename(file), file] as const))("give every day and amount: %s", (_, file) => {
    const text = fs.readFileSync(file, "utf8")
    const expected = [...text.matchAll(/^D(.*)\n(?:[^^T][^\n]*\n)*T(.*)$/gm)].map(([, day = "", amount = ""]) => {
      const [, a = "", b = "", c = ""] = /^(\d+)[/-](\d+)[/-](\d+)$/.exec(day.trim())!
      const date = a.length === 4 ? `${a}-${b}-${c}` : `${c.length === 2 ? `20${c}` : c}-${a}-${b}`
      return `${date} ${Decimal.make(amount.trim().replaceAll(",", ""))}`
    })
    expect(expected.length).toBeGreaterThan(0)
    const rows = rowsOf(file).map(({ amount, date }) => `${date} ${amount}`)
    expect(rows.toSorted()).toEqual(expected.toSorted())
  })

  it("knows every file of the folders", () => {
    expect(files).toHaveLength(12)
  })
})
