/**
 * One real event stays one record through whole syncs, with its row and what people wrote on it. The same scenes
 * are played on every storage.
 */
import { makeEnrichment, makeUpload, ownerOf, storeFeed, storeTable } from "@millrace/testing/fixture"
import { NodeDigest } from "@millrace/adapters"
import type { Account } from "../../src/bank/Account.ts"
import type { Bank } from "../../src/bank/Bank.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { DeliveryStore } from "../../src/destination/DeliveryStore.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { Corrections } from "../../src/identity/Corrections.ts"
import type { LedgerRef } from "../../src/identity/IdentityLog.ts"
import { IdentityStore } from "../../src/identity/IdentityStore.ts"
import type { LedgerRecord } from "../../src/record/LedgerRecord.ts"
import { Rates } from "../../src/enrichment/kinds/Rates.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import * as Currency from "../../src/shared/Currency.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import { rateTable } from "../../src/shared/RateTable.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { wholeScan } from "../../src/table/RowScan.ts"
import { TableStore } from "../../src/table/TableStore.ts"
import { UploadStore } from "../../src/upload/UploadStore.ts"
import type { Workspace } from "../../src/workspace/Workspace.ts"
import type { Posting, TrueRow } from "@millrace/testing/fake"
import { ledgerOf } from "@millrace/verification/simulation/Checkers"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { describe, expect } from "vitest"

const aDay = 86_401

const cursors = Cursors.layer(Redacted.make("key")).pipe(Layer.provide(NodeDigest.layer))

/** One EUR is 1.1 USD in the month before a scene. */
const read = Effect.map(Clock.currentTimeMillis, (now) => {
  const today = CalendarDate.inZone(now, "UTC")
  const quotes = new Map([[Currency.make("USD"), Decimal.make("1.1")]])
  return rateTable(
    "v",
    Currency.make("EUR"),
    Array.from({ length: 30 }, (_, day) => ({ date: CalendarDate.addDays(today, -day), quotes }))
  )
})

export const sceneRates = Layer.succeed(Rates, { read })

/** What scenes are played on. */
export const serve = (simulation: Simulation) =>
  Corrections.layer.pipe(Layer.provide(cursors), Layer.provideMerge(simulation.layer), Layer.provide(sceneRates))

export type Scene = (
  title: string,
  body: (simulation: Simulation) => Effect.Effect<void, unknown, Layer.Success<ReturnType<typeof serve>>>
) => void

/** The scenes are written as if today were this day. */
const writtenOn = CalendarDate.make("2026-11-21")

const full = "snapshotfull-account"
const perStatus = `${full}-perstatus`
const stable = `${full}-stable`
const changes = "delta-connection-perstatus"

/** An account that a feed follows into a table in which people write. */
const opened = Effect.fnUntraced(function* (simulation: Simulation, instance: string, accountIds = ["a"]) {
  const provider = simulation.providers.find((one) => one.options.instance === instance)!
  const world = yield* connect(simulation, provider, accountIds)
  const account = world.accounts[0]!
  const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, "UTC")
  /** The day of the scene as it is when it is played. */
  const on = (date: string) => CalendarDate.addDays(CalendarDate.make(date), CalendarDate.daysBetween(writtenOn, today))
  const table = yield* storeTable(world.workspace, { fields: [] })
  const tables = yield* TableStore
  const feed = yield* storeFeed(world.workspace, {
    destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true },
    sourceConfig: { type: "sync", accounts: [{ bankId: world.bank.id, accountId: account.id }] },
    fieldMappings: mappings
  })
  const caller = ownerOf(world.workspace)
  const ref: LedgerRef = {
    bankId: world.bank.id,
    accountId: account.id,
    dataType: "transactions"
  }
  const rows = Effect.map(tables.rows(wholeScan(table.id)), (all) =>
    all.map(({ id, values }) => ({
      row: id,
      record: values["id"],
      text: values["description"],
      amount: values["amount"]
    }))
  )
  const ledger = Effect.map(ledgerOf(account), (all) => all.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  return {
    ...world,
    caller,
    account,
    feed,
    ref,
    rows,
    ledger,
    on,
    live: Effect.map(ledger, (all) => all.filter(({ state }) => state === "live")),
    sync: (change: Parameters<typeof drive>[2] = {}) => Effect.map(drive(simulation, feed, change), ({ job }) => job),
    post: (description: string, amount: string, date: string, pending = false) =>
      world.upstream.post({ account: "a", date: on(date), amount, description, pending }),
    /** A person writes another text into the row of a record. */
    edit: Effect.fnUntraced(function* (record: Pick<LedgerRecord, "id">, text: string) {
      const [row] = yield* tables.rowsByKey(table.id, [`transactions:${record.id}`])
      const edited = { ...row!, values: { ...row!.values, description: text }, held: ["description"], version: 9 }
      yield* tables.putRows(table.id, [{ row: edited, folded: {}, entries: [] }], 0)
    })
  }
})

