import { BankStore } from "../../src/bank/BankStore.ts"
import { IdentityStore } from "../../src/identity/IdentityStore.ts"
import { Uploads } from "../../src/upload/Uploads.ts"
import { Seeded } from "@millrace/testing/model"
import { ledgerOf } from "@millrace/verification/simulation/Checkers"
import { openUploadFeed } from "@millrace/verification/upload/UploadWorld"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { bookingsOf, fileOf, type Booking, type Form } from "./TwoFormats.ts"
import { runJob, scene } from "./Uploading.ts"

const open = Effect.gen(function* () {
  const { feed, caller } = yield* openUploadFeed
  const banks = yield* BankStore
  let files = 0
  const upload = Effect.fnUntraced(function* (text: string, fileName = `statement-${++files}.txt`) {
    const { created } = yield* (yield* Uploads).add(caller, feed.id, {
      fileName,
      contentType: "text/plain",
      bytes: new TextEncoder().encode(text)
    })
    return created ? yield* runJob(feed.id) : undefined
  })
  const accounts = Effect.flatMap(banks.list([feed.workspaceId]), (all) =>
    Effect.map(Effect.all(all.map(({ id }) => banks.accounts(id))), (lists) => lists.flat())
  )
  const live = Effect.flatMap(accounts, (all) =>
    Effect.map(Effect.all(all.map(ledgerOf)), (lists) => lists.flat().filter(({ state }) => state === "live"))
  )
  return { upload, accounts, live }
})

const iban = "DE89370400440532013000"
/** Ways to write the account and its rows; with `shifted` some date everything a day later. */
const forms = (random: Seeded, shifted: boolean): ReadonlyArray<Form> => {
  const later = (): number => (shifted ? random.below(2) : 0)
  const ids = random.pick(["F", undefined])
  return [
    { format: "ofx", account: "0532013000", bankId: "37040044", ids: "F", accountType: random.once(2) },
    {
      format: "ofx",
      account: "532013000",
      accountType: random.once(2),
      ...(ids === undefined ? {} : { ids: `R${ids}` })
    },
    { format: "csv", account: random.pick([iban, "DE89 3704 0044 0532 0130 00"]), later: later() },
    { format: "csv", account: random.pick([iban, "0532013000"]), columns: true, later: later() },
    random.once(2)
      ? { format: "camt", account: iban, later: later(), ...(ids === undefined ? {} : { ids: `S${ids}` }) }
      : { format: "mt940", account: "0532013000", bankId: "37040044", later: later(), ids: "K" }
  ]
}

/** Amounts, each as often as it was booked. */
const amountsOf = (bookings: ReadonlyArray<Booking>): ReadonlyArray<string> =>
  bookings.map(({ cents }) => String(cents / 100)).toSorted()

/** A CSV that does not name its account. */
const nameless = (bookings: ReadonlyArray<Booking>, from: number, to: number): string =>
  fileOf(bookings, { format: "csv", account: "" }, from, to)
    .split("\n")
    .map((line) => line.split(";").slice(0, 4).join(";"))
    .join("\n")

const seeds = Array.from({ length: process.env["MILLRACE_LONG"] === undefined ? 12 : 200 }, (_, n) => n + 1)

