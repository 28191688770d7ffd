/**
 * Small files that stand for what was read wrong once, with the right answers written by hand. They stand beside the repository
 * and not in it; without that folder these tests skip. Siblings of them stand in the tests of each format.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { openLedger, runJob, scene } from "./Uploading.ts"

const folder = path.resolve(import.meta.dirname, "../../../../../shared/findings/inputs")
const present = fs.existsSync(folder)
const suite = present ? describe : describe.skip
const note = present ? "" : ` (skipped: ${folder} is missing)`

interface Answer {
  /** Uploaded one after the other, and in the other order as well. */
  readonly files: ReadonlyArray<string>
  /** Day, amount, currency and text; of pairs the texts are those of the first file. */
  readonly rows?: ReadonlyArray<string>
  /** Days, amounts and currencies, where the texts are those of the file that came first. */
  readonly money?: ReadonlyArray<string>
  readonly balances?: readonly [opening: string, closing: string]
  readonly warns?: RegExp
  readonly refused?: RegExp
}

const answers: ReadonlyArray<Answer> = [
  {
    files: ["04-case-a.csv", "04-case-b.csv"],
    money: ["2026-01-05 -1 CHF", "2026-02-05 -2 CHF", "2026-11-12 -33 CHF", "2026-11-20 -4 CHF"]
  },
  {
    files: ["04-words-a.csv", "04-words-b.csv"],
    money: ["2026-11-12 -33 CHF", "2026-11-13 -9 CHF", "2026-11-20 -61.2 CHF"]
  },
  { files: ["04-words-a.ofx", "04-words-b.ofx"], money: ["2026-11-12 -33 USD", "2026-11-13 -9 USD"] },
  {
    files: ["06-demo-rules.csv"],
    rows: [
      "2026-11-01 -1 CHF CURRENT ACCOUNT FEE",
      "2026-11-02 -2 CHF PARENT TEACHER ASSOC",
      "2026-11-03 -3 CHF INVOICE INV-1234 PAID"
    ]
  },
  {
    files: ["statements/01-fare-a.ofx", "statements/01-fare-b.ofx"],
    rows: [
      "2024-01-10 -50 EUR RENT",
      "2024-01-12 -9 EUR SHOP",
      "2024-01-15 -2.9 EUR METRO FARE",
      "2024-01-15 -2.9 EUR METRO FARE",
      "2024-01-17 -20 EUR SHOES"
    ]
  },
  {
    files: ["statements/01-parking-a.sta", "statements/01-parking-b.sta"],
    rows: ["2024-01-02 -2 EUR PARKEN", "2024-01-02 -2 EUR PARKEN"]
  },
  { files: ["statements/02-euro.csv"], rows: ["2024-01-13 -67.4 EUR TESCO", "2024-01-14 5 EUR ALDI"] },
  { files: ["statements/02-pound.csv"], rows: ["2024-01-13 -67.4 GBP TESCO", "2024-01-14 -5 GBP ALDI"] },
  {
    files: ["statements/02-signs.csv"],
    rows: ["2024-01-13 -67.4 CHF JOE\u{2019}S \u{a3}5 DEAL", "2024-01-14 -5 CHF A \u{2013} B \u{20ac}"]
  },
  { files: ["statements/02-signs.qif"], rows: ["2024-01-13 -5 CHF SHOP 3 \u{20ac} DEAL"] },
  {
    files: ["statements/03-balance-lines-lt.csv"],
    money: ["2024-01-02 -14.34 EUR", "2024-01-10 1600 EUR"],
    balances: ["2123.82", "3709.48"]
  },
  {
    files: ["statements/04-amount-beside-debit-credit.csv"],
    rows: ["2008-01-01 1500 CHF income", "2008-01-13 -800 CHF rent"]
  },
  {
    files: ["statements/05-card-nubank-like.csv"],
    rows: [
      "2024-01-03 -20 CHF PADARIA DO JOAO",
      "2024-01-05 -15 CHF UBER TRIP",
      "2024-01-14 100 CHF Pagamento recebido"
    ],
    warns: /sign/
  },
  {
    files: ["statements/05-words-against-minus.csv"],
    rows: [
      "2024-01-01 -1 CHF by debit card SHOP A",
      "2024-01-02 500 CHF ATM withdrawal",
      "2024-01-03 1 CHF BULK POSTING 1"
    ],
    warns: /line 3: its text says the other side/
  },
  { files: ["statements/06-lots.csv"], refused: /holdings/ },
  { files: ["statements/06-sent-received.csv"], refused: /exchanges one asset for another/ }
]

const elsewhere: Readonly<Record<string, string>> = {
  "01-simplefin-one-bad-account.json": "GivenAnswers.test.ts",
  "02-simplefin-no-description.json": "GivenAnswers.test.ts",
  "03-edge-first-read.json": "GivenAnswers.test.ts",
  "03-edge-second-read.json": "GivenAnswers.test.ts",
  "05-two-subscriptions.csv": "reading.md 3",
  "08-amounts.csv": "reading.md 8",
  "10-memo-markup.ofx": "reading.md 11",
  "11-pending-in-date.csv": "reading.md 11",
  "14-alert-webhook.json": "safety.md",
  "15-payer-payee.csv": "reading.md 10",
  "statements/07-at-signs.sta": "reading.md 15",
  "statements/07-space-before-type.sta": "reading.md 15",
  "statements/08-blank-before-code.sta": "reading.md 15",
  "statements/08-remi-split.sta": "reading.md 15",
  "statements/08-remi-twice.sta": "reading.md 15",
  "statements/09-reject-code.xml": "reading.md 15",
  "statements/10-decimals-mixed.csv": "reading.md 16",
  "statements/10-text-row.csv": "reading.md 16",
  "statements/10-umsatztext.csv": "reading.md 16",
  "statements/11-eur.ofx": "reading.md 16",
  "statements/11-eur.qif": "reading.md 16",
  "statements/13-trailing-nul.csv": "reading.md 16"
}

const bytesOf = (file: string): Uint8Array => fs.readFileSync(path.join(folder, file))

const moneyOf = (row: string): string => row.split(" ").slice(0, 3).join(" ")

suite(`given files${note}`, () => {
  for (const answer of answers) {
    const { balances, files, money, refused, rows, warns } = answer
    for (const order of files.length === 1 ? [files] : [files, files.toReversed()]) {
      scene(`are read right: ${order.join(", ")}`, () =>
        Effect.gen(function* () {
          const { add, feed, moneyRows } = yield* openLedger
          for (const file of order) {
            const added = yield* Effect.result(add(bytesOf(file), path.basename(file)))
            if (refused !== undefined) {
              expect(Result.isFailure(added) ? added.failure : undefined).toMatchObject({
                message: expect.stringMatching(refused) as string
              })
              continue
            }
            const { created, upload } = Result.getOrThrow(added)
            if (created) expect((yield* runJob(feed.id)).errors).toEqual([])
            if (warns !== undefined) expect(upload.warnings).toContainEqual(expect.stringMatching(warns))
            if (balances !== undefined) {
              expect(upload.statements.map((one) => [one.openingBalance, one.closingBalance])).toEqual([balances])
            }
          }
          const found = (yield* moneyRows).toSorted()
          if (money === undefined) expect(found).toEqual(rows ?? [])
          else expect(found.map(moneyOf)).toEqual(money)
        })
      )
    }
  }

  it("are all known", () => {
    const all = fs
      .readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?!md)\w+$/.test(name))
    const known = [...answers.flatMap(({ files }) => files), ...Object.keys(elsewhere)]
    expect(all.toSorted()).toEqual(known.toSorted())
  })
})
