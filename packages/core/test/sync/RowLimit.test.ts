/** Feeds that deliver more into tables of the workspace than it may have there. */
import { describe, expect } from "@effect/vitest"
import { DeliveryStore } from "../../src/destination/DeliveryStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { limits } from "../../src/shared/Limits.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { wholeScan } from "../../src/table/RowScan.ts"
import { TableStore } from "../../src/table/TableStore.ts"
import { storeFeed, storeTable } from "@millrace/testing/fixture"
import { Ids } from "../../src/shared/Ids.ts"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, drive } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { memoryScene } from "./MemoryScene.ts"

const rowLimit = 5
const texts = ["one", "two", "three", "four", "five"]

describe("a feed into a table of a workspace that may have few rows", () => {
  memoryScene(
    "delivers what there is room for, keeps the rest waiting however often it runs, and delivers it once there is room",
    { model: "upsertByKey", tables: { workspaceRows: rowLimit } },
    (simulation) =>
      Effect.gen(function* () {
        const provider = simulation.providers.find(({ options }) => options.instance === "delta-connection-stable")!
        const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a"])
        const [tables, store] = [yield* TableStore, yield* DeliveryStore]
        const other = yield* storeTable(workspace, { fields: [] })
        const person = { kind: "user", userId: "usr_1" } as const
        const notes = ["a", "b"].map((key) => ({ key, values: {}, folded: {}, mustExist: false }))
        yield* tables.putFeedRows(other.id, notes, yield* (yield* Ids).batch("row", 2), person)

        for (const description of texts) {
          upstream.post({ account: "a", date: CalendarDate.make("2026-11-20"), amount: "-1.5", description })
        }
        const table = yield* storeTable(workspace, { fields: [] })
        const feed = yield* storeFeed(workspace, {
          destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true },
          sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: accounts[0]!.id }] },
          fieldMappings: mappings
        })
        const shown = Effect.map(tables.rows(wholeScan(table.id)), (rows) =>
          rows.map(({ values }) => String(values["description"])).toSorted()
        )
        for (let run = 0; run <= limits.deliveryAttempts; run++) {
          const { job } = yield* drive(simulation, feed)
          expect([job.status, job.counts.created, job.counts.failed]).toEqual(["completed", run === 0 ? 3 : 0, 2])
          expect(job.errors.map(({ code, message, severity }) => [code, severity, message])).toEqual([
            [
              "PLAN_LIMIT_REACHED",
              "warning",
              expect.stringContaining(`2 records wait: The workspace has the ${rowLimit} rows`)
            ]
          ])
          const waiting = yield* store.list(feed.id, { state: "failed", limit: 10 })
          expect(waiting.map(({ attempts, dead }) => [attempts, dead])).toEqual([
            [0, false],
            [0, false]
          ])
          expect(yield* shown).toHaveLength(3)
        }

        const now = yield* Timestamp.now
        const trashed = Option.getOrThrow(yield* tables.get(workspace.id, other.id))
        yield* tables.update({ ...trashed, version: trashed.version + 1, trashedAt: now, purgeAt: now })
        const { job } = yield* drive(simulation, feed)
        expect([job.status, job.counts.created, job.counts.carried, job.errors]).toEqual(["completed", 2, 2, []])
        expect(yield* shown).toEqual(texts.toSorted())
      })
  )
})
