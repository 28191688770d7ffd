import { describe, expect } from "@effect/vitest"
import { makeUser, storeFeed, storeTable } from "@millrace/testing/fixture"
import { rowsOf } from "@millrace/verification/quality/undo/TableText"
import { connect, drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import { asOwner } from "../../src/access/Caller.ts"
import { Explanations } from "../../src/explain/Explanations.ts"
import { Undo } from "../../src/explain/Undo.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { enrichmentOf } from "../sync/FilteredScenes.ts"
import { scene, simulated } from "./ExplainScenes.ts"

/** Two accounts of a bank in one feed, with a transfer between them; `rows`: what it delivers, as text. */
const transferring = Effect.fnUntraced(function* (simulation: Simulation) {
  const provider = simulation.providers.find(({ options }) => options.instance === "delta-connection-stable")!
  const world = yield* connect(simulation, provider, ["a", "b"])
  const { accounts, bank, upstream, workspace } = world
  const table = yield* storeTable(workspace, { fields: [] })
  const feed = yield* storeFeed(workspace, {
    destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true },
    sourceConfig: { type: "sync", accounts: accounts.map(({ id }) => ({ bankId: bank.id, accountId: id })) },
    fieldMappings: ["description", "category"].map((name) => ({ sourceField: name, destinationField: name }))
  })
  const today = CalendarDate.make(new Date(simulation.clock.now).toISOString().slice(0, 10))
  const post = (account: string, amount: string, description: string, daysAgo: number) =>
    upstream.post({ account, date: CalendarDate.addDays(today, -daysAgo), amount, description, pending: false })
  post("a", "-1240.55", "TRANSFER TO SAVER", 4)
  post("b", "1240.55", "TRANSFER FROM EVERYDAY", 4)
  post("a", "-4.8", "GREEN TEA HOUSE", 3)
  const rows = rowsOf(table)
  const records = yield* RecordStore
  const idOf = Effect.fnUntraced(function* (description: string) {
    for (const { id: accountId } of accounts) {
      const scope = { workspaceId: workspace.id, accountId, dataType: "transactions" } as const
      const all = yield* records.changes(scope, { after: 0, upTo: 1_000_000, limit: 100 })
      const found = all.find(({ fields }) => fields["description"] === description)
      if (found !== undefined) return found.id
    }
    return expect.fail(`no ${description}`)
  })
  const caller = asOwner(workspace, yield* makeUser())
  const linksOf = Effect.fnUntraced(function* (description: string) {
    return (yield* (yield* Explanations).explain(caller, yield* idOf(description))).links
  })
  return { workspace, post, rows, idOf, linksOf, caller, run: drive(simulation, feed) }
})

const transfers = (rows: ReadonlyArray<string>) => rows.filter((row) => row.includes("category=Transfer")).length

