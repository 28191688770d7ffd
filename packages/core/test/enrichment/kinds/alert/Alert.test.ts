/**
 * Alerts in the analysis: what is news is told once, what was so before is not.
 *
 * MILLRACE_LONG=1 runs 100,000 histories; MILLRACE_SEED repeats one.
 */
import { describe, expect, it } from "@effect/vitest"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import {
  makeEnrichment,
  makeWrite,
  scopeOf,
  storeAccount,
  storeBank,
  storeFeed,
  storeWorkspace
} from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import { casesOf, countCases } from "@millrace/verification/cases/Cases"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Analysis } from "../../../../src/enrichment/Analysis.ts"
import type { Enrichment } from "../../../../src/enrichment/Enrichment.ts"
import { FeedPipelines } from "../../../../src/enrichment/FeedPipelines.ts"
import { makeAlert } from "../../../../src/enrichment/kinds/alert/alert.ts"
import { bundledKinds, Kinds, kindsOf } from "../../../../src/enrichment/Kinds.ts"
import { EventStore } from "../../../../src/event/EventStore.ts"
import { OutboxStore } from "../../../../src/message/OutboxStore.ts"
import { provenPatterns } from "../../../../src/pattern/Pattern.ts"
import { catalogOf } from "../../../../src/record/FieldCatalog.ts"
import type { RecordWrite } from "../../../../src/record/LedgerRecord.ts"
import { RecordStore } from "../../../../src/record/RecordStore.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import { Ids } from "../../../../src/shared/Ids.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import { Tasks } from "../../../../src/task/Tasks.ts"
import { monthSum } from "../../MonthSum.ts"

const kinds = kindsOf([...bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 }), monthSum])
const services = Analysis.layer.pipe(
  Layer.provideMerge(FeedPipelines.layer),
  Layer.provideMerge(Tasks.layer),
  Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer, NodeDigest.layer, Ids.layer, Layer.succeed(Kinds, kinds)))
)

const march = CalendarDate.make("2026-03-20")
const recipients = (...all: ReadonlyArray<string>) => [{ type: "email", recipients: all }]
const over = (amount: string) => ({
  logic: "and",
  conditions: [{ field: "amount", operator: "lt", value: `-${amount}` }]
})
const large = { conditions: over("100"), destinations: recipients("owner@example.com") }

class Broken {
  readonly _tag = "Broken"
}

const arrange = Effect.fnUntraced(function* (config: object = large) {
  const workspace = yield* storeWorkspace()
  const bank = yield* storeBank(workspace)
  const account = yield* storeAccount(bank)
  yield* storeFeed(workspace, {
    sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: account.id }] }
  })
  const alert: Enrichment = {
    ...(yield* makeEnrichment(workspace, {
      type: "alert",
      name: "Large payments",
      config: config as Enrichment["config"]
    })),
    revision: 1
  }
  const records = yield* RecordStore
  const outbox = yield* OutboxStore
  const analysis = yield* Analysis
  const scope = scopeOf(account)
  const write = Effect.fnUntraced(function* (
    amount: string,
    date = "2026-03-19",
    same?: RecordWrite,
    state: "live" | "removed" = "live"
  ) {
    const made = same ?? (yield* makeWrite({ date: CalendarDate.make(date) }))
    const fields = {
      ...made.fields,
      description: "SHOP",
      merchantName: "Blue Heron Cafe",
      date,
      amount,
      currency: "EUR"
    }
    const one: RecordWrite = { ...made, hash: `${made.id} ${amount} ${date} ${state}`, state, fields }
    yield* records.write(scope, [one])
    return one
  })
  const run = (
    enrichments: ReadonlyArray<Enrichment> = [alert],
    options: { readonly today?: CalendarDate.CalendarDate; readonly guard?: Effect.Effect<void, Broken> } = {}
  ) =>
    analysis.run({
      workspace,
      dataType: "transactions",
      enrichments,
      accounts: [{ bank, account }],
      today: options.today ?? march,
      cause: { kind: "system", reason: "test" },
      guard: options.guard ?? Effect.void
    })
  const messages = Effect.map(outbox.list(workspace.id, { limit: 10_000 }), (all) => all.toReversed())
  const titles = Effect.map(messages, (all) => all.map(({ content }) => content.title))
  const told = Effect.flatMap(EventStore, (events) =>
    Effect.map(events.read(workspace.id, 0, 1_000), (all) =>
      all.map(({ type }) => type).filter((type) => type.startsWith("alert."))
    )
  )
  return { workspace, alert, write, run, messages, titles, told, outbox }
})

