import { describe, expect } from "@effect/vitest"
import { drive } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import { enrichmentsOffMessage } from "../../src/enrichment/EnrichmentsOn.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { filterOf, tableFed, when } from "./FilteredScenes.ts"
import { memoryScene } from "./MemoryScene.ts"

describe("an installation whose enrichments are switched off", () => {
  memoryScene(
    "reads its sources and delivers nothing, and says so on the job",
    { model: "upsertByKey", enrichmentsOn: false },
    (simulation) =>
      Effect.gen(function* () {
        const { account, feed, texts, upstream, workspace } = yield* tableFed(simulation)
        yield* filterOf(workspace, { conditions: when("description", "contains", "secret") })
        const date = CalendarDate.make(new Date(simulation.clock.now - 86_400_000).toISOString().slice(0, 10))
        upstream.post({ account: "a", date, amount: "-1", description: "tea", pending: false })
        const { job } = yield* drive(simulation, feed)
        expect(job.status).toBe("completed")
        expect(job.errors.map(({ message }) => message.includes(enrichmentsOffMessage))).toEqual([true])
        expect(yield* texts).toEqual([])
        const scope = { workspaceId: workspace.id, accountId: account.id, dataType: "transactions" } as const
        const held = yield* (yield* RecordStore).changes(scope, { after: 0, upTo: 1_000, limit: 10 })
        expect(held.map(({ fields }) => fields["description"])).toEqual(["tea"])
      })
  )
})
