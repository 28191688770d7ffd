import { describe, expect, it } from "@effect/vitest"
import { SetWorld } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { makeAlert } from "../../../../src/enrichment/kinds/alert/alert.ts"
import type { AccountStatus, SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import { provenPatterns } from "../../../../src/pattern/Pattern.ts"
import { catalogOf } from "../../../../src/record/FieldCatalog.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import * as Decimal from "../../../../src/shared/Decimal.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import * as Timestamp from "../../../../src/shared/Timestamp.ts"
import { account, aggregate, monitor, record } from "./MonitorScene.ts"
import { RunWork } from "../../../../src/enrichment/RunWork.ts"

it("watches balances of every type of data, and transactions alone where a check needs them", () => {
  const config = Result.getOrThrow(decode(monitor.Config, { checks: [{ kind: "tieOut", key: "t" }] }))
  expect(monitor.check(config, catalogOf("holdings")).errors.map(({ field }) => field)).toEqual(["checks[0].kind"])
  expect(monitor.capabilities.dataTypes).toContain("holdings")
})

const synced = (at: string) => ({ syncedAt: Timestamp.make(`${at}:00.000Z`) })
const bill = (id: string, date: string, expected: string) =>
  record(id, date, "-30", {
    "recurring.seriesId": "rent",
    "recurring.expectedDate": expected,
    merchantName: "Rent"
  })

const worldOf = (...checks: ReadonlyArray<object>) => new World({ checks })

/** A monitor that looks again and again, as an account and its records change. */
class World extends SetWorld {
  private read = 0
  private readonly statuses: { [id: string]: AccountStatus } = {}

  constructor(config: object) {
    super({
      kind: monitor,
      config: Result.getOrThrow(decode(monitor.Config, config)),
      dataType: "transactions",
      accounts: [account],
      baseCurrency: account.currency,
      today: CalendarDate.make("2026-03-10")
    })
  }

  /** What is open after a look at that instant, by the titles; what was told is in `told`. */
  readonly look = Effect.fnUntraced(function* (this: World, at: string, status: Partial<AccountStatus> = {}) {
    this.at = Timestamp.make(`${at}:00.000Z`)
    this.today = CalendarDate.make(at.slice(0, 10))
    const before = this.statuses[account.accountId]
    const now = { balance: Decimal.zero, ...before, ...status }
    this.statuses[account.accountId] = now
    this.accounts = [{ ...account, status: now }]
    this.pulse()
    yield* this.plan()
    return this.found.map(({ title }) => title)
  })

  get found() {
    return this.said.flatMap(([, { findings = [] }]) => findings)
  }

  /** The events since the last time, without revision, check and subject. */
  get news(): ReadonlyArray<string> {
    const fresh = this.told.slice(this.read)
    this.read = this.told.length
    return fresh.map(
      (key) => key.split(":").slice(1, 3).join(":") + (/:(?:worse:\d+|recovered)$/u.exec(key)?.[0] ?? "")
    )
  }
}

const balance = (amount: string, at: string) => ({
  balance: Decimal.make(amount),
  balanceAsOf: Timestamp.make(`${at}:00.000Z`)
})

const seen = (day: number, amount: string) => balance(amount, `2026-03-${day}T06:00`)

const condition = (field: string, value: string) => ({ field, operator: "equals", value })
const sha256 = (text: string) => text.padEnd(64, "0").replaceAll(/[^0-9a-f]/g, "0")

describe("a case", () => {
  const low = { kind: "balance", key: "low", below: "100" }

  it.effect("is opened once, told again when it is a quarter worse, and closed once, beyond the threshold", () =>
    Effect.gen(function* () {
      const world = worldOf(low)
      const at = (day: number, amount: string) =>
        world.look(`2026-03-${day}T08:00`, balance(amount, `2026-03-${day}T07:00`))
      expect(yield* at(10, "100")).toEqual([])
      expect(yield* at(11, "80")).toEqual(["Everyday ****1234: the balance of 80.00 EUR is below 100"])
      expect(world.news).toEqual(["low:1"])
      yield* at(12, "76")
      expect(world.news).toEqual([])
      yield* at(13, "75")
      expect(world.news).toEqual(["low:1:worse:1"])
      // Back, and not by five percent.
      expect(yield* at(14, "104")).toHaveLength(1)
      expect(world.news).toEqual([])
      expect(yield* at(15, "105")).toEqual([])
      expect(world.news).toEqual(["low:1:recovered"])
      yield* at(16, "104")
      expect(world.news).toEqual([])
      yield* at(17, "99")
      expect(world.news).toEqual(["low:2"])
    })
  )

  it.effect("is told to people once for each event, and that it is well to whoever heard that it was not", () =>
    Effect.gen(function* () {
      const destinations = [{ type: "email", recipients: ["ann@example.com"] }]
      const world = new World({ checks: [{ ...low, name: "Low balance" }], destinations })
      const messages = () => world.said.flatMap(([, plan]) => plan.messages ?? [])
      const at = (day: number, amount: string) =>
        world.look(`2026-03-${day}T08:00`, balance(amount, `2026-03-${day}T07:00`))
      yield* at(10, "500")
      expect(messages()).toEqual([])
      yield* at(11, "80")
      yield* at(12, "60")
      const title = "Everyday ****1234: the balance of 60.00 EUR is below 100"
      expect(messages().map(({ content }) => content.title)).toEqual([title, `Worse: ${title}`])
      expect(messages()[0]).toMatchObject({
        destinations,
        content: {
          type: "monitor.breached",
          sections: [
            {
              rows: [
                { label: "Check", value: "Low balance" },
                { label: "Since", value: "Mar 11, 2026" }
              ]
            }
          ]
        }
      })
      yield* at(13, "200")
      const [breached, , recovered] = messages()
      expect(recovered?.content.title.startsWith("As it should be again: ")).toBe(true)
      expect(recovered?.retracts).toEqual({ key: breached?.key, quiet: false })
    })
  )

  it.effect("can be heard by an alert, by the check that it is of", () =>
    Effect.gen(function* () {
      const world = worldOf(low)
      yield* world.look("2026-03-11T08:00", balance("80", "2026-03-11T07:00"))
      const [event] = world.said.flatMap(([, { events }]) => events)
      const alert = makeAlert({ patterns: provenPatterns })
      const hears = (check: string) => {
        const conditions = [condition("event.type", "monitor.breached"), condition("event.check", check)]
        const config = Result.getOrThrow(
          decode(alert.Config, {
            source: "event",
            conditions: { logic: "and", conditions },
            destinations: [{ type: "email", recipients: ["ann@example.com"] }]
          })
        )
        expect(alert.check(config, catalogOf("transactions")).errors).toEqual([])
        const prepared = alert.prepare(config, catalogOf("transactions"))
        const of = {
          prepared,
          name: "Watch",
          locale: "en",
          enrichmentId: "enr_a" as never,
          workspaceId: "ws_a" as never
        }
        return alert.hears!({
          ...of,
          work: new RunWork(),
          sha256,
          events: [{ ...event!, enrichmentId: "enr_m" as never }]
        }).messages
      }
      expect(hears("low")).toHaveLength(1)
      expect(hears("other")).toEqual([])
    })
  )

  it.effect("waits until so many looks in a row agree; the same instant is one look", () =>
    Effect.gen(function* () {
      const world = new World({ checks: [low], confirmRuns: 3 })
      const at = (hour: string, amount: string) =>
        world.look(`2026-03-10T${hour}:00`, balance(amount, `2026-03-10T${hour}:00`))
      yield* at("08", "50")
      yield* at("08", "50")
      expect(yield* at("09", "50")).toEqual([])
      yield* at("10", "500")
      yield* at("11", "50")
      yield* at("12", "50")
      expect(world.news).toEqual([])
      expect(yield* at("13", "50")).toHaveLength(1)
      expect(world.news).toEqual(["low:1"])
    })
  )
})

describe("accounts", () => {
  it.effect("are stale when nothing was read for long, and not any more after the next read", () =>
    Effect.gen(function* () {
      const world = worldOf({ kind: "stale", key: "old" })
      const syncedAt = Timestamp.make("2026-03-10T08:00:00.000Z")
      expect(yield* world.look("2026-03-11T20:00", { syncedAt })).toEqual([])
      expect(yield* world.look("2026-03-11T21:00")).toEqual([
        "Everyday ****1234: nothing was read for more than 36 hours"
      ])
      expect(yield* world.look("2026-03-12T21:00")).toHaveLength(1)
      expect(world.news).toEqual(["old:1"])
      expect(yield* world.look("2026-03-12T22:00", { syncedAt: Timestamp.make("2026-03-12T22:00:00.000Z") })).toEqual(
        []
      )
      expect(world.news).toEqual(["old:1:recovered"])
    })
  )

  it.effect("have their consent told before it ends, once for each bank", () =>
    Effect.gen(function* () {
      const world = worldOf({ kind: "consentExpiry", key: "consent" })
      const consentExpiresAt = Timestamp.make("2026-03-25T10:00:00.000Z")
      expect(yield* world.look("2026-03-10T08:00", { consentExpiresAt })).toEqual([])
      expect(yield* world.look("2026-03-11T08:00")).toEqual(["Bank: the consent ends on 2026-03-25; connect it again"])
      expect(yield* world.look("2026-03-26T08:00")).toEqual(["Bank: the consent ended on 2026-03-25; connect it again"])
      expect(world.news).toEqual(["consent:1"])
    })
  )
})

describe("payments", () => {
  it.effect("that are expected and do not come are told once the account was read past their day", () =>
    Effect.gen(function* () {
      const world = worldOf({ kind: "missingRecurring", key: "bills" })
      world.put(bill("a", "2026-02-01", "2026-03-01"))
      expect(yield* world.look("2026-03-03T08:00", synced("2026-03-03T08:00"))).toEqual([])
      expect(yield* world.look("2026-03-05T08:00")).toEqual([])
      expect(yield* world.look("2026-03-05T09:00", synced("2026-03-05T09:00"))).toEqual([
        "Rent: expected on 2026-03-01, has not come"
      ])
      world.put(bill("b", "2026-03-05", "2026-04-01"))
      expect(yield* world.look("2026-03-05T10:00")).toEqual([])
      expect(world.news).toEqual(["bills:1", "bills:1:recovered"])
    })
  )

  it.effect("between own accounts that have no other side are told, and not when one is found", () =>
    Effect.gen(function* () {
      const world = worldOf({ kind: "missingTransferLeg", key: "legs", afterDays: 5 })
      world.put(record("a", "2026-03-01", "-500", { type: "TRANSFER_OUTGOING" }), record("b", "2026-03-01", "-5"))
      expect(yield* world.look("2026-03-06T08:00", synced("2026-03-06T08:00"))).toEqual([])
      expect(yield* world.look("2026-03-07T08:00", synced("2026-03-07T08:00"))).toEqual([
        "A transfer of -500.00 EUR on 2026-03-01 has no other side"
      ])
      world.put(record("a", "2026-03-01", "-500", { type: "TRANSFER_OUTGOING", "transfer.state": "auto" }))
      expect(yield* world.look("2026-03-07T09:00")).toEqual([])
    })
  )
})

describe("aggregates", () => {
  const valueOf = Effect.fnUntraced(function* (change: object, ...records: ReadonlyArray<SetRecord>) {
    const world = worldOf(aggregate({ op: "lt", threshold: "1000000", ...change }))
    world.put(...records)
    yield* world.look("2026-03-10T08:00")
    return Object.fromEntries(world.found.map(({ data }) => [data["group"] ?? "", data["value"]]))
  })
  const records = [
    record("a", "2026-03-10", "-10"),
    record("b", "2026-03-09", "-5.5", { category: "FUN" }),
    record("c", "2026-02-08", "-2"),
    record("d", "2026-03-08", "-100", { removed: true }),
    record("e", "2026-03-07", "-7", { currency: "JPY" })
  ]

  it.effect("count, add up and compare what matches in their window, by group", () =>
    Effect.gen(function* () {
      expect(yield* valueOf({}, ...records)).toEqual({ "": "3" })
      expect(yield* valueOf({ measure: "sum" }, ...records)).toEqual({ "": "-15.5" })
      expect(yield* valueOf({ measure: "avg", windowDays: 31 }, ...records)).toEqual({ "": "-5.833333333333" })
      expect(yield* valueOf({ measure: "max", groupBy: "category" }, ...records)).toEqual({ FOOD: "-10", FUN: "-5.5" })
      expect(yield* valueOf({ measure: "max" })).toEqual({})
    })
  )

  it.effect("move with the day", () =>
    Effect.gen(function* () {
      const world = worldOf(aggregate({ op: "gte", threshold: "1", windowDays: 1 }))
      world.put(record("a", "2026-03-10", "-10"))
      expect(yield* world.look("2026-03-10T08:00")).toHaveLength(1)
      expect(world.said.find(([key]) => key === "cases")![1].due).toBe("2026-03-11")
      expect(yield* world.look("2026-03-11T08:00")).toEqual([])
    })
  )
})

describe("balances against transactions", () => {
  const check = { kind: "tieOut", key: "books", persistHours: 0 }

  it.effect(
    "differ when what lies between is the same over two balances; adding the missing record closes the case",
    () =>
      Effect.gen(function* () {
        const world = worldOf(check)
        world.put(
          record("shop", "2026-03-11", "-90.50"),
          record("gone", "2026-03-11", "-25", { removed: true }),
          record("other", "2026-03-12", "-4")
        )
        yield* world.look("2026-03-10T08:00", seen(10, "1000"))
        expect(yield* world.look("2026-03-13T08:00", seen(13, "880.50"))).toEqual([])
        expect(yield* world.look("2026-03-14T08:00", seen(14, "880.50"))).toEqual([
          "Everyday ****1234: balance and transactions differ by -25.00 EUR"
        ])
        expect(world.found[0]!.data["explanations"]).toEqual([
          { cause: "a record that was dropped or removed", score: 0.9, recordIds: ["gone"] }
        ])
        world.put(record("gone", "2026-03-11", "-25"))
        expect(yield* world.look("2026-03-14T09:00")).toEqual([])
        expect(world.news).toEqual(["books:1", "books:1:recovered"])
      })
  )

  it.effect("are explained by a record within the tolerance, where none explains them to the cent", () =>
    Effect.gen(function* () {
      const world = worldOf({ ...check, tolerance: "0.2" })
      world.put(
        record("gone", "2026-03-11", "-25", { removed: true }),
        record("near", "2026-03-11", "-25.3", { removed: true })
      )
      yield* world.look("2026-03-10T08:00", seen(10, "1000"))
      yield* world.look("2026-03-13T08:00", seen(13, "974.9"))
      yield* world.look("2026-03-14T08:00", seen(14, "974.9"))
      expect(world.found[0]!.data["explanations"]).toMatchObject([{ score: 0.45 }, { score: 0.45 }])
      // One that comes to it exactly is the only one.
      world.put(record("exact", "2026-03-12", "-25.1", { removed: true }))
      yield* world.look("2026-03-14T09:00")
      expect(world.found[0]!.data["explanations"]).toMatchObject([{ score: 0.9, recordIds: ["exact"] }])
    })
  )

  it.effect("agree where a bank books a day late, and where a difference goes by itself", () =>
    Effect.gen(function* () {
      const world = worldOf(check)
      yield* world.look("2026-03-10T08:00", seen(10, "1000"))
      // In the balance of the 11th, posted on the 12th.
      world.put(record("late", "2026-03-12", "-30"))
      expect(yield* world.look("2026-03-11T08:00", seen(11, "970"))).toEqual([])
      yield* world.look("2026-03-12T08:00", seen(12, "970"))
      // Not yet posted, and then it is.
      yield* world.look("2026-03-15T08:00", seen(15, "900"))
      world.put(record("posted", "2026-03-16", "-70"))
      yield* world.look("2026-03-17T08:00", seen(17, "900"))
      expect([world.found, world.news]).toEqual([[], []])
    })
  )

  it.effect("have to differ for as long as the check says", () =>
    Effect.gen(function* () {
      const world = worldOf({ kind: "tieOut", key: "books" })
      yield* world.look("2026-03-10T08:00", seen(10, "1000"))
      yield* world.look("2026-03-11T08:00", seen(11, "900"))
      yield* world.look("2026-03-12T08:00", seen(12, "900"))
      expect(yield* world.look("2026-03-13T08:00", seen(13, "900"))).toEqual([])
      expect(yield* world.look("2026-03-14T08:00", seen(14, "900"))).toHaveLength(1)
    })
  )
})