describe("alert", () => {
  it.effect("tells of what comes after it was made, and of nothing that was there", () =>
    Effect.gen(function* () {
      const { alert, messages, run, told, write } = yield* arrange()
      yield* write("-500")
      yield* write("-10")
      yield* run()
      expect(yield* messages).toEqual([])
      yield* write("-250.5")
      yield* write("-20")
      yield* run()
      yield* run()
      const [message, ...others] = yield* messages
      expect(others).toEqual([])
      expect(message).toMatchObject({
        enrichmentId: alert.id,
        state: "ready",
        endpoint: { channel: "email", to: "owner@example.com" }
      })
      expect(message!.content.title).toBe("Large payments: -€250.50 · Blue Heron Cafe")
      expect(message!.content.sections[0]!.rows.map(({ label, value }) => `${label}: ${value}`)).toContain(
        "Date: 19 Mar 2026"
      )
      expect(yield* told).toEqual(["alert.fired"])
    }).pipe(Effect.provide(services))
  )

  it.effect(
    "tells again only where the amount moved by more than a quarter, and once that it does not hold any more",
    () =>
      Effect.gen(function* () {
        const { messages, run, titles, told, write } = yield* arrange({ ...large, notifyResolved: true })
        yield* run()
        const one = yield* write("-200")
        yield* run()
        yield* write("-240", "2026-03-19", one)
        yield* run()
        yield* write("-320", "2026-03-19", one)
        yield* run()
        yield* write("-1", "2026-03-19", one)
        yield* run()
        yield* write("-2", "2026-03-19", one)
        yield* run()
        expect(yield* told).toEqual(["alert.fired", "alert.amended", "alert.retracted"])
        // Nothing was sent yet: what does not hold any more never will be.
        expect((yield* messages).map(({ state }) => state)).toEqual(["ready", "withdrawn"])
        yield* write("-500", "2026-03-19", one)
        yield* run()
        expect((yield* titles).at(-1)).toBe("Large payments: -€500.00 · Blue Heron Cafe")
      }).pipe(Effect.provide(services))
  )

  it.effect("takes back what people were told of a payment that is gone", () =>
    Effect.gen(function* () {
      const { messages, outbox, run, told, workspace, write } = yield* arrange()
      yield* run()
      const one = yield* write("-200")
      yield* run()
      const [first] = yield* messages
      yield* outbox.start(workspace.id, first!.id)
      yield* outbox.settle(workspace.id, first!.id, { state: "sent" })
      yield* write("-200", "2026-03-19", one, "removed")
      yield* run()
      expect(yield* told).toEqual(["alert.fired", "alert.retracted"])
      expect((yield* messages).map(({ content }) => content.title)).toEqual([
        "Large payments: -€200.00 · Blue Heron Cafe",
        "No longer so: Large payments: -€200.00 · Blue Heron Cafe"
      ])
    }).pipe(Effect.provide(services))
  )

  it.effect("begins anew with other conditions, and goes on with other recipients", () =>
    Effect.gen(function* () {
      const { alert, messages, run, write } = yield* arrange()
      yield* run()
      yield* write("-200")
      yield* run()
      const others: Enrichment = {
        ...alert,
        revision: 2,
        config: { ...large, destinations: recipients("new@example.com") } as never
      }
      yield* write("-300")
      yield* run([others])
      expect((yield* messages).map(({ endpoint }) => endpoint.to)).toEqual(["owner@example.com", "new@example.com"])
      const lower: Enrichment = { ...others, revision: 3, config: { ...large, conditions: over("5") } as never }
      yield* write("-50")
      yield* run([lower])
      expect(yield* messages).toHaveLength(2)
      yield* write("-60")
      yield* run([lower])
      expect(yield* messages).toHaveLength(3)
    }).pipe(Effect.provide(services))
  )

  it.effect("says nothing of old records, and the most of one run as one message", () =>
    Effect.gen(function* () {
      const { messages, run, titles, told, write } = yield* arrange({ ...large, perRunCap: 3, maxAgeDays: 10 })
      yield* run()
      yield* write("-900", "2026-03-09")
      yield* run()
      expect(yield* messages).toEqual([])
      for (const amount of ["-101", "-102", "-103", "-104"]) yield* write(amount, `2026-03-1${amount.at(-1)}`)
      yield* run()
      expect(yield* titles).toEqual([
        "Large payments: -€101.00 · Blue Heron Cafe",
        "Large payments: -€102.00 · Blue Heron Cafe",
        "Large payments: 2 more, together -€207.00"
      ])
      expect(yield* told).toHaveLength(4)
    }).pipe(Effect.provide(services))
  )

  it.effect("tells of each change where it is asked to, in the words it is given", () =>
    Effect.gen(function* () {
      const { run, titles, write } = yield* arrange({
        ...large,
        trigger: "everyChange",
        template: "{{ merchantName }} took {{amount}}"
      })
      yield* run()
      const one = yield* write("-200")
      yield* run()
      yield* write("-201", "2026-03-19", one)
      yield* run()
      yield* run()
      expect(yield* titles).toEqual(["Blue Heron Cafe took -200", "Changed: Blue Heron Cafe took -201"])
    }).pipe(Effect.provide(services))
  )

  it.effect("looks each day at conditions that move with it", () =>
    Effect.gen(function* () {
      const { run, told, write } = yield* arrange({
        conditions: { logic: "and", conditions: [{ field: "date", operator: "hasPassed" }] },
        destinations: recipients("owner@example.com")
      })
      yield* run()
      yield* write("-5", "2026-03-21")
      yield* run()
      expect(yield* told).toEqual([])
      yield* run(undefined, { today: CalendarDate.make("2026-03-21") })
      expect(yield* told).toEqual([])
      yield* run(undefined, { today: CalendarDate.make("2026-03-22") })
      yield* run(undefined, { today: CalendarDate.make("2026-03-23") })
      expect(yield* told).toEqual(["alert.fired"])
    }).pipe(Effect.provide(services))
  )

  it.effect("tells of events of other enrichments, once", () =>
    Effect.gen(function* () {
      const { alert, run, titles, workspace, write } = yield* arrange({
        source: "event",
        conditions: { logic: "and", conditions: [{ field: "event.type", operator: "equals", value: "month.over" }] },
        destinations: recipients("owner@example.com")
      })
      const sum = yield* makeEnrichment(workspace, { type: "month_sum", config: { limit: "50", field: "amount" } })
      yield* write("60", "2026-02-03")
      yield* run([alert, sum])
      expect(yield* titles).toEqual([])
      yield* write("70")
      yield* run([alert, sum])
      yield* write("80")
      yield* run([alert, sum])
      expect(yield* titles).toEqual(["Large payments: Month over"])
    }).pipe(Effect.provide(services))
  )
})

