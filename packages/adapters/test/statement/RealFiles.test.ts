/**
 * Files of real banks, which stand beside the repository and not in it. Without that folder these tests skip.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { Decimal } from "@millrace/core"
import type { StatementAccount } from "@millrace/core/upload"
import { describe, expect, it } from "vitest"
import { faultOf, only, statementOf } from "./reading.ts"

const root = path.resolve(import.meta.dirname, "../../../..")
const data = path.resolve(root, "../shared/data")
const ofxFolder = path.join(data, "ofx/ofxparse")
const csvFolder = path.join(data, "csv/csv2ofx")
const present = fs.existsSync(ofxFolder) && fs.existsSync(csvFolder)
const suite = present ? describe : describe.skip
const note = present ? "" : ` (skipped: ${data} is missing)`

const ofx = (name: string): Uint8Array => fs.readFileSync(path.join(ofxFolder, `tests__fixtures__${name}.ofx`))
const csv = (name: string): Uint8Array => fs.readFileSync(path.join(csvFolder, `data__test__${name}.csv`))

const summary = (account: StatementAccount) => [
  account.key,
  account.currency,
  account.rows.length,
  Decimal.sum(account.rows.map((row) => row.amount)),
  account.closingBalance ?? account.availableBalance ?? "none"
]

suite(`real OFX files${note}`, () => {
  it.each([
    ["anzcc", [[":1234123412341234:credit_card", "AUD", 1, "-5.5", "-123.45"]]],
    ["bank_medium", [["160000100:12300000012345678:checking", "CAD", 3, "-345.27", "382.34"]]],
    ["checking", [["5472369148:1452687~7:checking", "USD", 3, "-59.5", "100.99"]]],
    ["fail_nice__empty_balance", [["123845030:192639749:checking", "CAD", 1, "120", "none"]]],
    ["fidelity-savings", [["FIDELITYCOM:X0000001:investment", "USD", 4, "-1778.3952", "none"]]],
    ["fidelity", [["FIDELITYCOM:01234567890:investment", "USD", 17, "-10526.67", "18073.98"]]],
    ["investment_401k", [["EXAMPLEORG:1234567812345601:investment", "USD", 1, "-197.2", "none"]]],
    ["investment_medium", [["404:ABC123:investment", "CAD", 3, "-3.95", "1"]]],
    [
      "multiple_accounts",
      [
        ["123:9100:checking", "USD", 0, "0", "111"],
        ["123:9200:savings", "USD", 0, "0", "222"]
      ]
    ],
    [
      "multiple_accounts2",
      [
        ["123:9100:checking", "USD", 0, "0", "111"],
        ["123:9200:savings", "USD", 0, "0", "222"]
      ]
    ],
    ["ofx-v102-empty-tags", [["NPBS:12345678:unknown", "AUD", 1, "12.34", "none"]]],
    ["suncorp", [["SUNCORP:123456789:checking", "AUD", 1, "-16.85", "1234.12"]]],
    ["td_ameritrade", [["AMERITRADECOM:121212121:investment", "USD", 0, "0", "0"]]],
    ["tiaacref", [["TIAACREFORG:111A111122B22233C333:investment", "USD", 0, "0", "0"]]],
    ["vanguard", [["VANGUARDCOM:01234567890:investment", "USD", 1, "4212.3", "none"]]],
    ["vanguard401k", [["VANGUARDCOM:0123456:investment", "USD", 4, "-2019", "none"]]]
  ])("reads %s", (name, accounts) => {
    expect(statementOf(ofx(name)).accounts.map(summary)).toEqual(accounts)
  })

  it.each(["account_listing_aggregation", "bank_small", "signon_success", "signon_success_no_message"])(
    "finds no statement in %s",
    (name) => {
      expect(statementOf(ofx(name))).toMatchObject({ accounts: [], warnings: ["the file holds no statement"] })
    }
  )

  it.each([
    ["fail_nice__date_missing", "STMTTRN.DTPOSTED", 33, "no date"],
    ["fail_nice__decimal_error", "STMTTRN.DTPOSTED", 36, "201120000000"],
    ["signon_fail", "STATUS", 11, "15500: Your request could not be processed"],
    ["error_message", "STATUS", 22, "2000: General Server Error"]
  ])("refuses %s", (name, element, line, text) => {
    expect(faultOf(ofx(name))).toMatchObject({ element, line, message: expect.stringContaining(text) as string })
  })

  it("knows every file of the folder", () => {
    expect(fs.readdirSync(ofxFolder).filter((name) => name.endsWith(".ofx"))).toHaveLength(24)
  })
})

type Entry = readonly [date: string, amount: string]

const entriesOf = (accounts: ReadonlyArray<StatementAccount>): ReadonlyArray<Entry> =>
  accounts.flatMap((account) => account.rows.map((row) => [row.date, row.amount] as const))

/** Dates and totals of a QIF file; split lines repeat the total and do not count. */
const qifEntries = (name: string): ReadonlyArray<Entry> => {
  const entries: Array<Entry> = []
  let date = ""
  for (const line of fs.readFileSync(path.join(csvFolder, name), "utf8").split("\n")) {
    if (line.startsWith("D")) {
      date = line.slice(1).replace(/^(\d\d)\/(\d\d)\/(\d{4})$/, "$3-$1-$2")
    } else if (/^T[-\d]/.test(line)) entries.push([date, Decimal.make(line.slice(1).trim())])
  }
  return entries
}

