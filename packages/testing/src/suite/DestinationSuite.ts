/**
 * What every destination driver has to keep, whatever it writes to: `suite(name, options)` registers the tests
 * (decisions 6.5 and 7.4).
 *
 * The driver under test says how to look at the destination, and how people work on it. The same tests hold for
 * all write models: `wholeFile` drivers get the rows that should be there, the others the changes.
 */
import { describe, expect, it } from "@effect/vitest"
import type { DestinationSession, Edit, Outgoing, Receipt } from "@millrace/core/destination"
import { isIdentifier } from "@millrace/core"
import * as Result from "effect/Result"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Stream from "effect/Stream"
import { difficultTexts } from "../fixture/Text.ts"
import {
  asNew,
  columns,
  deliver,
  type DestinationUnderTest,
  formulas,
  type DestinationSuiteOptions,
  numberedKey,
  outgoing,
  printed,
  row,
  type RowSuiteOptions,
  shown,
  shownAs,
  sortedById,
  type WholeFileSuiteOptions
} from "./DestinationRun.ts"

export type { DestinationSuiteOptions, DestinationUnderTest, RowDestinationUnderTest } from "./DestinationRun.ts"

const opened = (under: DestinationUnderTest) => under.driver.open(under.feed, under.config, columns)

const shownOf = (all: ReadonlyArray<Edit>) => all.map(({ key, values }) => [key, values])

export const suite = (name: string, options: DestinationSuiteOptions): void => {
  describe(name, () => {
    sharedTests(options)
    if (options.write === "wholeFile") wholeFileTests(options)
    else rowTests(options)
  })
}

const sharedTests = ({ make, write, cells }: DestinationSuiteOptions): void => {
  it.effect("says how it writes, and that it is of the type it is configured as", () =>
    Effect.gen(function* () {
      const { driver, config } = yield* make
      expect(driver.type).toBe(config.type)
      expect(isIdentifier(driver.type)).toBe(true)
      expect(driver.label.trim()).not.toBe("")
      expect(Result.getOrThrow(driver.decode(config))).toEqual(config)
      const misspelt = driver.decode({ ...config, misspelt: 1 })
      expect(
        Result.isFailure(misspelt),
        "the configuration takes a field that it does not have; Schema.Struct({}) takes any, Schema.Record(Schema.String, Schema.Never) none"
      ).toBe(true)
      if (Result.isFailure(misspelt)) expect(misspelt.failure.map(({ field }) => field)).toEqual(["misspelt"])
      expect(driver.capabilities.write).toBe(write)
      expect(driver.capabilities.batch).toBeGreaterThan(0)
    })
  )

  it.effect("finds no fault in a configuration that works, and changes nothing by looking", () =>
    Effect.gen(function* () {
      const { driver, config, feed, read } = yield* make
      expect(yield* driver.check(feed.workspaceId, config, columns, feed.mappingsDefaulted)).toEqual([])
      expect(yield* read).toEqual([])
    })
  )

  it.effect("creates, updates and removes rows by key", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      const first = [row("a"), row("b"), row("c")]
      yield* deliver(
        under,
        session,
        first,
        first.map((values) => outgoing("create", values))
      )
      expect(sortedById(yield* under.read)).toEqual(first.map(printed))

      const changed = row("b", { amount: "-999.01", description: "changed", pending: true, merchant: null })
      const changes = [outgoing("update", changed), outgoing("remove", row("c"))]
      yield* deliver(under, session, [row("a"), changed], changes)
      expect(sortedById(yield* under.read)).toEqual([printed(row("a")), printed(changed)])
    })
  )

  // Others make another row of what they have: the kernel looks rows up before it sends them again.
  if (write !== "readBack") {
    it.effect("leaves one row of a record that is written twice", () =>
      Effect.gen(function* () {
        const under = yield* make
        const rows = [row("a"), row("b")]
        const creations = rows.map((values) => outgoing("create", values))
        const session = yield* opened(under)
        yield* deliver(under, session, rows, creations)
        const once = yield* under.read
        yield* deliver(under, session, rows, creations)
        // A later run, after a crash for instance, opens the destination again.
        yield* deliver(under, yield* opened(under), rows, creations)
        expect(yield* under.read).toEqual(once)
        expect(once).toHaveLength(2)
      })
    )
  }

  it.effect("clears what a record no longer has", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      yield* deliver(under, session, [row("a")], [outgoing("create", row("a"))])
      const { Merchant: _, ...rest } = row("a")
      yield* deliver(under, session, [rest], [outgoing("update", rest)])
      expect((yield* under.read).map((read) => read["Merchant"])).toEqual([""])
    })
  )

  it.effect("keeps numbers, dates and truth values as they are", () =>
    Effect.gen(function* () {
      const under = yield* make
      const amounts = ["0", "-0.01", "-12.5", "1234567890123.123456789012", "-1234567890123"]
      const rows = amounts.map((amount, i) => row(numberedKey(i), { amount, pending: i % 2 === 0 }))
      yield* deliver(
        under,
        yield* opened(under),
        rows,
        rows.map((values) => outgoing("create", values))
      )
      const found = sortedById(yield* under.read)
      expect(found.map((read) => read["Amount"])).toEqual(amounts)
      expect(found.map((read) => read["Pending"])).toEqual(["true", "false", "true", "false", "true"])
      expect(new Set(found.map((read) => `${read["Date"]} ${read["At"]}`))).toEqual(
        new Set(["2026-03-14 2026-03-14T08:30:00.000Z"])
      )
    })
  )

  it.effect("keeps the text of all languages, and every comma, quote and line break", () =>
    Effect.gen(function* () {
      const under = yield* make
      const found = yield* describedAs(under, difficultTexts)
      for (const [i, text] of difficultTexts.entries()) expect(shownAs(cells, text)).toContain(found[i])
    })
  )

  it.effect("never lets text act as a formula", () =>
    Effect.gen(function* () {
      const under = yield* make
      const found = yield* describedAs(under, formulas)
      if (cells === "interpreted") expect(found.filter((text) => /^[=+\-@\t\r]/.test(text))).toEqual([])
      for (const [i, text] of formulas.entries()) expect(shownAs(cells, text)).toContain(found[i])
    })
  )
}