describe("statements of one account in several formats", () => {
  for (const seed of seeds) {
    scene(`give one set of rows, whatever order they come in, whatever they overlap (seed ${seed})`, () =>
      Effect.gen(function* () {
        const random = new Seeded(seed)
        const bookings = bookingsOf(random, 70)
        const { accounts, live, upload } = yield* open
        const shifted = seed % 2 === 0
        const all = forms(random, shifted)
          .flatMap((form) => [
            { form, from: 0, to: 34 },
            { form, from: 20 + random.below(15), to: 69 }
          ])
          .map((file) => ({ file, at: random.below(1_000) }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ file }) => file)
        for (const { form, from, to } of [...all, all[0]!]) {
          const job = yield* upload(fileOf(bookings, form, from, to))
          if (job !== undefined) expect(job.status).toBe("completed")
        }
        expect(yield* accounts).toHaveLength(1)
        const rows = yield* live
        const identity = yield* IdentityStore
        const asked = yield* identity.suggestions(
          {
            workspaceId: (yield* accounts)[0]!.workspaceId,
            accountId: rows[0]!.accountId,
            dataType: "transactions"
          },
          { state: "open", limit: 1_000 }
        )
        // But for records that may stand for two rows.
        const suggested = new Set(
          asked.flatMap(({ observedId, recordId }) => (observedId === recordId ? [] : [observedId]))
        )
        const kept = rows.filter(({ id }) => !suggested.has(id)).map(({ fields }) => String(Number(fields["amount"])))
        expect(kept.toSorted()).toEqual(amountsOf(bookings))
        // What is left to a person is little, and nothing where the sources agree on the days.
        expect(suggested.size).toBeLessThanOrEqual(shifted ? rows.length / 10 : 0)
      })
    )
  }

  scene("as OFX, CSV, CAMT, MT940 and QIF is one account with one set of rows", () =>
    Effect.gen(function* () {
      const { accounts, live, upload } = yield* open
      const bookings = bookingsOf(new Seeded(77), 40)
      const files: ReadonlyArray<Form> = [
        { format: "mt940", account: "0532013000", bankId: "37040044", ids: "K" },
        { format: "csv", account: "DE89 3704 0044 0532 0130 00" },
        { format: "camt", account: iban, ids: "S" },
        { format: "ofx", account: "0532013000", bankId: "37040044", ids: "F" },
        { format: "qif", account: "" }
      ]
      for (const form of files) {
        expect((yield* upload(fileOf(bookings, form, 0, 39)))?.status).toBe("completed")
        expect([form.format, (yield* accounts).length]).toEqual([form.format, 1])
        const amounts = (yield* live).map(({ fields }) => String(Number(fields["amount"])))
        expect(amounts.toSorted()).toEqual(amountsOf(bookings))
      }
    })
  )

  scene("correct a row whose id says another amount, and keep it one row", () =>
    Effect.gen(function* () {
      const { live, upload } = yield* open
      const bookings = bookingsOf(new Seeded(5), 30)
      const form: Form = { format: "ofx", account: "5551234", ids: "F" }
      yield* upload(fileOf(bookings, form, 0, 29))
      const corrected = bookings.map((booking, n) => (n === 4 ? { ...booking, cents: booking.cents - 150 } : booking))
      yield* upload(fileOf(corrected, form, 0, 29))
      expect((yield* live).map(({ fields }) => String(Number(fields["amount"]))).toSorted()).toEqual(
        amountsOf(corrected)
      )
      yield* upload(fileOf(corrected, { format: "csv", account: "5551234" }, 0, 29))
      expect(yield* live).toHaveLength(bookings.length)
    })
  )

  scene("of different accounts are different accounts, told by the name of the file where there is no number", () =>
    Effect.gen(function* () {
      const { accounts, live, upload } = yield* open
      const [one, other] = [bookingsOf(new Seeded(1), 30), bookingsOf(new Seeded(2), 30)]
      yield* upload(nameless(one, 0, 14), "checking-february.csv")
      yield* upload(nameless(other, 0, 14), "savings-february.csv")
      yield* upload(nameless(one, 10, 29), "Checking (2).csv")
      yield* upload(nameless(other, 10, 29), "savings-march.csv")
      expect((yield* accounts).map(({ accountName }) => accountName)).toEqual([
        "Bank of files checking",
        "Bank of files savings"
      ])
      expect(yield* live).toHaveLength(one.length + other.length)
      // The rows tell whose statement it is that has the number.
      yield* upload(fileOf(one, { format: "ofx", account: "5551234", ids: "F" }, 0, 29))
      expect(yield* accounts).toHaveLength(2)
      expect(yield* live).toHaveLength(one.length + other.length)
      yield* upload(fileOf(other, { format: "ofx", account: "8889999", ids: "F" }, 0, 29))
      expect((yield* accounts).map(({ accountNumber }) => accountNumber)).toEqual(["****1234", "****9999"])
    })
  )
})