/** A feed of files over an account of a connection: uploads a CSV of some rows, and runs it. */
const filesOf = Effect.fnUntraced(function* (
  simulation: Simulation,
  workspace: Workspace,
  bank: Bank,
  account: Account
) {
  const files = yield* storeFeed(workspace, {
    source: "upload",
    sourceConfig: { type: "upload", accountId: account.id },
    destinationConfig: { type: "file", path: `${bank.id}.csv`, format: "csv" },
    fieldMappings: mappings
  })
  return Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
    const bytes = new TextEncoder().encode(["Date;Description;Amount;Currency", ...lines, ""].join("\n"))
    yield* (yield* UploadStore).insert(yield* makeUpload(files, { size: bytes.length }), bytes)
    return yield* Effect.map(drive(simulation, files), ({ job }) => job)
  })
})

const skipDedup = { change: { options: { forceCancelActive: false, resetCursors: false, skipDedup: true } } }

export const playAll = (scene: Scene): void => {
  settling(scene)
  lasting(scene)
  deciding(scene)
  sharing(scene)
  trusting(scene)
}

const settling = (scene: Scene) =>
  describe("a pending transaction that settles", () => {
    const ways: ReadonlyArray<
      readonly [string, string, { readonly link: boolean; readonly text?: string; readonly amount?: string }]
    > = [
      ["linked by the bank", perStatus, { link: true, text: "LAMP SHOP BERLIN", amount: "-49.56" }],
      ["without a link", perStatus, { link: false, text: "LAMP SHOP BERLIN" }],
      ["without a link, in a change feed", changes, { link: false, text: "LAMP SHOP BERLIN" }],
      ["with a tip", perStatus, { link: false, text: "LAMP SHOP BERLIN", amount: "-49.56" }],
      ["after a hold", perStatus, { link: false, amount: "-71.3" }],
      ["where no row has an id", `${full}-none`, { link: false, text: "LAMP SHOP BERLIN" }]
    ]
    for (const [way, instance, { amount, link, text }] of ways) {
      scene(`${way}: stays one record, one row and what a person wrote on it`, (simulation) =>
        Effect.gen(function* () {
          const { edit, ledger, live, on, post, rows, sync, upstream } = yield* opened(simulation, instance)
          const held = way === "after a hold" ? "-50" : "-42"
          const pending = post("LAMP SHOP", held, "2026-11-18", true)
          post("DESK STORE", "-120", "2026-11-17")
          yield* sync()
          const before = (yield* ledger).find((record) => record.pending)!
          const row = (yield* rows).find(({ record }) => record === before.id)
          yield* edit(before, "Light for the desk")
          yield* simulation.pass(aDay)
          const change: Partial<Posting> = {
            date: on("2026-11-20"),
            ...(text === undefined ? {} : { description: text }),
            ...(amount === undefined ? {} : { amount })
          }
          upstream.settle(pending, { newId: true, link, change })
          const job = yield* sync()
          expect([job.status, job.errors]).toEqual(["completed", []])
          const after = yield* live
          expect(after).toHaveLength(2)
          expect(after.find(({ id }) => id === before.id)).toMatchObject({
            pending: false,
            date: on("2026-11-20"),
            fields: { amount: amount ?? held, authorizedDate: on("2026-11-18") }
          })
          expect(yield* rows).toContainEqual({
            row: row!.row,
            record: before.id,
            text: "Light for the desk",
            amount: amount ?? held
          })
          expect(yield* rows).toHaveLength(2)
          yield* simulation.pass(aDay)
          yield* sync()
          yield* simulation.pass(aDay)
          yield* sync()
          expect((yield* live).map(({ id }) => id)).toEqual(after.map(({ id }) => id))
        })
      )
    }

    for (const currency of ["EUR", "GBP"]) {
      const isRated = currency === "EUR"
      const title = isRated ? "by a stored rate: stays" : "without a stored rate: becomes, once a person says so,"
      scene(`in another currency, ${title} one record with what a person wrote on it`, (simulation) =>
        Effect.gen(function* () {
          const { caller, edit, ledger, live, on, ref, rows, sync, upstream } = yield* opened(simulation, perStatus)
          const { accept, suggestions } = yield* Corrections
          const waiting = upstream.post({
            account: "a",
            date: on("2026-11-18"),
            amount: "-40",
            description: "LAMP SHOP",
            pending: true,
            currency
          })
          yield* sync()
          const [before] = yield* ledger
          yield* edit(before!, "Light for the desk")
          yield* simulation.pass(aDay)
          upstream.settle(waiting, {
            newId: true,
            link: false,
            change: { date: on("2026-11-20"), amount: "-44.62", currency: "USD" }
          })
          yield* sync()
          const open = (yield* suggestions(caller, ref, { state: "open" })).rows
          expect(open).toHaveLength(isRated ? 0 : 1)
          for (const { suggestion } of open) yield* accept(caller, ref, suggestion.id)
          yield* sync()
          expect(yield* live).toMatchObject([
            { id: before!.id, pending: false, fields: { amount: "-44.62", currency: "USD" } }
          ])
          expect(yield* rows).toMatchObject([{ record: before!.id, text: "Light for the desk", amount: "-44.62" }])
        })
      )
    }

    scene("is looked for as an enrichment says, until that one is switched off", (simulation) =>
      Effect.gen(function* () {
        const { live, post, sync, upstream, workspace } = yield* opened(simulation, perStatus)
        const store = yield* EnrichmentStore
        const events = yield* EventStore
        const strict = yield* makeEnrichment(workspace, { type: "dedupe", config: { dropAfterMissing: 1 } })
        const lenient = { type: "dedupe", order: 7, config: { dropAfterMissing: 5 } } as const
        yield* store.insert(yield* makeEnrichment(workspace, lenient))
        yield* store.insert(strict)
        post("TRAM", "-3", "2026-11-17")
        const gone = post("LAMP SHOP", "-48.12", "2026-11-18", true)
        yield* sync()
        upstream.remove(gone)
        yield* sync()
        expect((yield* live).map(({ fields }) => fields["description"])).toEqual(["TRAM"])
        const told = (yield* events.read(workspace.id, 0, 100)).filter(({ type }) => type === "record.dropped")
        expect(told.map(({ data }) => data)).toMatchObject([{ count: 1, dataType: "transactions" }])

        yield* store.update({ ...strict, enabled: false, version: 2, revision: 2 })
        const other = post("BOOK SHOP", "-20", "2026-11-18", true)
        yield* sync()
        upstream.remove(other)
        for (let n = 0; n < 4; n++) {
          yield* sync()
          expect(yield* live).toHaveLength(2)
        }
        yield* sync()
        expect(yield* live).toHaveLength(1)
      })
    )

    for (const instance of [perStatus, changes]) {
      scene(`and is shown beside its booked form for a day (${instance}): what a person wrote follows`, (simulation) =>
        Effect.gen(function* () {
          const { caller, edit, ledger, live, on, post, ref, rows, sync, upstream } = yield* opened(
            simulation,
            instance
          )
          const { matches, undo } = yield* Corrections
          const waiting = post("LAMP SHOP", "-48.12", "2026-11-18", true)
          yield* sync()
          const [before] = yield* ledger
          const [row] = yield* rows
          yield* edit(before!, "Light for the desk")
          yield* simulation.pass(aDay)
          const booked = post("LAMP SHOP BERLIN", "-48.12", "2026-11-19")
          yield* sync()
          expect(yield* rows).toHaveLength(2)
          yield* simulation.pass(aDay)
          upstream.remove(waiting)
          const job = yield* sync()
          expect([job.status, job.errors]).toEqual(["completed", []])
          expect(yield* live).toMatchObject([
            {
              id: before!.id,
              providerId: booked.providerId,
              pending: false,
              date: on("2026-11-19"),
              fields: { description: "LAMP SHOP BERLIN", authorizedDate: on("2026-11-18") }
            }
          ])
          const settled = [{ row: row!.row, record: before!.id, text: "Light for the desk", amount: "-48.12" }]
          expect(yield* rows).toEqual(settled)
          yield* simulation.pass(aDay)
          yield* sync()
          yield* simulation.pass(aDay)
          yield* sync()
          expect(yield* rows).toEqual(settled)

          const [made] = (yield* matches(caller, ref, { recordId: before!.id })).rows
          yield* undo(caller, ref, made!.match.id)
          yield* sync()
          expect((yield* live).map(({ id }) => id)).toContain(made!.match.separateId)
        })
      )
    }

    scene("under another name, at a price that repeats: is learnt, and unlearnt by who takes it back", (simulation) =>
      Effect.gen(function* () {
        const { caller, account, ledger, live, post, ref, sync, upstream } = yield* opened(simulation, perStatus)
        const { matches, undo } = yield* Corrections
        const { recall } = yield* IdentityStore
        const scope = { workspaceId: account.workspaceId, accountId: account.id, dataType: "transactions" } as const
        const days = ["2026-11-10", "2026-11-12", "2026-11-14", "2026-11-16"]
        post("MTA*NYCT PAYGO", "-2.75", "2026-11-08")
        for (const day of days) post("METRO TRANSIT", "-2.75", day, true)
        yield* sync()
        const waiting = (yield* ledger).filter(({ pending }) => pending)
        const kept: Array<boolean> = []
        for (const { id, providerId } of waiting) {
          yield* simulation.pass(aDay)
          const row = [...upstream.rows.values()].find((one) => one.providerId === providerId)!
          const booked = upstream.settle(row, {
            newId: true,
            link: false,
            change: { description: "MTA*NYCT PAYGO" }
          })
          yield* sync()
          kept.push((yield* live).find((record) => record.providerId === booked.providerId)!.id === id)
        }
        expect(kept).toEqual([false, false, true, true])
        expect((yield* recall(scope)).learnt).toEqual([
          { pending: "metro transit", booked: "mta nyct paygo", score: 2 }
        ])
        const [made] = (yield* matches(caller, ref, { state: "made" })).rows
        yield* undo(caller, ref, made!.match.id)
        expect((yield* recall(scope)).learnt).toMatchObject([{ score: -4 }])
      })
    )

    scene("in two parts: a person's note is on the larger one, and moves to the other when they say so", (simulation) =>
      Effect.gen(function* () {
        const { caller, edit, ledger, live, post, ref, rows, sync, upstream } = yield* opened(simulation, perStatus)
        const { accept, suggestions } = yield* Corrections
        const waiting = post("ONLINE STORE", "-90", "2026-11-18", true)
        yield* sync()
        const [before] = yield* ledger
        yield* edit(before!, "Chairs")
        yield* simulation.pass(aDay)
        upstream.settle(waiting, { newId: true, link: false, change: { amount: "-30" } })
        post("ONLINE STORE", "-60", "2026-11-18")
        yield* sync()
        const amounts = Effect.map(live, (all) => all.map(({ fields }) => fields["amount"]).toSorted())
        expect(yield* amounts).toEqual(["-30", "-60"])
        expect(yield* rows).toContainEqual(
          expect.objectContaining({ record: before!.id, text: "Chairs", amount: "-60" })
        )
        const [open] = (yield* suggestions(caller, ref, { state: "open" })).rows
        expect(open).toMatchObject({ suggestion: { recordId: before!.id }, observed: { amount: "-30" } })

        yield* accept(caller, ref, open!.suggestion.id)
        yield* sync()
        expect(yield* amounts).toEqual(["-30", "-60"])
        expect(yield* rows).toContainEqual(
          expect.objectContaining({ record: before!.id, text: "Chairs", amount: "-30" })
        )
        yield* simulation.pass(aDay)
        yield* sync()
        expect(yield* rows).toHaveLength(2)
        expect(yield* amounts).toEqual(["-30", "-60"])
      })
    )

    scene("into one of two, too unsure to decide: asks, and an answer moves what a person wrote", (simulation) =>
      Effect.gen(function* () {
        const { caller, edit, ledger, live, on, post, ref, rows, sync, upstream } = yield* opened(simulation, perStatus)
        const { accept, matches, suggestions, undo } = yield* Corrections
        const one = post("BISTRO LUNE", "-42", "2026-11-13", true)
        const two = post("BISTRO LUNE", "-42", "2026-11-14", true)
        yield* sync()
        const edited = (yield* ledger).find(({ providerId }) => providerId === one.providerId)!
        yield* edit(edited, "Client dinner")
        yield* simulation.pass(aDay)
        const settle = (row: TrueRow, change: Partial<Posting>) =>
          upstream.settle(row, { newId: true, link: false, change })
        const tipped = settle(one, {
          amount: "-49.56",
          description: "BISTRO LUNE BERLIN",
          date: on("2026-11-14")
        })
        settle(two, { date: on("2026-11-16"), description: "BISTRO LUNE BERLIN" })
        yield* sync()
        expect((yield* live).map(({ fields }) => fields["amount"]).toSorted()).toEqual(["-42", "-49.56"])
        const [open] = (yield* suggestions(caller, ref, { state: "open" })).rows
        expect(open).toMatchObject({ suggestion: { recordId: edited.id }, observed: { amount: "-49.56" } })
        expect((yield* rows).map(({ text }) => text)).not.toContain("Client dinner")

        yield* accept(caller, ref, open!.suggestion.id)
        yield* sync()
        const joined = (yield* live).find(({ id }) => id === edited.id)
        expect(joined).toMatchObject({ providerId: tipped.providerId, fields: { amount: "-49.56" } })
        expect(yield* live).toHaveLength(2)
        const shown = yield* rows
        expect(shown).toHaveLength(2)
        expect(shown.find(({ record }) => record === edited.id)).toMatchObject({
          text: "Client dinner",
          amount: "-49.56"
        })
        yield* simulation.pass(aDay)
        yield* sync()
        expect(yield* rows).toEqual(shown)

        const made = (yield* matches(caller, ref, { recordId: edited.id, state: "made" })).rows[0]!
        yield* undo(caller, ref, made.match.id)
        yield* sync()
        expect((yield* live).map(({ id }) => id)).toContain(made.match.separateId)
        expect((yield* live).map(({ id }) => id)).not.toContain(edited.id)
      })
    )
  })