/** What stands at the destination for records of these descriptions. */
const describedAs = Effect.fnUntraced(function* (under: DestinationUnderTest, texts: ReadonlyArray<string>) {
  const rows = texts.map((description, i) => row(numberedKey(i), { description }))
  const creations = rows.map((values) => outgoing("create", values))
  yield* deliver(under, yield* opened(under), rows, creations)
  return sortedById(yield* under.read).map((read) => shown(read["Description"]!))
})

const outcomes = (receipts: ReadonlyArray<Receipt>): ReadonlyMap<string, string> =>
  new Map(receipts.map(({ key, outcome }) => [key, outcome]))

const write = (session: DestinationSession, ...batch: ReadonlyArray<Outgoing>) =>
  Effect.map(session.write(batch), (receipts) => {
    expect(receipts).toHaveLength(batch.length)
    return outcomes(receipts)
  })

const rowTests = ({ make, write: model }: RowSuiteOptions): void => {
  it.effect("takes as many records at once as it says, and answers for each", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      const batch = Array.from({ length: under.driver.capabilities.batch }, (_, i) =>
        outgoing("create", row(numberedKey(i)))
      )
      const answered = yield* write(session, ...batch)
      expect([...answered.keys()].toSorted()).toEqual(batch.map(({ key }) => key).toSorted())
      expect(new Set(answered.values())).toEqual(new Set(["done"]))
      expect(yield* under.read).toHaveLength(batch.length)
    })
  )

  it.effect("answers nothing to no records", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      expect(yield* session.write([])).toEqual([])
      expect(yield* under.read).toEqual([])
    })
  )

  it.effect("takes the removal of a row that is not there for done", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      yield* write(session, outgoing("create", row("a")))
      const unknown = outgoing("remove", row("unknown"))
      expect(yield* write(session, unknown)).toEqual(new Map([[unknown.key, "done"]]))
      expect(yield* write(session, unknown)).toEqual(new Map([[unknown.key, "done"]]))
      expect(yield* under.read).toEqual([printed(row("a"))])
    })
  )

  it.effect("does all of a batch that creates, updates and removes", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      yield* write(session, outgoing("create", row("a")), outgoing("create", row("b")))
      const changed = row("b", { description: "changed" })
      yield* write(session, outgoing("remove", row("a")), outgoing("update", changed), outgoing("create", row("c")))
      expect(sortedById(yield* under.read)).toEqual([printed(changed), printed(row("c"))])
    })
  )

  it.effect("makes a removed row again when the record is created again", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      yield* write(session, outgoing("create", row("a")))
      yield* write(session, outgoing("remove", row("a")))
      expect(yield* under.read).toEqual([])
      expect(yield* write(session, asNew(outgoing("create", row("a"))))).toEqual(
        new Map([[outgoing("create", row("a")).key, "done"]])
      )
      expect(yield* under.read).toEqual([printed(row("a"))])
    })
  )

  it.effect("leaves the columns and cells of people alone", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      const { key } = outgoing("create", row("a"))
      yield* write(session, outgoing("create", row("a")), outgoing("create", row("b")))
      const notes = yield* under.people.note(key, "ask the landlord")
      yield* write(
        session,
        outgoing("update", row("a", { amount: "7" })),
        outgoing("update", row("b", { amount: "8" }))
      )
      yield* write(yield* opened(under), outgoing("update", row("a", { amount: "9" })), outgoing("remove", row("b")))
      expect(yield* notes).toEqual(new Map([[key, "ask the landlord"]]))
      expect(yield* under.read).toEqual([printed(row("a", { amount: "9" }))])
    })
  )

  it.effect("tells what people wrote over what was delivered, and nothing else, where it can tell", () =>
    Effect.gen(function* () {
      const under = yield* make
      const { config, driver, feed, people } = under
      if (driver.edits === undefined) return
      const session = yield* opened(under)
      const edits = (after?: string, limit = 10) => driver.edits!(feed, config, columns, { after, limit })
      yield* write(session, ...["a", "b", "c"].map((id) => outgoing("create", row(id))))
      expect(yield* edits()).toEqual([])
      const [a, , c] = ["a", "b", "c"].map((id) => outgoing("create", row(id)).key)
      yield* people.edit!(c!, "Merchant", "Corner shop")
      yield* people.edit!(a!, "Merchant", "Market")
      const told = [
        [a, { Merchant: "Market" }],
        [c, { Merchant: "Corner shop" }]
      ]
      expect(shownOf(yield* edits())).toEqual(told)
      expect([shownOf(yield* edits(undefined, 1)), shownOf(yield* edits(a))]).toEqual([[told[0]], [told[1]]])
      // What is delivered since leaves it as it is, and is no edit.
      yield* write(
        session,
        outgoing("update", row("a", { amount: "7", merchant: "Coop City" })),
        outgoing("remove", row("c"))
      )
      expect(shownOf(yield* edits())).toEqual([told[0]])
    })
  )

  it.effect("does not make a row again that a person deleted, unless the record is created again", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      const creation = outgoing("create", row("a"))
      yield* write(session, creation, outgoing("create", row("b")))
      yield* under.people.deleteRow(creation.key)
      const answered = yield* write(session, outgoing("update", row("a")), outgoing("update", row("b")))
      expect(answered.get(creation.key)).toBe("skipped")
      expect([...answered.values()].toSorted()).toEqual(["done", "skipped"])
      expect(yield* under.read).toEqual([printed(row("b"))])
      yield* write(session, asNew(creation))
      expect(sortedById(yield* under.read)).toEqual([printed(row("a")), printed(row("b"))])
    })
  )

  it.effect("refuses one record without stopping the others", () =>
    Effect.gen(function* () {
      const under = yield* make
      // A destination that takes every row has none to refuse.
      if (under.refused === undefined) return
      const session = yield* opened(under)
      const bad = outgoing("create", { ...row("bad"), ...under.refused })
      const answered = yield* session.write([outgoing("create", row("a")), bad, outgoing("create", row("b"))])
      const refusal = answered.find(({ key }) => key === bad.key)
      expect(refusal).toMatchObject({ outcome: "failed", reason: expect.stringMatching(/\S/) })
      expect(answered.filter(({ outcome }) => outcome === "done")).toHaveLength(2)
      expect(sortedById(yield* under.read)).toEqual([printed(row("a")), printed(row("b"))])
    })
  )

  if (model === "idempotencyKey") {
    it.effect("changes nothing for a key it remembers, and answers as it did the first time", () =>
      Effect.gen(function* () {
        const under = yield* make
        const bad = { ...row("bad"), ...under.refused }
        const batch = [outgoing("create", row("a")), outgoing("create", row("b")), outgoing("create", bad)]
        const first = yield* (yield* opened(under)).write(batch)
        const change = outgoing("update", row("a", { amount: "1" }))
        const removal = outgoing("remove", row("b"))
        const session = yield* opened(under)
        const later = yield* session.write([change, removal])
        expect(yield* session.write(batch)).toEqual(first)
        expect(yield* session.write([removal, change])).toEqual(later.toReversed())
        expect(yield* under.read).toEqual([printed(row("a", { amount: "1" }))])
      })
    )

    it.effect("says for how long it remembers a key", () =>
      Effect.gen(function* () {
        const { capabilities } = (yield* make).driver
        expect(capabilities.write === "idempotencyKey" && capabilities.keySeconds).toBeGreaterThan(0)
      })
    )
  }

  if (model === "readBack" || model === "upsertByKey" || model === "transactional") {
    it.effect("finds the keys that are there, with the references it gave for them", () =>
      Effect.gen(function* () {
        const under = yield* make
        const session = yield* opened(under)
        const creation = outgoing("create", row("a"))
        const gone = outgoing("create", row("gone"))
        const receipts = yield* session.write([creation, gone])
        yield* session.write([outgoing("remove", row("gone"))])
        const { capabilities } = under.driver
        // Look-ups may lag behind writes by as much as the driver says.
        const lag = "visibleSeconds" in capabilities ? (capabilities.visibleSeconds ?? 0) : 0
        if (lag > 0) yield* Effect.sleep(`${lag} seconds`)
        const given = receipts.flatMap((receipt) =>
          receipt.key === creation.key && receipt.outcome === "done" ? [[receipt.key, receipt.remoteRef] as const] : []
        )
        expect(yield* session.lookup([creation.key, gone.key, "transactions:never"])).toEqual(new Map(given))
        expect(given).toHaveLength(1)
        expect(yield* under.read).toEqual([printed(row("a"))])
      })
    )
  }
}

