import { IdentityStore } from "../../src/identity/IdentityStore.ts"
import { Corrections } from "../../src/identity/Corrections.ts"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openLedger, runJob, scene } from "./Uploading.ts"

const ofx = (rows: ReadonlyArray<readonly [day: string, amount: string, id: string, text: string]>, closing?: string) =>
  [
    "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR",
    "<BANKACCTFROM><BANKID>1<ACCTID>55512345<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>",
    ...rows.map(
      ([day, amount, id, text]) =>
        `<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>${day}<TRNAMT>${amount}<FITID>${id}<NAME>${text}</STMTTRN>`
    ),
    "</BANKTRANLIST>",
    ...(closing === undefined ? [] : [`<LEDGERBAL><BALAMT>${closing}<DTASOF>20240120</LEDGERBAL>`]),
    "</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
  ].join("\n")

const mt940 = (number: string, opening: string, closing: string, text = "PARKEN") =>
  [
    `:20:STMT${number}`,
    ":25:37040044/0532013000",
    `:28C:${number}/1`,
    `:60F:C240102EUR${opening}`,
    ":61:2401020102D2,00NMSCNONREF",
    `:86:${text}`,
    `:62F:C240102EUR${closing}`,
    "-"
  ].join("\n")

const csv = (...rows: ReadonlyArray<string>) => ["Date,Description,Amount", ...rows].join("\n")
const balanced = (...rows: ReadonlyArray<string>) => ["Date,Description,Amount,Balance", ...rows].join("\n")

const fares = ofx(
  [
    ["20240110", "-50.00", "f1", "RENT"],
    ["20240112", "-9.00", "f2", "SHOP"],
    ["20240115", "-2.90", "f3", "METRO FARE"]
  ],
  "938.10"
)
const laterFares = ofx(
  [
    ["20240112", "-9.00", "f2", "SHOP"],
    ["20240115", "-2.90", "f4", "METRO FARE"],
    ["20240117", "-20.00", "f5", "SHOES"]
  ],
  "915.20"
)
/** The same without ids that last. */
const anew = (text: string, mark: string) => text.replaceAll("<FITID>f", `<FITID>${mark}`)

interface Pair {
  readonly title: string
  readonly files: readonly [string, string]
  readonly rows: number
}

const pairs: ReadonlyArray<Pair> = [
  { title: "ids that last tell a second fare", files: [fares, laterFares], rows: 5 },
  { title: "balances tell a second fare", files: [anew(fares, "a"), anew(laterFares, "b")], rows: 5 },
  {
    title: "a statement that begins where the other ends",
    files: [mt940("7", "100,00", "98,00"), mt940("8", "98,00", "96,00")],
    rows: 2
  },
  {
    title: "running balances",
    files: [balanced("2026-03-02,FARE,-2.90,97.10"), balanced("2026-03-02,FARE,-2.90,94.20")],
    rows: 2
  },
  {
    title: "the same statement in other words",
    files: [mt940("7", "100,00", "98,00"), mt940("7", "100,00", "98,00", "Parken Karte 1234")],
    rows: 1
  },
  {
    title: "days before the texts",
    files: [
      csv("2026-11-12,12.11 EXAMPLE STORE,-33.00", "2026-11-13,13.11 KIOSK,-9.00", "2026-11-20,20.11 BAKERY,-61.20"),
      csv("2026-11-12,EXAMPLE STORE,-33.00", "2026-11-13,KIOSK,-9.00", "2026-11-20,BAKERY,-61.20")
    ],
    rows: 3
  },
  {
    title: "small letters, on a day that is the edge of one file",
    files: [
      csv("2026-11-12,EXAMPLE STORE,-33.00", "2026-11-20,LAST,-4.00"),
      csv("2026-11-12,Example Store,-33.00", "2026-11-20,LAST,-4.00", "2026-11-22,MORE,-5.00")
    ],
    rows: 3
  },
  {
    title: "ids issued anew, and other words",
    files: [
      ofx([
        ["20261112", "-33.00", "I1", "12.11 EXAMPLE STORE"],
        ["20261113", "-9.00", "I2", "13.11 KIOSK"]
      ]),
      ofx([
        ["20261112", "-33.00", "J1", "EXAMPLE STORE"],
        ["20261113", "-9.00", "J2", "KIOSK"]
      ])
    ],
    rows: 2
  },
  {
    title: "an id under another day",
    files: [
      ofx([
        ["20261112", "-33.00", "I1", "STORE"],
        ["20261116", "-9.00", "I2", "KIOSK"]
      ]),
      ofx([
        ["20261113", "-33.00", "I1", "STORE"],
        ["20261116", "-9.00", "I2", "KIOSK"]
      ])
    ],
    rows: 2
  },
  {
    title: "twins that one file shows together",
    files: [
      csv("2026-11-12,FARE,-2.90", "2026-11-12,FARE,-2.90", "2026-11-13,SHOP,-1.00"),
      csv("2026-11-11,SHOP,-7.00", "2026-11-12,Fare,-2.90", "2026-11-12,FARE ,-2.90", "2026-11-13,SHOP,-1.00")
    ],
    rows: 4
  }
]

