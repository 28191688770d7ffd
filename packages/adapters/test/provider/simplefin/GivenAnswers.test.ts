/**
 * Small answers of a Bridge that stand for what was read wrong once, with the right rows written by hand. They stand beside the
 * repository and not in it; without that folder these tests skip.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { CalendarDate, Timestamp } from "@millrace/core"
import { Outbound } from "@millrace/core/outbound"
import { openFor } from "@millrace/testing/fake"
import type { BankRead } from "@millrace/verification/model/BankView"
import { byIdentity, LedgerReplay } from "@millrace/verification/model/LedgerReplay"
import * as Effect from "effect/Effect"
import { factory } from "../../../src/provider/simplefin/SimpleFinProvider.ts"

const folder = path.resolve(import.meta.dirname, "../../../../../../shared/findings/inputs")
const present = fs.existsSync(folder)
const suite = present ? describe : describe.skip
const note = present ? "" : ` (skipped: ${folder} is missing)`

const connection = { ref: "given", secrets: { url: "https://bank.example", username: "ada", password: "given" } }

/** A session whose every request is answered with the file. */
const sessionOf = Effect.fnUntraced(function* (file: string) {
  const body = fs.readFileSync(path.join(folder, file))
  const driver = yield* Effect.provideService(
    factory.make({ instanceId: "simplefin:main", config: { bridgeUrl: "https://bank.example" } }),
    Outbound,
    {
      request: () => Effect.succeed({ status: 200, headers: {}, body })
    }
  )
  return yield* openFor(driver, connection)
})

const read = (file: string, account: string) =>
  Effect.flatMap(sessionOf(file), ({ pull }) =>
    pull({
      dataType: "transactions",
      providerAccountIds: [account],
      from: CalendarDate.make("2026-09-01"),
      to: CalendarDate.make("2026-11-28")
    })
  )

/** What was read of an account, as identity takes it. */
const asRead = ({ upserted }: Effect.Success<ReturnType<typeof read>>): BankRead => ({
  idTrust: "perStatus",
  coverage: {
    kind: "window",
    from: CalendarDate.make("2026-11-01"),
    to: CalendarDate.make("2026-11-28"),
    complete: true
  },
  removed: new Set(),
  observations: upserted.map(({ fields, pending, pendingProviderId = "", providerId }, event) => ({
    event,
    fields,
    pending,
    pendingProviderId,
    providerId,
    date: CalendarDate.make(String(fields["date"])),
    hash: JSON.stringify(fields)
  }))
})

suite(`given answers${note}`, () => {
  it.effect("with an odd account: the other one is read, and the odd one is named with its field", () =>
    Effect.gen(function* () {
      const file = "01-simplefin-one-bad-account.json"
      const session = yield* sessionOf(file)
      expect((yield* session.listAccounts).map(({ providerAccountId }) => providerAccountId)).toEqual(["G"])
      expect(yield* session.unreadAccounts!).toMatchObject([
        { providerAccountId: "H", reason: expect.stringMatching(/^balance /) as string }
      ])
      expect((yield* read(file, "G")).upserted.map(({ fields }) => fields["amount"])).toEqual(["-7"])
    })
  )

  it.effect("without descriptions: every row has its amount, and the memo for its text", () =>
    Effect.gen(function* () {
      const { quarantined, upserted } = yield* read("02-simplefin-no-description.json", "ACT-1")
      expect(quarantined).toEqual([])
      expect(upserted.map(({ fields }) => [fields["amount"], fields["description"]])).toEqual([
        ["-19.99", ""],
        ["-6", ""],
        ["-7", "ATM WITHDRAWAL 77"],
        ["-7", "COFFEE"]
      ])
    })
  )

  it.effect(
    "under other ids and in other words: both rows stay the records that they were, also on the oldest day",
    () =>
      Effect.gen(function* () {
        const ledger = new LedgerReplay(byIdentity)
        const now = Timestamp.make("2026-11-28T08:00:00.000Z")
        ledger.take(asRead(yield* read("03-edge-first-read.json", "ACT-1")), now)
        const before = [...ledger.records.keys()]
        const result = ledger.take(asRead(yield* read("03-edge-second-read.json", "ACT-1")), now)
        expect(before).toHaveLength(2)
        expect([...ledger.records].map(([id, { entry }]) => [id, entry.state])).toEqual(
          before.map((id) => [id, "live"])
        )
        expect([result.suggestions, result.gone, result.missed]).toEqual([[], [], []])
      })
  )
})