const rowsOf = (count: number) => Array.from({ length: count }, (_, i) => row(numberedKey(i)))

const asRows = (rows: ReadonlyArray<ReturnType<typeof row>>) =>
  rows.map((values) => ({ key: outgoing("create", values).key, values }))

const wholeFileTests = ({ make }: WholeFileSuiteOptions): void => {
  it.effect("counts the rows, and writes them in the order they come", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      const rows = rowsOf(2_500).toReversed()
      const { rows: count } = yield* session.replace(Stream.fromIterable(asRows(rows)))
      expect(count).toBe(rows.length)
      expect(yield* under.read).toEqual(rows.map(printed))
    })
  )

  it.effect("knows the file that it wrote again until somebody touches it, and that there is none", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      expect(yield* session.standing()).toBeUndefined()
      const first = yield* session.replace(Stream.fromIterable(asRows(rowsOf(3))))
      expect(yield* session.standing()).toBe(first.standing)
      expect(yield* (yield* opened(under)).standing()).toBe(first.standing)
      yield* under.spoil
      expect(yield* session.standing()).not.toBe(first.standing)
      const second = yield* session.replace(Stream.fromIterable(asRows(rowsOf(3))))
      expect(yield* session.standing()).toBe(second.standing)
      yield* under.lose
      expect(yield* session.standing()).toBeUndefined()
    })
  )

  it.effect("leaves no row behind when there are none any more", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      yield* session.replace(Stream.fromIterable(asRows(rowsOf(3))))
      expect((yield* session.replace(Stream.empty)).rows).toBe(0)
      expect(yield* under.read).toEqual([])
    })
  )

  it.effect("keeps the old content when the rows fail midway, and hands on the failure", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      yield* session.replace(Stream.fromIterable(asRows([row("old")])))
      const broken = Stream.concat(Stream.fromIterable(asRows(rowsOf(5_000))), Stream.fail("no more rows" as const))
      expect(yield* Effect.exit(session.replace(broken))).toEqual(Exit.fail("no more rows"))
      expect(yield* under.read).toEqual([printed(row("old"))])
    })
  )

  it.effect("keeps the old content when it is interrupted midway, and works again afterwards", () =>
    Effect.gen(function* () {
      const under = yield* make
      const session = yield* opened(under)
      yield* session.replace(Stream.fromIterable(asRows([row("old")])))
      const reached = yield* Latch.make()
      const halting = Stream.concat(
        Stream.fromIterable(asRows(rowsOf(5_000))),
        Stream.fromEffect(Effect.andThen(reached.open, Effect.never))
      )
      const fiber = yield* Effect.forkChild(session.replace(halting))
      yield* reached.await
      yield* Fiber.interrupt(fiber)
      expect(yield* under.read).toEqual([printed(row("old"))])
      yield* session.replace(Stream.fromIterable(asRows([row("new")])))
      expect(yield* under.read).toEqual([printed(row("new"))])
    })
  )
}