const lasting = (scene: Scene) =>
  describe("a record", () => {
    scene("that vanished while it was pending comes back with what a person wrote on it", (simulation) =>
      Effect.gen(function* () {
        const { edit, ledger, post, rows, sync, upstream } = yield* opened(simulation, perStatus)
        const row = post("LAMP SHOP", "-42", "2026-11-19", true)
        yield* sync()
        const [before] = yield* ledger
        yield* edit(before!, "Light")
        upstream.remove(row)
        yield* sync()
        yield* sync()
        expect([(yield* ledger).map(({ state }) => state), yield* rows]).toEqual([["removed"], []])
        yield* simulation.pass(aDay)
        post("LAMP SHOP", "-42", "2026-11-19", true)
        yield* sync()
        expect((yield* ledger).map(({ id, state }) => [id, state])).toEqual([[before!.id, "live"]])
        expect(yield* rows).toMatchObject([{ record: before!.id, text: "Light" }])
      })
    )

    scene("stays as it is when the bank gives all rows other ids, and nobody hears of it", (simulation) =>
      Effect.gen(function* () {
        const { caller, account, ledger, post, ref, rows, sync, upstream } = yield* opened(simulation, stable)
        for (let n = 1; n <= 6; n++) post(`SHOP ${n}`, `-${n}.5`, `2026-11-0${n}`)
        // Two real twins stay two.
        post("SHOP 6", "-6.5", "2026-11-06")
        yield* sync()
        const before = yield* ledger
        const delivered = yield* rows
        upstream.renumber()
        const job = yield* sync()
        expect(job.counts).toMatchObject({ created: 0, updated: 0, removed: 0 })
        const after = yield* ledger
        expect(after.map(({ changeNo, id, version }) => [id, changeNo, version])).toEqual(
          before.map(({ changeNo, id, version }) => [id, changeNo, version])
        )
        expect(new Set(after.map(({ providerId }) => providerId))).toEqual(
          new Set([...upstream.rows.values()].map(({ providerId }) => providerId))
        )
        expect(yield* rows).toEqual(delivered)
        const old = before.map(({ providerId }) => providerId)
        const aliases = yield* (yield* IdentityStore).aliases(
          { workspaceId: account.workspaceId, accountId: account.id, dataType: "transactions" },
          old
        )
        expect([...aliases.keys()].toSorted()).toEqual(old.toSorted())
        // What only had another id was no match that somebody would want to undo.
        expect((yield* (yield* Corrections).matches(caller, ref, {})).rows).toEqual([])
      })
    )

    for (const instance of [stable, changes]) {
      scene(`and its account survive a reconnect that gives both other ids (${instance})`, (simulation) =>
        Effect.gen(function* () {
          const { bank, edit, ledger, live, post, rows, sync, upstream } = yield* opened(simulation, instance, [
            "a",
            "b"
          ])
          post("LAMP SHOP", "-42", "2026-11-10")
          post("DESK STORE", "-7", "2026-11-12")
          yield* sync()
          const before = yield* ledger
          yield* edit(before[0]!, "Light")
          const delivered = yield* rows
          const accounts = yield* (yield* BankStore).accounts(bank.id)
          upstream.reconnect()
          yield* sync()
          yield* simulation.pass(aDay)
          yield* sync()
          yield* simulation.pass(aDay)
          yield* sync()
          const again = yield* (yield* BankStore).accounts(bank.id)
          expect(again.map(({ id, state }) => [id, state])).toEqual(accounts.map(({ id }) => [id, "open"]))
          expect(again.map(({ providerAccountId }) => providerAccountId)).toEqual(["a-2", "b-2"])
          expect((yield* live).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
          expect(yield* rows).toEqual(delivered)
        })
      )
    }

    scene("is not believed to be gone by a read that lists other accounts than the one before", (simulation) =>
      Effect.gen(function* () {
        const { live, post, sync, upstream } = yield* opened(simulation, perStatus, ["a", "b"])
        const row = post("LAMP SHOP", "-42", "2026-11-19", true)
        yield* sync()
        upstream.remove(row)
        upstream.unlisted.add("b")
        yield* sync()
        yield* sync()
        // One read less is believed.
        expect(yield* live).toHaveLength(1)
        yield* sync()
        expect(yield* live).toHaveLength(0)
      })
    )

    scene("of a connection is not doubled by a statement file, whichever came first", (simulation) =>
      Effect.gen(function* () {
        const { caller, account, bank, live, on, post, ref, rows, sync, upstream, workspace } = yield* opened(
          simulation,
          stable
        )
        post("LAMP SHOP BERLIN", "-42", "2026-11-10")
        post("COFFEE CORNER", "-4.5", "2026-11-11")
        post("COFFEE CORNER", "-4.5", "2026-11-11")
        yield* sync()
        const upload = yield* filesOf(simulation, workspace, bank, account)
        const before = yield* live
        const delivered = yield* rows
        const statement = [
          `${on("2026-11-08")};Before the connection;-9.00;USD`,
          `${on("2026-11-11")};Lamp Shop Berlin card 1234;-42.00;USD`,
          `${on("2026-11-11")};Coffee Corner;-4.50;USD`,
          `${on("2026-11-11")};Coffee Corner;-4.50;USD`
        ]
        expect((yield* upload(statement)).errors).toEqual([])
        const after = yield* live
        expect(after).toHaveLength(4)
        for (const record of before) expect(after).toContainEqual(record)
        yield* upload([...statement, `${on("2026-11-12")};Later than the connection;-1.00;USD`])
        expect(yield* live).toHaveLength(5)
        yield* upload(statement)
        expect(yield* live).toHaveLength(5)
        // What the file said first, the bank says later.
        post("LATER THAN THE CONNECTION", "-1", "2026-11-13")
        yield* sync()
        expect(yield* live).toHaveLength(5)
        yield* sync()
        expect(yield* rows).toHaveLength(5)
        expect((yield* rows).slice(0, 3)).toEqual(delivered)

        // A person knows better of one of them.
        const { matches, undo } = yield* Corrections
        const made = (yield* matches(caller, ref, {})).rows
        const lamp = made.find(({ before: shown }) => shown["description"] === "LAMP SHOP BERLIN")!
        expect(lamp.match.secondSource).toBe(true)
        yield* undo(caller, ref, lamp.match.id)
        expect(yield* live).toHaveLength(6)
        yield* upload(statement)
        yield* sync()
        expect(yield* live).toHaveLength(6)
        expect((yield* live).filter(({ fields }) => fields["amount"] === "-42")).toHaveLength(2)
        expect(upstream.rows.size).toBe(4)
      })
    )

    scene("of a connection has one row with a file that writes it in other words, whichever came first", (simulation) =>
      Effect.gen(function* () {
        const { caller, account, bank, live, on, post, ref, rows, sync, workspace } = yield* opened(simulation, stable)
        const upload = yield* filesOf(simulation, workspace, bank, account)
        post("CITY GYM #5391", "-49", "2026-11-10")
        post("LAMP SHOP", "-42", "2026-11-12")
        yield* sync()
        const before = yield* live
        const statement = [
          `${on("2026-11-10")};ABC FIT;-49.00;USD`,
          `${on("2026-11-12")};Leuchtenhaus;-42.00;USD`,
          `${on("2026-11-15")};Pizza Roma;-12.50;USD`
        ]
        expect((yield* upload(statement)).errors).toEqual([])
        for (const record of before) expect(yield* live).toContainEqual(record)
        expect(yield* live).toHaveLength(3)
        post("SLICE & CO", "-12.5", "2026-11-15")
        yield* sync()
        expect((yield* live).map(({ fields }) => fields["description"]).toSorted()).toEqual([
          "CITY GYM #5391",
          "LAMP SHOP",
          "SLICE & CO"
        ])
        expect(yield* rows).toHaveLength(3)

        // A person knows better, and no later file says otherwise.
        const { matches, undo } = yield* Corrections
        const gym = (yield* matches(caller, ref, {})).rows.find(
          ({ before: was }) => was["description"] === "CITY GYM #5391"
        )!
        yield* undo(caller, ref, gym.match.id)
        expect(yield* live).toHaveLength(4)
        yield* upload([...statement, `${on("2026-11-16")};Kiosk;-1.00;USD`])
        yield* sync()
        expect((yield* live).filter(({ fields }) => fields["amount"] === "-49")).toHaveLength(2)
        expect(yield* live).toHaveLength(5)
      })
    )

    scene("made without comparing stays apart until a person joins it", (simulation) =>
      Effect.gen(function* () {
        const { live, post, sync, upstream } = yield* opened(simulation, perStatus)
        const pending = post("LAMP SHOP", "-42", "2026-11-18", true)
        yield* sync(skipDedup)
        const [before] = yield* live
        upstream.settle(pending, { newId: true, link: false })
        yield* sync()
        // The booked row explains that the pending one is gone, but it is another record.
        const after = yield* live
        expect(after).toMatchObject([{ pending: false }])
        expect(after[0]!.id).not.toBe(before!.id)
      })
    )
  })

const deciding = (scene: Scene) =>
  describe("what a person decided", () => {
    scene("is not undone by later syncs: what was parted stays parted", (simulation) =>
      Effect.gen(function* () {
        const { caller, ledger, live, post, ref, rows, sync, upstream } = yield* opened(simulation, perStatus)
        const { matches, redo, undo } = yield* Corrections
        const pending = post("LAMP SHOP", "-42", "2026-11-18", true)
        yield* sync()
        const [before] = yield* ledger
        // The bank says so, and is wrong.
        upstream.settle(pending, { newId: true, link: true, change: { description: "DESK STORE", amount: "-9" } })
        yield* sync()
        const [view] = (yield* matches(caller, ref, {})).rows
        expect(view).toMatchObject({ match: { recordId: before!.id, evidence: { tier: "link" } } })
        const separateId = (yield* undo(caller, ref, view!.match.id)).match.separateId!
        yield* sync()
        expect((yield* live).map(({ fields, id }) => [id, fields["amount"]])).toEqual([
          [before!.id, "-42"],
          [separateId, "-9"]
        ])
        expect((yield* rows).map(({ record, text }) => [record, text])).toEqual([
          [before!.id, "LAMP SHOP"],
          [separateId, "DESK STORE"]
        ])
        for (let n = 0; n < 3; n++) {
          yield* simulation.pass(aDay)
          yield* sync()
        }
        // What was pending was shown no more.
        expect((yield* live).map(({ id }) => id)).toEqual([separateId])
        yield* redo(caller, ref, view!.match.id)
        yield* simulation.pass(aDay)
        yield* sync()
        expect((yield* live).map(({ fields, id }) => [id, fields["amount"]])).toEqual([[before!.id, "-9"]])
        expect((yield* rows).map(({ record }) => record)).toEqual([before!.id])
      })
    )

    for (const instance of [perStatus, `${full}-none`, `${full}-positional`, changes]) {
      scene(`to be none never comes back by itself, in whatever form (${instance})`, (simulation) =>
        Effect.gen(function* () {
          const { caller, ledger, live, post, ref, rows, sync, upstream } = yield* opened(simulation, instance)
          const { remove, restore } = yield* Corrections
          const pending = post("LAMP SHOP", "-42", "2026-11-18", true)
          post("DESK STORE", "-7", "2026-11-17")
          yield* sync()
          const record = (yield* ledger).find((one) => one.pending)!
          yield* remove(caller, ref, record.id)
          yield* sync()
          expect((yield* rows).map(({ text }) => text)).toEqual(["DESK STORE"])
          const settled = upstream.settle(pending, {
            newId: true,
            link: false,
            change: { description: "LAMP SHOP BERLIN" }
          })
          yield* sync()
          expect((yield* live).map(({ fields }) => fields["description"])).toEqual(["DESK STORE"])
          const { changeNo } = (yield* ledger).find(({ id }) => id === record.id)!
          yield* simulation.pass(aDay)
          yield* sync()
          expect((yield* ledger).find(({ id }) => id === record.id)).toMatchObject({ state: "deleted", changeNo })
          upstream.change(settled, { description: "LAMP SHOP BERLIN 1" })
          yield* sync()
          expect(yield* live).toHaveLength(1)
          // Taken back, it is what the bank says now.
          yield* restore(caller, ref, record.id)
          yield* sync()
          expect((yield* rows).map(({ record: id, text }) => [id, text])).toContainEqual([
            record.id,
            "LAMP SHOP BERLIN 1"
          ])
          expect(yield* live).toHaveLength(2)
        })
      )
    }

    scene("to be there stays although the bank no longer shows it", (simulation) =>
      Effect.gen(function* () {
        const { caller, ledger, live, post, ref, rows, sync, upstream } = yield* opened(simulation, stable)
        post("CHAIR STORE", "-9", "2026-11-08")
        const row = post("LAMP SHOP", "-42", "2026-11-10")
        post("DESK STORE", "-7", "2026-11-12")
        yield* sync()
        const record = (yield* ledger).find(({ providerId }) => providerId === row.providerId)!
        upstream.remove(row)
        for (let n = 0; n < 3; n++) {
          yield* sync()
          yield* simulation.pass(aDay)
        }
        expect(yield* live).toHaveLength(2)
        yield* (yield* Corrections).restore(caller, ref, record.id)
        for (let n = 0; n < 3; n++) {
          yield* sync()
          yield* simulation.pass(aDay)
        }
        expect((yield* live).map(({ id }) => id)).toContain(record.id)
        expect((yield* rows).map(({ record: id }) => id)).toContain(record.id)
      })
    )
  })

const sharing = (scene: Scene) =>
  describe("two feeds that write one table", () => {
    scene("have the same row for a record, with what a person wrote on it, and each knows where it is", (simulation) =>
      Effect.gen(function* () {
        const { bank, account, edit, feed, live, post, rows, sync, workspace } = yield* opened(simulation, stable)
        for (const [n, name] of ["LAMP SHOP", "DESK STORE", "CHAIR MARKET"].entries()) {
          post(name, `-${n + 1}1.5`, `2026-11-0${n + 1}`)
        }
        yield* sync()
        yield* edit((yield* live)[1]!, "Where I work")
        const before = yield* rows
        const second = yield* storeFeed(workspace, {
          destinationConfig: feed.destinationConfig!,
          sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: account.id }] },
          fieldMappings: mappings
        })
        post("CARPET HOUSE", "-41.5", "2026-11-05")
        const { job } = yield* drive(simulation, second)
        expect([job.status, job.errors, job.counts]).toMatchObject(["completed", [], { created: 4, failed: 0 }])
        const after = yield* rows
        expect(after).toHaveLength(4)
        expect(after).toEqual(expect.arrayContaining(before))
        const rowOf = new Map(after.map(({ record, row }) => [record, row as string]))
        const kept = yield* (yield* DeliveryStore).list(second.id, { limit: 10 })
        expect(kept.map(({ recordId, remoteRef, state, version }) => [recordId, remoteRef, state, version])).toEqual(
          kept.map(({ recordId }) => [recordId, rowOf.get(recordId), "done", 1])
        )
        expect(kept).toHaveLength(4)
      })
    )
  })