const twinEntries = (name: string): ReadonlyArray<Entry> =>
  name.endsWith(".qif")
    ? qifEntries(`data__converted__${name}`)
    : entriesOf(statementOf(fs.readFileSync(path.join(csvFolder, `data__converted__${name}`))).accounts)

const sorted = (entries: ReadonlyArray<Entry>) => entries.map(([date, amount]) => `${date} ${amount}`).toSorted()

suite(`real CSV files${note}`, () => {
  it.each([
    ["creditunion", "creditunion.qif"],
    ["default", "default.ofx"],
    ["default", "default.qif"],
    ["default", "default_w_splits.qif"],
    ["gls", "gls.ofx"],
    ["mint", "mint.qif"],
    ["mint_headerless", "mint.qif"],
    ["n26-fr", "n26.ofx"],
    ["outbank", "outbank.ofx"],
    ["payoneer", "payoneer.ofx"],
    ["pcmastercard", "pcmastercard.ofx"],
    ["schwab-checking", "schwab-checking.ofx"],
    ["schwab-checking", "schwab-checking-msmoney.ofx"],
    ["schwab-checking-baltest-case1", "schwab-checking-baltest-case1.ofx"],
    ["schwab-checking-baltest-case2", "schwab-checking-baltest-case2.ofx"],
    ["schwab-checking-baltest-case3", "schwab-checking-baltest-case3.ofx"],
    ["schwab-checking-baltest-case4", "schwab-checking-baltest-case4.ofx"],
    ["schwab-checking-baltest-case5", "schwab-checking-baltest-case5.ofx"],
    ["schwab-checking-baltest-case6", "schwab-checking-baltest-case6.ofx"],
    ["schwab-checking-baltest-case7", "schwab-checking-baltest-case7.ofx"],
    ["stripe-all", "stripe-all.ofx"],
    ["stripe-all", "stripe-all.qif"],
    ["stripe-default", "stripe-default.ofx"],
    ["stripe-default", "stripe-default.qif"],
    ["ubs-ch-fr_trimmed", "ubs-ch-fr.qif"]
  ])("reads %s with the dates and signed amounts of %s", (name, twin) => {
    expect(sorted(entriesOf(statementOf(csv(name), undefined, "USD").accounts))).toEqual(sorted(twinEntries(twin)))
  })

  // Converted files that leave rows out: the converter was told a card or a period.
  it.each([
    ["amazon", "amazon.ofx", 3],
    ["mint", "mint_alt.qif", 4],
    ["mint_extra", "mint_extra.qif", 4]
  ])("reads %s with every row of %s and more", (name, twin, count) => {
    const entries = sorted(entriesOf(statementOf(csv(name), undefined, "USD").accounts))
    expect(entries).toHaveLength(count)
    expect(entries).toEqual(expect.arrayContaining(sorted(twinEntries(twin))))
  })

  it("reads ingesp day first throughout, where the converted file swaps day and month of one row", () => {
    const entries = sorted(entriesOf(statementOf(csv("ingesp")).accounts))
    const twin = sorted(
      twinEntries("ingesp.ofx").map(([date, amount]) => [date === "2022-08-04" ? "2022-04-08" : date, amount])
    )
    expect(entries).toEqual(twin)
  })

  // The converted file puts the lines of a journal entry together as one row with splits.
  it("reads the journal lines of xero, which balance per day", () => {
    const entries = entriesOf(statementOf(csv("xero"), undefined, "USD").accounts)
    expect(entries).toHaveLength(13)
    for (const day of new Set(entries.map(([date]) => date))) {
      expect(Decimal.sum(entries.filter(([date]) => date === day).map(([, amount]) => amount as Decimal.Decimal))).toBe(
        "0"
      )
    }
  })

  it("reads capitalone, which no converted file accompanies", () => {
    expect(only(statementOf(csv("capitalone")).accounts)).toMatchObject({
      key: ":1234:credit_card",
      rows: [
        { date: "2016-01-02", authorizedDate: "2015-12-31", amount: "-1000" },
        { date: "2016-01-02", amount: "1000" }
      ]
    })
  })

  it.each([
    ["schwab-checking", "878.47"],
    ["schwab-checking-baltest-case1", "878.47"],
    ["schwab-checking-baltest-case2", "878.47"],
    ["schwab-checking-baltest-case3", "878.47"],
    ["schwab-checking-baltest-case4", "878.47"],
    ["schwab-checking-baltest-case5", "878.47"],
    ["schwab-checking-baltest-case6", "878.47"],
    // Two rows of one day that cancel out: which came last cannot be told.
    ["schwab-checking-baltest-case7", undefined],
    ["payoneer", "200"],
    ["gls", "1234.56"],
    ["ubs-ch-fr_trimmed", "11413.94"]
  ])("ties out %s", (name, closing) => {
    const account = only(statementOf(csv(name), undefined, "USD").accounts)
    expect([account.difference, account.closingBalance]).toEqual(["0", closing])
  })

  it("reports the missing rows of ingesp, a sample of an account", () => {
    expect(only(statementOf(csv("ingesp")).accounts).difference).not.toBe("0")
  })

  it("skips the pending and cancelled rows of amazon by line", () => {
    expect(statementOf(csv("amazon")).warnings.filter((warning) => warning.endsWith("row skipped"))).toEqual([
      "line 5: pending and without a date, row skipped",
      "line 6: pending and without a date, row skipped",
      "line 7: cancelled and without an amount, row skipped"
    ])
  })

  it("take their currency from the file where it names one, else from the workspace with a warning", () => {
    const currencies = fs
      .readdirSync(csvFolder)
      .filter((name) => name.endsWith(".csv"))
      .map((name) => {
        const statement = statementOf(fs.readFileSync(path.join(csvFolder, name)), undefined, "USD")
        const guessed = statement.warnings.some((warning) => warning.startsWith("no currency is named"))
        return [statement.accounts.flatMap((account) => account.currency), guessed] as const
      })
    for (const [found, guessed] of currencies) expect(guessed ? found.every((code) => code === "USD") : true).toBe(true)
    expect(new Set(currencies.flatMap(([found]) => found))).toEqual(new Set(["USD", "EUR", "CAD", "CHF"]))
  })

  it("knows every file of the folder", () => {
    expect(fs.readdirSync(csvFolder).filter((name) => name.endsWith(".csv"))).toHaveLength(25)
  })
})

