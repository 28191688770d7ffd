/** Plans what is due although nothing changed: the end of a period, something that is late. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { dayStart } from "../shared/DayStart.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { handleTask } from "../task/TaskHandler.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { BankStore } from "../bank/BankStore.ts"
import { Analysis, type AnalysisRun } from "./Analysis.ts"
import { AnalysisStore } from "./AnalysisStore.ts"
import { analysisTask, beginningKey } from "./AnalysisTaskKind.ts"
import { EnrichmentStore } from "./EnrichmentStore.ts"

/** The handler; a run of it looks at what is due, and comes back for what will be. */
export const dueAnalysis = Effect.gen(function* () {
  const analysis = yield* Analysis
  const store = yield* AnalysisStore
  const banks = yield* BankStore
  const enrichments = yield* EnrichmentStore
  const workspaces = yield* WorkspaceStore
  return handleTask(analysisTask, (task) =>
    Effect.gen(function* () {
      const { dataType, workspaceId } = task.payload
      const workspace = yield* workspaces.get(workspaceId)
      if (Option.isNone(workspace)) return
      const { timezone } = workspace.value
      const isBeginning = task.key === beginningKey(task.payload)
      const accounts: Array<AnalysisRun<never>["accounts"][number]> = []
      if (isBeginning) {
        for (const bank of yield* banks.list([workspaceId])) {
          for (const account of yield* banks.accounts(bank.id)) accounts.push({ bank, account })
        }
      }
      const faults = yield* analysis.run({
        workspace: workspace.value,
        dataType,
        enrichments: yield* enrichments.list([workspaceId]),
        accounts,
        today: CalendarDate.inZone(yield* Clock.currentTimeMillis, timezone),
        cause: { kind: "system", reason: "enrichment" },
        follows: !isBeginning,
        guard: task.guard
      })
      if (faults.length > 0) yield* Effect.logWarning("Enrichments failed on what was due", { faults: faults.length })
      if (isBeginning) return
      const { due } = yield* store.head(task.payload)
      if (due === null) return
      const now = Timestamp.toMillis(yield* Timestamp.now)
      // What failed is due already: it waits for the next day, or for the next sync.
      const wait = Math.ceil((Timestamp.toMillis(dayStart(due, timezone)) - now) / 1_000)
      return { againSeconds: wait > 0 ? wait : daySeconds }
    })
  )
})

const daySeconds = 86_400