const trusting = (scene: Scene) =>
  describe("upstream ids", () => {
    scene("that turn out to mean other events are not believed any more, until a reset", (simulation) =>
      Effect.gen(function* () {
        const { account, live, post, sync, upstream } = yield* opened(simulation, stable)
        const names = ["LAMP SHOP", "DESK STORE", "CHAIR MARKET", "CARPET HOUSE", "CLOCK MAKER"]
        const rows = names.map((name, n) => post(name, `-${n + 1}1.5`, `2026-11-0${n + 1}`))
        yield* sync()
        const ids = (yield* live).map(({ id }) => id)
        // Each row is shown under the id of its neighbour.
        for (const [n, row] of rows.entries()) {
          upstream.rows.set(row.line, { ...row, providerId: rows[(n + 1) % rows.length]!.providerId })
        }
        const job = yield* sync()
        expect(job.errors).toMatchObject([{ severity: "warning", code: "ID_UNTRUSTED" }])
        expect(yield* live).toHaveLength(5)
        expect((yield* live).map(({ id }) => id)).toEqual(ids)
        const scope = { workspaceId: account.workspaceId, accountId: account.id, dataType: "transactions" } as const
        const identity = yield* IdentityStore
        expect((yield* identity.recall(scope)).trust.demoted).toBe(true)
        expect((yield* sync()).errors).toEqual([])
        const options = { forceCancelActive: false, resetCursors: true, skipDedup: false }
        yield* sync({ change: { mode: "full", options } })
        expect((yield* identity.recall(scope)).trust.demoted).toBe(false)
        expect((yield* live).map(({ id }) => id)).toEqual(ids)
      })
    )
  })