const check = (config: object) => {
  const kind = makeAlert({ patterns: provenPatterns })
  const decoded = decode(kind.Config, config)
  if (Result.isFailure(decoded)) return decoded.failure.map(({ field }) => field)
  return kind.check(decoded.success, catalogOf("transactions")).errors.map(({ field }) => field)
}

it.each([
  [{ ...large, destinations: [] }, "destinations"],
  [{ ...large, destinations: recipients("nobody") }, "destinations[0].recipients[0]"],
  [{ ...large, destinations: [{ type: "webhook", url: "ftp://hooks.example.com/" }] }, "destinations[0].url"],
  [{ ...large, cooldownMinutes: 10_081 }, "cooldownMinutes"],
  [{ ...large, maxAgeDays: 0 }, "maxAgeDays"],
  [{ ...large, template: "" }, "template"],
  [{ ...large, perRunCap: 0 }, "perRunCap"],
  [{ ...large, source: "event" }, "conditions.conditions[0].field"],
  [{ destinations: large.destinations }, "conditions"]
])("refuses %j by the name of its field", (config, field) => {
  expect(check(config)).toEqual([field])
})

/** What should be told: each time that a record of the last days begins to match, as an independent count has it. */
const history = (seed: number) =>
  Effect.gen(function* () {
    const random = new Seeded(seed)
    const { alert, messages, run, write } = yield* arrange()
    const past = Array.from({ length: random.below(5) }, () => random.pick(["-50", "-150", "-250"]))
    const live: Array<{ write: RecordWrite; amount: string }> = []
    for (const amount of past) live.push({ write: yield* write(amount), amount })
    yield* run()
    expect([seed, yield* messages]).toEqual([seed, []])
    /** Record -> times that it began to match since. */
    const expected = new Map<string, number>()
    const seen = new Map(live.map(({ amount, write: { id } }) => [id, Number(amount) < -100]))
    let begun = 0
    let looked = 0
    for (let step = 0; step < 8; step++) {
      for (let some = random.below(3); some > 0; some--) {
        const known = live.length > 0 && random.once(2) ? random.pick(live) : undefined
        const amount = random.pick(["-50", "-150", "-160"])
        const written = yield* write(amount, "2026-03-19", known?.write)
        if (known === undefined) live.push({ write: written, amount })
        else known.amount = amount
      }
      // The process dies at the beginning of the transaction, or the run is repeated.
      if (random.once(3)) yield* Effect.exit(run([alert], { guard: Effect.fail(new Broken()) }))
      yield* run()
      if (random.once(3)) yield* run()
      looked += live.length
      for (const {
        amount,
        write: { id }
      } of live) {
        const matches = Number(amount) < -100
        if (matches && seen.get(id) !== true) {
          expected.set(id, (expected.get(id) ?? 0) + 1)
          begun++
        }
        seen.set(id, matches)
      }
    }
    const sent = (yield* messages).filter(({ content }) => content.type === "alert.fired")
    const told = new Map<string, number>()
    for (const { content } of sent) {
      const subject = String(content.data["subject"])
      told.set(subject, (told.get(subject) ?? 0) + 1)
    }
    expect([seed, sent.length, [...told].toSorted()]).toEqual([seed, begun, [...expected].toSorted()])
    expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length)
    countCases(looked)
  }).pipe(Effect.provide(Layer.fresh(services)))

const { count: histories, first: from } = casesOf({ short: 60, long: 100_000 })
const first = from + Number(process.env["MILLRACE_SEED"] ?? (from > 0 ? 0 : Date.now() % 1_000_000))

it.effect(
  `tells each beginning once in ${histories} histories from seed ${first}`,
  () =>
    Effect.gen(function* () {
      for (let n = 0; n < histories; n++) yield* history(first + n)
    }),
  { timeout: 7_200_000 }
)