const labelled = path.join(data, "labelled/personal-finance-kaggle/data__personal_transactions.csv")
const isLabelledPresent = fs.existsSync(labelled)

describe.skipIf(!isLabelledPresent)(
  `labelled movements of a person${isLabelledPresent ? "" : ` (skipped: ${labelled} is missing)`}`,
  () => {
    it("are read with every day and signed amount, by account, whatever form the days have", () => {
      // No cell of this file is quoted.
      const [, ...lines] = fs.readFileSync(labelled, "utf8").trimEnd().split(/\r?\n/)
      const expected = new Map<string, Array<Entry>>()
      for (const line of lines) {
        const [date = "", , amount = "", side, , account = "", ...more] = line.split(",")
        expect(more).toEqual([])
        const [month, day, year] = date.split(/[-/]/)
        const signed = Decimal.make(amount)
        const entries = expected.get(account) ?? []
        entries.push([`${year}-${month}-${day}`, side === "debit" ? Decimal.negate(signed) : signed])
        expected.set(account, entries)
      }
      const { accounts, refused } = statementOf(fs.readFileSync(labelled), undefined, "USD")
      expect(refused).toBeUndefined()
      expect(accounts.map(({ name }) => name).toSorted()).toEqual(["Checking", "Platinum Card", "Silver Card"])
      for (const account of accounts) {
        expect(sorted(entriesOf([account]))).toEqual(sorted(expected.get(account.name) ?? []))
      }
      expect([
        entriesOf(accounts).length,
        Decimal.sum(accounts.flatMap(({ rows }) => rows.map((row) => row.amount)))
      ]).toEqual([806, "28185.98"])
    })
  }
)
