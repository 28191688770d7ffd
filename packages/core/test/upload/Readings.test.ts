import { Corrections } from "../../src/identity/Corrections.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { Banks } from "../../src/bank/Banks.ts"
import { JobStore } from "../../src/job/JobStore.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import { Jobs } from "../../src/job/Jobs.ts"
import { Uploads } from "../../src/upload/Uploads.ts"
import { FaultPoints } from "@millrace/testing/fault"
import { makeUploadWorld } from "@millrace/verification/upload/UploadWorld"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { engine, openLedger, runJob, scene } from "./Uploading.ts"
import { somebody } from "@millrace/testing/fixture"

const own = "CH9300762011623852957"
const head = [`Account:;${own}`, "Date;Description;Amount;Currency"]
const file = (...rows: ReadonlyArray<string>) => `${[...head, ...rows.map((row) => `${row};CHF`)].join("\n")}\n`

/** Read day first or month first, two of the three days are others. */
const ambiguous = file("03/04/2026;Coffee;-4.50", "05/05/2026;Rent;-900.00", "01/02/2026;Salary;5000.00")
const dayFirst = ["2026-02-01 5000 Salary", "2026-04-03 -4.5 Coffee", "2026-05-05 -900 Rent"]
const monthFirst = ["2026-01-02 5000 Salary", "2026-03-04 -4.5 Coffee", "2026-05-05 -900 Rent"]

const texts = (rows: ReadonlyMap<string, string>) => [...rows.values()].toSorted()
const idOf = (rows: ReadonlyMap<string, string>, text: string) => [...rows].find(([, one]) => one.endsWith(text))?.[0]

/** Reads the file month first, and knows better then. */
const misread = Effect.gen(function* () {
  const opened = yield* openLedger
  yield* opened.readWith({ dateFormat: "MM/DD/YYYY" })
  const { upload } = yield* opened.add(ambiguous)
  yield* runJob(opened.feed.id)
  const wrong = yield* opened.rows
  expect(texts(wrong)).toEqual(monthFirst)
  yield* opened.readWith({ dateFormat: "DD/MM/YYYY" })
  return { ...opened, upload, wrong }
})

/** Only what is right is there, rows that stayed are the rows that they were, and the destination says the same. */
const isRight = ({ delivered, rows, wrong }: Effect.Success<typeof misread>) =>
  Effect.gen(function* () {
    const right = yield* rows
    expect(texts(right)).toEqual(dayFirst)
    expect(idOf(right, "Rent")).toBe(idOf(wrong, "Rent"))
    expect(yield* delivered).toEqual(["Coffee", "Rent", "Salary"])
  })