const upload = Effect.fnUntraced(function* (files: ReadonlyArray<string>) {
  const ledger = yield* openLedger
  const jobs: Array<Effect.Success<ReturnType<typeof runJob>>> = []
  for (const [n, text] of files.entries()) {
    const { created } = yield* ledger.add(text, `statement-${n}.txt`)
    if (created) jobs.push(yield* runJob(ledger.feed.id))
  }
  return { ...ledger, jobs }
})

describe("two files of one account", () => {
  for (const { files, rows, title } of pairs) {
    for (const order of [files, files.toReversed()]) {
      scene(`${title}: ${rows} rows (${order === files ? "oldest" : "newest"} first)`, () =>
        Effect.gen(function* () {
          const ledger = yield* upload(order)
          expect([...(yield* ledger.rows).values()]).toHaveLength(rows)
          yield* ledger.add(`${order[0]!}\n`, "statement-8.txt")
          yield* runJob(ledger.feed.id)
          expect([...(yield* ledger.rows).values()]).toHaveLength(rows)
        })
      )
    }
  }

  scene("that meet on a day leave an equal row to a person, who may say that it is a second one", () =>
    Effect.gen(function* () {
      const files = [
        csv("2026-03-01,SHOP,-7.00", "2026-03-02,FARE,-2.90"),
        csv("2026-03-02,FARE,-2.90", "2026-03-05,SHOES,-20.00")
      ]
      const ledger = yield* upload(files)
      expect((yield* ledger.rows).size).toBe(3)
      const [account] = yield* ledger.accounts
      const identity = yield* IdentityStore
      const scope = { workspaceId: account!.workspaceId, accountId: account!.id, dataType: "transactions" as const }
      const [suggestion, ...others] = yield* identity.suggestions(scope, { state: "open", limit: 10 })
      expect([suggestion!.recordId, others]).toEqual([suggestion!.observedId, []])
      const ref = { bankId: account!.bankId, accountId: account!.id, dataType: "transactions" as const }
      yield* (yield* Corrections).accept(ledger.caller, ref, suggestion!.id)
      expect((yield* ledger.rows).size).toBe(4)
      yield* ledger.add(`${files[1]!}\n`, "statement-8.txt")
      yield* runJob(ledger.feed.id)
      expect((yield* ledger.rows).size).toBe(4)
    })
  )

  scene("of which one is missing between them name the day whose balance is not reached", () =>
    Effect.gen(function* () {
      const { jobs } = yield* upload([balanced("2026-03-02,FARE,-2.90,97.10"), balanced("2026-05-02,FARE,-2.90,44.20")])
      expect(jobs[1]!.errors.map(({ code, message }) => [code, message])).toEqual([
        ["BALANCE_MISMATCH", expect.stringContaining("balance of 2026-05-02, -50 is missing")]
      ])
    })
  )

  for (const order of ["newest", "oldest", "mixed"]) {
    scene(`three statements of one day, uploaded ${order} first, reach their balances`, () =>
      Effect.gen(function* () {
        const files = [mt940("7", "100,00", "98,00"), mt940("8", "98,00", "96,00"), mt940("9", "96,00", "94,00")]
        const turned = order === "mixed" ? [files[1]!, files[2]!, files[0]!] : files.toReversed()
        const ledger = yield* upload(order === "oldest" ? files : turned)
        expect(ledger.jobs.flatMap(({ errors }) => errors)).toEqual([])
        expect((yield* ledger.rows).size).toBe(3)
      })
    )
  }

  scene("fill a text that the first one left empty", () =>
    Effect.gen(function* () {
      const ledger = yield* upload([
        csv("2026-03-01,SHOP,-7.00", "2026-03-02,,-2.90", "2026-03-03,SHOES,-20.00"),
        csv("2026-03-01,SHOP,-7.00", "2026-03-02,METRO FARE,-2.90", "2026-03-03,SHOES,-20.00")
      ])
      expect([...(yield* ledger.rows).values()].toSorted()[1]).toBe("2026-03-02 -2.9 METRO FARE")
    })
  )
})
