import { existsSync, globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, it } from "@effect/vitest"
import { openFor } from "@millrace/testing/fake"
import { sandboxLedger } from "@millrace/testing/upstream"
import { run } from "@millrace/testing/suite/provider"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { connect, everything, shownOf, start, truthOf } from "./PlaidWorld.ts"

const folder = join(import.meta.dirname, "../../../../../../shared/data/plaid/sandbox-custom-users")
const isHere = existsSync(folder)
const files = isHere ? globSync("*.json", { cwd: folder }).toSorted() : []

/** Documents that describe no account, but papers of somebody's income. */
const others = /document_income|payroll_income/

it.effect.skipIf(!isHere)(
  "reads every custom user of Plaid's sandbox exactly (skips where ../shared/data/plaid is missing)",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-21T09:30:00.000Z"))
      const { driver, fake } = yield* start({ pageSize: 100 })
      let rows = 0
      for (const file of files) {
        const ledger = sandboxLedger(readFileSync(join(folder, file), "utf8"), fake.institutions[0]!, () =>
          Date.parse("2026-11-21T09:30:00.000Z")
        )
        expect([file, ledger === undefined]).toEqual([file, others.test(file)])
        if (ledger === undefined) continue
        const person = basename(file, ".json")
        fake.give({ person }, ledger)
        const { connection } = yield* connect(fake, driver, { person })
        const { idOf } = fake.items.at(-1)!
        const session = yield* openFor(driver, connection)
        const accounts = yield* session.listAccounts
        expect(accounts.map(({ balance }) => balance)).toEqual(ledger.listed.map(({ key }) => ledger.balance(key)))
        const asked = (dataType: "transactions" | "holdings" | "trades" | "loans") =>
          accounts.filter(({ supports }) => supports.includes(dataType)).map((one) => one.providerAccountId)
        if (asked("transactions").length > 0) {
          const { upserted } = yield* run(driver, connection, everything("transactions", asked("transactions")))
          expect(shownOf(upserted)).toEqual(truthOf(ledger, idOf))
          rows += upserted.length
        }
        if (asked("holdings").length > 0) {
          const { upserted } = yield* run(driver, connection, everything("holdings", asked("holdings")))
          expect(upserted.map(({ fields }) => [fields["ticker"], fields["quantity"], fields["costBasis"]])).toEqual(
            ledger.holdings.get("account0")!.map(({ cost, quantity, security }) => [security.ticker, quantity, cost])
          )
          const trades = yield* run(driver, connection, everything("trades", asked("trades")))
          expect(trades.upserted.map(({ fields }) => fields["amount"])).toEqual(
            ledger.tradesOf("account0").map(({ amount }) => amount)
          )
          rows += upserted.length + trades.upserted.length
        }
        if (asked("loans").length > 0) {
          const { upserted } = yield* run(driver, connection, everything("loans", asked("loans")))
          expect(upserted.map(({ fields }) => [fields["loanType"], fields["interestRatePercentage"]])).toEqual([
            ["student", "4.23"]
          ])
        }
      }
      expect(files.length).toBe(16)
      expect(rows).toBeGreaterThan(400)
    }).pipe(Effect.scoped)
)