describe("a file that was misread", () => {
  scene("is put right by uploading the same bytes with other options, and stays one upload", () =>
    Effect.gen(function* () {
      const opened = yield* misread
      const again = yield* opened.add(ambiguous, "other name.csv")
      expect([again.created, again.upload.id, again.upload.status]).toEqual([false, opened.upload.id, "stored"])
      yield* runJob(opened.feed.id)
      yield* isRight(opened)
      const once = yield* opened.add(ambiguous)
      expect([once.created, once.upload.status, (yield* opened.jobs).length]).toEqual([false, "processed", 2])
    })
  )

  scene("is put right by reading it again", () =>
    Effect.gen(function* () {
      const opened = yield* misread
      const read = yield* (yield* Uploads).read(opened.caller, opened.feed.id, opened.upload.id)
      expect([read.id, read.status]).toEqual([opened.upload.id, "stored"])
      yield* runJob(opened.feed.id)
      yield* isRight(opened)
    })
  )

  for (const resetCursors of [false, true]) {
    scene(`is put right by ${resetCursors ? "reading everything again" : "the next sync"}`, () =>
      Effect.gen(function* () {
        const opened = yield* misread
        yield* (yield* Jobs).trigger(opened.caller, opened.feed.id, { resetCursors })
        yield* runJob(opened.feed.id)
        yield* isRight(opened)
        yield* (yield* Jobs).trigger(opened.caller, opened.feed.id, { resetCursors })
        const job = yield* runJob(opened.feed.id)
        expect([job.counts.created, job.counts.removed]).toEqual([0, 0])
        yield* isRight(opened)
      })
    )
  }

  scene("keeps what it gave when it cannot be read with the other options, and says so", () =>
    Effect.gen(function* () {
      const opened = yield* misread
      yield* opened.readWith({ columns: { amount: "No such column" } })
      const uploads = yield* Uploads
      const refused = yield* Effect.flip(uploads.read(opened.caller, opened.feed.id, opened.upload.id))
      expect(refused).toMatchObject({ _tag: "Unprocessable", code: "VALIDATION_FAILED" })
      yield* (yield* Jobs).trigger(opened.caller, opened.feed.id, {})
      const job = yield* runJob(opened.feed.id)
      expect(job.errors.map(({ code }) => code)).toEqual(["FILE_UNREADABLE"])
      expect(texts(yield* opened.rows)).toEqual(monthFirst)
      // It is not tried again with the same options.
      yield* (yield* Jobs).trigger(opened.caller, opened.feed.id, {})
      expect((yield* runJob(opened.feed.id)).errors).toEqual([])
      yield* opened.readWith({ dateFormat: "DD/MM/YYYY" })
      yield* (yield* Jobs).trigger(opened.caller, opened.feed.id, {})
      yield* runJob(opened.feed.id)
      yield* isRight(opened)
    })
  )

  scene("leaves alone what another file shows, and what a person keeps", () =>
    Effect.gen(function* () {
      const opened = yield* openLedger
      yield* opened.readWith({ dateFormat: "MM/DD/YYYY" })
      yield* opened.add(ambiguous)
      yield* opened.add(file("2026-03-04;Coffee;-4.50"), "right.csv")
      yield* runJob(opened.feed.id)
      const before = yield* opened.rows
      const salary = idOf(before, "Salary")!
      const [account] = yield* opened.accounts
      const ref = {
        bankId: opened.feed.fileBankId!,
        accountId: account!.id,
        dataType: "transactions" as const
      }
      const corrections = yield* Corrections
      const records = yield* RecordStore
      const scope = {
        workspaceId: opened.caller.principal.workspace.id,
        accountId: account!.id,
        dataType: ref.dataType
      }
      const [held] = yield* records.held(scope, [salary])
      yield* records.write(scope, [{ ...held!, state: "removed" }])
      yield* corrections.restore(opened.caller, ref, salary)
      yield* opened.readWith({ dateFormat: "DD/MM/YYYY" })
      yield* (yield* Jobs).trigger(opened.caller, opened.feed.id, {})
      yield* runJob(opened.feed.id)
      const after = texts(yield* opened.rows)
      expect(after).toEqual([...dayFirst, "2026-01-02 5000 Salary", "2026-03-04 -4.5 Coffee"].toSorted())
      expect(idOf(yield* opened.rows, "-4.5 Coffee")).toBeDefined()
    })
  )

  it.effect("is put right wherever a run dies, with nothing left that no file shows", () =>
    Effect.gen(function* () {
      let deaths = 0
      for (let at = 1; ; at += 3) {
        const points = new FaultPoints()
        const { layer } = makeUploadWorld(engine, points)
        const fired = yield* Effect.gen(function* () {
          const opened = yield* misread
          yield* (yield* Jobs).trigger(opened.caller, opened.feed.id, {})
          points.arm(at)
          yield* Effect.exit(runJob(opened.feed.id))
          const { fired: where } = points
          points.arm(Infinity)
          const jobs = yield* JobStore
          const active = yield* jobs.active(opened.feed.id)
          if (Option.isSome(active)) yield* jobs.cancel(active.value.id, "forceCancel", somebody)
          // Whatever state it is in, deleting it leaves nothing.
          if (at % 2 === 0) {
            yield* (yield* Uploads).remove(opened.caller, opened.feed.id, opened.upload.id)
            expect([where, texts(yield* opened.rows)]).toEqual([where, []])
            return where
          }
          yield* (yield* Jobs).trigger(opened.caller, opened.feed.id, {})
          yield* runJob(opened.feed.id)
          yield* isRight(opened)
          return where
        }).pipe(Effect.provide(layer))
        if (fired === undefined) break
        deaths++
      }
      expect(deaths).toBeGreaterThan(15)
    })
  )
})