describe("undo of a link", () => {
  scene("takes a transfer apart until it may be made again, whatever is synced in between", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, linksOf, post, rows, run, workspace } = yield* transferring(simulation)
      yield* run
      const provided = yield* rows
      yield* enrichmentOf(workspace, "transfer_match", { setCategory: "Transfer" })
      yield* run
      const linked = yield* rows
      expect(transfers(linked)).toBe(2)
      const [link] = yield* linksOf("TRANSFER TO SAVER")
      const linkId = link!.id
      const ids = [yield* idOf("TRANSFER TO SAVER"), yield* idOf("TRANSFER FROM EVERYDAY")] as const
      const { undo } = yield* Undo
      const { facts } = yield* undo(caller, ids[1], { linkId })
      expect(facts).toHaveLength(1)
      expect(facts[0]).toMatchObject({ kind: "forbid", enrichmentId: link!.enrichmentId })
      expect([facts[0]!.recordId, facts[0]!.otherId].toSorted()).toEqual(ids.toSorted())
      expect((yield* undo(caller, ids[0], { linkId })).facts).toEqual([])
      yield* run
      expect(yield* rows).toEqual(provided)
      post("a", "-9.9", "BLUE HERON CAFE", 2)
      yield* run
      expect(transfers(yield* rows)).toBe(0)
      expect((yield* undo(caller, ids[1], { linkId })).facts).toEqual([])
      // The records are free for others.
      post("b", "1240.55", "TRANSFER FROM EVERYDAY 2", 3)
      yield* run
      expect(transfers(yield* rows)).toBe(2)
      const [other] = yield* linksOf("TRANSFER FROM EVERYDAY 2")
      yield* undo(caller, ids[0], { linkId: other!.id })
      yield* run
      expect(transfers(yield* rows)).toBe(0)
      expect((yield* undo(caller, ids[0], { linkId, redo: true })).facts).toEqual(facts)
      yield* run
      expect((yield* linksOf("TRANSFER FROM EVERYDAY")).map(({ id }) => id)).toEqual([linkId])
      expect((yield* rows).filter((row) => linked.includes(row))).toEqual(linked)
    })
  )

  scene("takes a fee from its cause, and leaves both what they are", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, linksOf, post, run, workspace } = yield* transferring(simulation)
      post("a", "-62.35", "HOTEL LUNE BERLIN", 4)
      post("a", "-1.87", "FOREIGN TRANSACTION FEE", 4)
      const fees = yield* enrichmentOf(workspace, "fees", {})
      yield* run
      const [fee, cause] = [yield* idOf("FOREIGN TRANSACTION FEE"), yield* idOf("HOTEL LUNE BERLIN")]
      const saidOf = Effect.fnUntraced(function* (id: string) {
        const { rows } = yield* (yield* Explanations).explain(caller, id)
        return Object.fromEntries(
          rows[0]!.fields.flatMap(({ field, value }) => (field.startsWith("fee.") ? [[field, value]] : []))
        )
      })
      const tied = yield* saidOf(fee)
      expect(tied).toMatchObject({ "fee.isFee": true, "fee.causeRecordId": cause })
      const [link] = yield* linksOf("HOTEL LUNE BERLIN")
      expect(link).toMatchObject({ kind: "fee", enrichmentId: fees.id })
      const { undo } = yield* Undo
      const { facts } = yield* undo(caller, cause, { linkId: link!.id })
      expect(facts).toMatchObject([{ kind: "forbid", enrichmentId: fees.id, recordId: fee, otherId: cause }])
      yield* run
      expect(yield* linksOf("FOREIGN TRANSACTION FEE")).toEqual([])
      const { "fee.causeRecordId": _, ...others } = tied
      expect(yield* saidOf(fee)).toEqual(others)
      post("a", "-9.9", "BLUE HERON CAFE", 2)
      yield* run
      expect(yield* linksOf("FOREIGN TRANSACTION FEE")).toEqual([])
      yield* undo(caller, fee, { linkId: link!.id, redo: true })
      yield* run
      expect(yield* saidOf(fee)).toEqual(tied)
      expect((yield* linksOf("HOTEL LUNE BERLIN")).map(({ id }) => id)).toEqual([link!.id])
    })
  )

  scene("leaves nothing of a fee behind where the run that found it is undone", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, linksOf, post, rows, run, workspace } = yield* transferring(simulation)
      post("a", "-62.35", "HOTEL LUNE BERLIN", 4)
      post("a", "-1.87", "FOREIGN TRANSACTION FEE", 4)
      yield* run
      const provided = yield* rows
      yield* enrichmentOf(workspace, "fees", { setCategory: "Fees" })
      const { job } = yield* run
      const found = yield* rows
      expect(found.filter((row) => row.includes("category=Fees"))).toHaveLength(1)
      const [link] = yield* linksOf("HOTEL LUNE BERLIN")
      const { undo, undoRun } = yield* Undo
      const undone = yield* undoRun(caller, job.id)
      expect(undone).toMatchObject({ links: 1, kept: 0 })
      expect(undone.fields).toBeGreaterThan(0)
      yield* run
      expect(yield* rows).toEqual(provided)
      expect(yield* linksOf("FOREIGN TRANSACTION FEE")).toEqual([])
      yield* undoRun(caller, job.id, true)
      yield* run
      expect(yield* rows).toEqual(found)
      // Only its tie to the purchase: it is a fee all the same.
      yield* undo(caller, yield* idOf("HOTEL LUNE BERLIN"), { linkId: link!.id })
      yield* run
      expect(yield* rows).toEqual(found)
    })
  )

  scene("refuses what ties the record to nothing, and a field beside it", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, linksOf, run, workspace } = yield* transferring(simulation)
      yield* enrichmentOf(workspace, "transfer_match", {})
      yield* run
      const [link] = yield* linksOf("TRANSFER TO SAVER")
      const { undo } = yield* Undo
      const refused = { _tag: "Unprocessable", code: "VALIDATION_FAILED" }
      const [tea, out] = [yield* idOf("GREEN TEA HOUSE"), yield* idOf("TRANSFER TO SAVER")]
      expect(yield* Effect.flip(undo(caller, tea, { linkId: link!.id }))).toMatchObject(refused)
      expect(yield* Effect.flip(undo(caller, out, { linkId: link!.id, field: "category" }))).toMatchObject(refused)
      expect(yield* Effect.flip(undo(caller, out, { linkId: link!.id, redo: true }))).toMatchObject(refused)
    })
  )

  scene("is part of the undo of the run that made it", (simulation) =>
    Effect.gen(function* () {
      const { caller, post, rows, run, workspace } = yield* transferring(simulation)
      yield* run
      const provided = yield* rows
      yield* enrichmentOf(workspace, "transfer_match", { setCategory: "Transfer" })
      const { job } = yield* run
      const linked = yield* rows
      post("a", "-77", "TRANSFER TO SAVER X", 2)
      post("b", "77", "TRANSFER FROM EVERYDAY X", 2)
      const later = yield* run
      const { undoRun } = yield* Undo
      expect(yield* undoRun(caller, job.id)).toEqual({ jobId: job.id, fields: 0, links: 1, kept: 0 })
      yield* run
      const undone = yield* rows
      expect(transfers(undone)).toBe(2)
      expect(undone.filter((row) => provided.includes(row))).toEqual(provided)
      expect(yield* undoRun(caller, job.id)).toEqual({ jobId: job.id, fields: 0, links: 0, kept: 0 })
      yield* undoRun(caller, later.job.id)
      yield* run
      expect(transfers(yield* rows)).toBe(0)
      expect(yield* undoRun(caller, job.id, true)).toEqual({ jobId: job.id, fields: 0, links: 1, kept: 0 })
      yield* run
      expect((yield* rows).filter((row) => linked.includes(row))).toEqual(linked)
      expect(transfers(yield* rows)).toBe(2)
    })
  )
})

