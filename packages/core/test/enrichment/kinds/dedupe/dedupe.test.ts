import { describe, expect } from "@effect/vitest"
import { storeFeed, storeTable } from "@millrace/testing/fixture"
import { rowsOf } from "@millrace/verification/quality/undo/TableText"
import { connect, drive } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import { RecordStore } from "../../../../src/record/RecordStore.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import { enrichmentOf, revised } from "../../../sync/FilteredScenes.ts"
import { memoryScene } from "../../../sync/MemoryScene.ts"

const columns = ["description", "dedupe.state", "dedupe.aliases", "dedupe.firstSeenAs", "dedupe.mergedFrom"]

/** A row of a record that was never anything else. */
const plain = (state: string, text: string) =>
  `dedupe.aliases=; dedupe.firstSeenAs=; dedupe.mergedFrom=; dedupe.state=${state}; description=${text}`

describe("what a record was before", () => {
  memoryScene("is told as it settles, and as others turn out to be it", { model: "upsertByKey" }, (simulation) =>
    Effect.gen(function* () {
      const instance = "snapshotfull-account-perstatus"
      const provider = simulation.providers.find(({ options }) => options.instance === instance)!
      const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a"])
      const [account] = accounts
      const table = yield* storeTable(workspace, { fields: [] })
      const feed = yield* storeFeed(workspace, {
        destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true },
        sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: account!.id }] },
        fieldMappings: columns.map((name) => ({ sourceField: name, destinationField: name }))
      })
      const dedupe = yield* enrichmentOf(workspace, "dedupe", {})
      const rows = rowsOf(table)
      const day = CalendarDate.make(new Date(simulation.clock.now).toISOString().slice(0, 10))
      const post = (description: string, amount: string, pending: boolean, ago = 2) =>
        upstream.post({ account: "a", date: CalendarDate.addDays(day, -ago), amount, description, pending })
      const pending = post("LAMP SHOP", "-42", true)
      post("TRAM", "-3", false)
      yield* drive(simulation, feed)
      expect(yield* rows).toEqual([plain("pending", "LAMP SHOP"), plain("posted", "TRAM")])
      const first = pending.providerId
      upstream.settle(pending, { newId: true, link: false })
      yield* drive(simulation, feed)
      const settled = `dedupe.aliases=${first}; dedupe.firstSeenAs=${first}; dedupe.mergedFrom=; dedupe.state=posted; description=LAMP SHOP`
      expect(yield* rows).toEqual([plain("posted", "TRAM"), settled].toSorted())

      // As joining accounts does: one record turns out to be the other, which then changes.
      const records = yield* RecordStore
      const scope = { workspaceId: workspace.id, accountId: account!.id, dataType: "transactions" } as const
      const all = yield* records.changes(scope, { after: 0, upTo: 1_000_000, limit: 10 })
      const idOf = (text: string) => all.find(({ fields }) => fields["description"] === text)!.id
      const [lamp, tram] = [idOf("LAMP SHOP"), idOf("TRAM")]
      yield* records.merge(scope, [{ id: tram, into: lamp }])
      yield* revised(dedupe, {})
      yield* drive(simulation, feed)
      expect((yield* rows).some((row) => row.includes(`dedupe.mergedFrom=${tram};`))).toBe(true)
      yield* revised({ ...dedupe, revision: 2, version: 2 }, { enabled: false })
      yield* drive(simulation, feed)
      expect((yield* rows).some((row) => row.includes(first))).toBe(false)
    })
  )
})