describe("a file that is deleted", () => {
  scene("takes with it what only it showed, from the destination too, and leaves the rest", () =>
    Effect.gen(function* () {
      const { add, delivered, feed, caller, rows } = yield* openLedger
      yield* add(file("2026-03-02;Coffee;-4.50", "2026-03-03;Rent;-900.00"), "a.csv")
      const { upload } = yield* add(file("2026-03-03;Rent;-900.00", "2026-03-04;Salary;5000.00"), "b.csv")
      yield* runJob(feed.id)
      expect(yield* delivered).toEqual(["Coffee", "Rent", "Salary"])
      const before = yield* rows
      const uploads = yield* Uploads
      yield* uploads.remove(caller, feed.id, upload.id)
      expect(texts(yield* rows)).toEqual(["2026-03-02 -4.5 Coffee", "2026-03-03 -900 Rent"])
      yield* runJob(feed.id)
      expect(yield* delivered).toEqual(["Coffee", "Rent"])
      expect((yield* uploads.list(caller, feed.id, {})).rows.map(({ fileName }) => fileName)).toEqual(["a.csv"])
      expect(yield* Effect.flip(uploads.remove(caller, feed.id, upload.id))).toMatchObject({ _tag: "NotFound" })
      // It comes back as what it was.
      yield* add(file("2026-03-03;Rent;-900.00", "2026-03-04;Salary;5000.00"), "b.csv")
      yield* runJob(feed.id)
      expect(yield* rows).toEqual(before)
    })
  )

  scene("leaves what a connection shows as well", () =>
    Effect.gen(function* () {
      const { accounts, add, feed, caller, rows } = yield* openLedger
      const { upload } = yield* add(file("2026-03-02;Coffee;-4.50", "2026-03-03;Rent;-900.00"))
      yield* runJob(feed.id)
      const [account] = yield* accounts
      const scope = { workspaceId: feed.workspaceId, accountId: account!.id, dataType: "transactions" as const }
      const records = yield* RecordStore
      const rent = idOf(yield* rows, "Rent")!
      yield* records.rename(scope, [{ id: rent, providerId: "of the connection" }])
      yield* (yield* Uploads).remove(caller, feed.id, upload.id)
      expect(texts(yield* rows)).toEqual(["2026-03-03 -900 Rent"])
    })
  )

  scene("takes its account out of sight, and the bank of the feed, until a file names it again", () =>
    Effect.gen(function* () {
      const { accounts, add, feed, caller } = yield* openLedger
      const banks = yield* Banks
      const listed = Effect.map(banks.list(caller), (all) => all.map(({ id }) => id))
      expect(yield* listed).toEqual([])
      const text = file("2026-03-02;Coffee;-4.50")
      const { upload } = yield* add(text)
      expect(yield* listed).toEqual([])
      yield* runJob(feed.id)
      expect(yield* listed).toEqual([feed.fileBankId])
      const [before] = yield* accounts
      yield* (yield* Uploads).remove(caller, feed.id, upload.id)
      expect([yield* listed, (yield* accounts).map(({ state }) => state)]).toEqual([[], ["missing"]])
      yield* runJob(feed.id)
      yield* add(text)
      yield* runJob(feed.id)
      expect([yield* listed, (yield* accounts).map(({ id, state }) => [id, state])]).toEqual([
        [feed.fileBankId],
        [[before!.id, "open"]]
      ])
    })
  )

  scene("is refused while it is being read", (fate) =>
    Effect.gen(function* () {
      const { add, feed, caller, rows } = yield* openLedger
      const { upload } = yield* add(file("2026-03-02;Coffee;-4.50"))
      const uploads = yield* Uploads
      const seen: Array<unknown> = []
      const tryBoth = Effect.gen(function* () {
        seen.push(yield* Effect.flip(uploads.remove(caller, feed.id, upload.id)))
        seen.push(yield* Effect.flip(uploads.read(caller, feed.id, upload.id)))
      })
      fate.whileReading = Effect.orDie(tryBoth)
      yield* runJob(feed.id)
      expect(seen).toMatchObject([{ code: "SYNC_ALREADY_RUNNING" }, { code: "SYNC_ALREADY_RUNNING" }])
      expect(texts(yield* rows)).toHaveLength(1)
    })
  )
})

const ofx = (day: string, amount: string) => `OFXHEADER:100
DATA:OFXSGML
VERSION:102

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>100<ACCTID>700800900100<ACCTTYPE>CHECKING
</BANKACCTFROM><BANKTRANLIST><DTSTART>20260301<DTEND>${day}<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>${day}<TRNAMT>-1.00
<FITID>F${day}<NAME>Row ${day}</STMTTRN></BANKTRANLIST><LEDGERBAL><BALAMT>${amount}<DTASOF>${day}</LEDGERBAL></STMTRS>
</STMTTRNRS></BANKMSGSRSV1></OFX>`

describe("the balance of an account of files", () => {
  scene("is again what the other files state when the newest is deleted", () =>
    Effect.gen(function* () {
      const { accounts, add, feed, caller } = yield* openLedger
      yield* add(ofx("20260310", "10.00"), "a.ofx")
      const { upload } = yield* add(ofx("20260320", "20.00"), "b.ofx")
      yield* runJob(feed.id)
      const balances = Effect.map(accounts, (all) => all.map(({ balance, balanceAsOf }) => [balance, balanceAsOf]))
      expect(yield* balances).toEqual([["20", "2026-03-20T00:00:00.000Z"]])
      yield* (yield* Uploads).remove(caller, feed.id, upload.id)
      expect(yield* balances).toEqual([["10", "2026-03-10T00:00:00.000Z"]])
    })
  )
})

describe("the bank of a feed of files", () => {
  scene("goes with its feed when it is empty, and stays with its accounts otherwise", () =>
    Effect.gen(function* () {
      const [empty, full] = [yield* openLedger, yield* openLedger]
      yield* full.add(file("2026-03-02;Coffee;-4.50"))
      yield* runJob(full.feed.id)
      const banks = yield* BankStore
      for (const { feed, caller, removeFeed } of [empty, full]) {
        yield* removeFeed
        const left = yield* banks.get(caller.principal.workspace.id, feed.fileBankId!)
        expect(Option.isSome(left)).toBe(feed.id === full.feed.id)
      }
    })
  )
})
