/** Digests over other data types than transactions. */
import { describe, expect, it } from "@effect/vitest"
import type { DataType } from "@millrace/core/record"
import { SetWorld } from "@millrace/testing/model"
import { everydayAccount } from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { makeDigest } from "../../../../src/enrichment/kinds/digest/digest.ts"
import { digestSubject, subjectIn } from "../../../../src/enrichment/kinds/digest/DigestSubject.ts"
import type { SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import { plainText } from "../../../../src/message/PlainText.ts"
import { dataTypes } from "../../../../src/record/DataType.ts"
import { catalogOf } from "../../../../src/record/FieldCatalog.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import * as Decimal from "../../../../src/shared/Decimal.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import * as Timestamp from "../../../../src/shared/Timestamp.ts"
import { noModels } from "./NoModels.ts"

const digest = makeDigest(noModels)
const destinations = [{ type: "email", recipients: ["owner@example.com"] }]
const record = (recordId: string, fields: SetRecord["fields"]): SetRecord => ({
  recordId,
  accountId: everydayAccount.accountId,
  fields: { currency: "EUR", ...fields }
})

const balance = (id: string, amount: string, accountType: string) =>
  record(id, { amount, accountType, accountName: id })
const lints = (sections: ReadonlyArray<string>) =>
  digest.check(Result.getOrThrow(decode(digest.Config, { sections })), catalogOf("loans")).lints

/** On a Wednesday; weeks begin on Monday. */
const worldOf = (dataType: DataType, config: object = {}) => {
  const world = new SetWorld({
    kind: digest,
    config: Result.getOrThrow(decode(digest.Config, { destinations, ...config })),
    dataType,
    accounts: [everydayAccount],
    baseCurrency: everydayAccount.currency,
    today: CalendarDate.make("2026-03-11")
  })
  world.pulse()
  return world
}

/** What the digest says that is told on a day; nothing where it is silent. */
const said = Effect.fnUntraced(function* (world: SetWorld, day: string) {
  const at = Timestamp.make(`${day}T12:00:00.000Z`)
  world.accounts = [{ ...everydayAccount, status: { balance: Decimal.zero, syncedAt: at } }]
  world.at = at
  world.comes(CalendarDate.make(day))
  world.pulse()
  const { said: plans } = yield* world.plan()
  return plans.flatMap(([, plan]) => plan.messages ?? []).map(({ content }) => plainText(content))
})

describe("digests of other data types", () => {
  it("knows each data type by its fields, and reads no others", () => {
    for (const dataType of dataTypes) {
      const catalog = catalogOf(dataType)
      expect(subjectIn(catalog)).toBe(digestSubject(dataType))
      const own = digestSubject(dataType).reads.filter((field) => !field.includes("."))
      expect(own.filter((field) => !catalog.has(field))).toEqual([])
    }
  })

  it.effect("tells of balances how they stand when the week is over, and what became of them since", () =>
    Effect.gen(function* () {
      const world = worldOf("balances")
      world.put(balance("Giro", "1200.50", "checking"), balance("Card", "-300", "credit"))
      yield* world.plan()
      const [first] = yield* said(world, "2026-03-16")
      expect(first).toContain("€900.50 in all")
      expect(first).toContain("In your accounts: €1,200.50")
      expect(first).toContain("Owed: €300.00")
      expect(first).toContain("By account\n  Giro: €1,200.50")
      // There is nothing that it could have been before.
      expect(first).not.toContain("the time before")
      world.put(balance("Giro", "1000.50", "checking"))
      expect(yield* said(world, "2026-03-17")).toEqual([])
      const [second] = yield* said(world, "2026-03-23")
      expect(second).toContain("Together: €700.50 (€900.50 the time before)")
    })
  )

  it.effect("tells of holdings what they are worth, what they gained, and what nobody prices", () =>
    Effect.gen(function* () {
      const world = worldOf("holdings")
      world.put(
        record("a", { ticker: "ACME", currentValue: "1101", costBasis: "1012.5" }),
        record("b", { ticker: "BETA", currentValue: "50", costBasis: "80" }),
        record("c", { ticker: "OLD" })
      )
      yield* world.plan()
      const [text] = yield* said(world, "2026-03-16")
      expect(text).toContain("holdings are worth €1,151.00")
      expect(text).toContain("More than they have cost: €58.50")
      expect(text).toContain("By security\n  ACME: €1,101.00")
      expect(text).toContain("Without an amount: 1")
    })
  )

  it.effect("tells of loans what is owed and due, and what is late", () =>
    Effect.gen(function* () {
      const world = worldOf("loans")
      world.put(
        record("a", { loanType: "mortgage", principalBalance: "182400", nextPaymentAmount: "1210.4" }),
        record("b", { loanType: "car", principalBalance: "8000", nextPaymentAmount: "200", isOverdue: true })
      )
      yield* world.plan()
      const [text] = yield* said(world, "2026-03-16")
      expect(text).toContain("€190,400.00 owed")
      expect(text).toContain("Due next: €1,410.40")
      expect(text).toContain("Payments that are overdue: 1")
    })
  )

  it.effect("tells of trades what moved, by kind and by security, with their fees", () =>
    Effect.gen(function* () {
      const world = worldOf("trades")
      world.put(
        record("a", { date: "2026-03-10", type: "buy", ticker: "ACME", amount: "-1012.50", fees: "1" }),
        record("b", { date: "2026-03-12", type: "dividend", ticker: "BETA", amount: "20" }),
        record("c", { date: "2026-03-16", type: "sell", ticker: "ACME", amount: "500" })
      )
      yield* world.plan()
      const [text] = yield* said(world, "2026-03-16")
      expect(text).toContain("€1,012.50 out, €20.00 in")
      expect(text).toContain("By security\n  ACME: €1,012.50")
      expect(text).toContain("Other fees: €1.00")
    })
  )

  it.effect.each([
    ["receipts", { merchantName: "Blue Heron", totalAmount: "12.50", category: "FOOD_AND_DRINK" }, "€12.50 paid"],
    ["invoices", { supplierName: "Heron Supplies", totalAmount: "121", status: "open" }, "€121.00 invoiced"],
    ["documents", { documentType: "contract", sender: "owner@example.com" }, "documents: 1"],
    ["orders", { action: "BUY", ticker: "ACME", security: "Acme Corp." }, "open orders: 1"]
  ] as const)("tells of %s", ([dataType, fields, title]) =>
    Effect.gen(function* () {
      const world = worldOf(dataType)
      world.put(record("a", { date: "2026-03-10", ...fields }))
      yield* world.plan()
      const [text] = yield* said(world, "2026-03-16")
      expect(text).toContain(title)
    })
  )

  it("says which sections have nothing of a data type", () => {
    expect(lints(["budgets", "fees"])).toEqual([
      {
        field: "sections",
        message: "has nothing of these records; there are flow, categories, anomalies, dataQuality"
      }
    ])
    expect(lints(["budgets", "flow"])).toEqual([])
  })
})