describe("a link that is only supposed", () => {
  scene("is made in a simulation, and nowhere else", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, linksOf, post, rows, run, workspace } = yield* transferring(simulation)
      // Nothing says that these two are one movement.
      post("a", "-77.31", "GARDEN CENTRE", 3)
      post("b", "70", "CASH PAID IN", 2)
      const match = yield* enrichmentOf(workspace, "transfer_match", { setCategory: "Transfer" })
      yield* run
      const [recordId, otherId] = [yield* idOf("GARDEN CENTRE"), yield* idOf("CASH PAID IN")]
      expect(yield* linksOf("GARDEN CENTRE")).toEqual([])
      const before = yield* rows
      const link = { kind: "link", enrichmentId: match.id, recordId, otherId, linked: true } as const
      const report = yield* simulated(caller, { changes: [link] })
      expect(report.links).toEqual({ made: 1, broken: 0 })
      const category = report.fields.find(({ field }) => field === "category")
      expect(category).toMatchObject({ changed: 2, added: 0, removed: 0 })
      expect(category!.samples.map((one) => [one.recordId, one.after]).toSorted()).toEqual(
        [recordId, otherId].toSorted().map((id) => [id, "Transfer"])
      )
      expect(yield* rows).toEqual(before)
      expect(yield* linksOf("GARDEN CENTRE")).toEqual([])
      // Two that are linked already are no news; told apart, they are none any more.
      const legs = { recordId: yield* idOf("TRANSFER TO SAVER"), otherId: yield* idOf("TRANSFER FROM EVERYDAY") }
      const apart = yield* simulated(caller, { changes: [{ ...link, ...legs, linked: false }] })
      expect(apart.links).toEqual({ made: 0, broken: 1 })
      expect(apart.fields.find(({ field }) => field === "category")).toMatchObject({ changed: 2 })
    })
  )
})
