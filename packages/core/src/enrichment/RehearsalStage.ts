/** What set kinds see besides records where they plan what is only supposed: accounts, rates, days, and where records stand. */
import * as Effect from "effect/Effect"
import { FeedStore } from "../feed/FeedStore.ts"
import type { DataType } from "../record/DataType.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { analysisAccounts } from "./AnalysisAccounts.ts"
import { placing } from "./AnalysisPlaces.ts"
import { AnalysisSlice } from "./AnalysisSlice.ts"
import { AnalysisStore } from "./AnalysisStore.ts"
import type { Enrichment } from "./Enrichment.ts"
import { covers, FeedPipelines } from "./FeedPipelines.ts"
import { BusinessCalendars, Rates } from "./kinds/Rates.ts"
import { Kinds } from "./Kinds.ts"
import type { OtherFacts } from "./OtherFacts.ts"
import { RunWork } from "./RunWork.ts"

export interface StageInput {
  readonly workspace: Workspace
  readonly dataType: DataType
  /** All of the workspace, as they are or might be. */
  readonly enrichments: ReadonlyArray<Enrichment>
  readonly today: CalendarDate
  readonly facts?: OtherFacts | undefined
}

export const rehearsalStage = Effect.gen(function* () {
  const store = yield* AnalysisStore
  const feeds = yield* FeedStore
  const digest = yield* Digest
  const hash = (text: string) => digest.contentHash(text)
  const kinds = yield* Kinds
  const pipelines = yield* FeedPipelines
  const rateSource = yield* Rates
  const calendars = yield* BusinessCalendars
  const { accountsOf, statusesOf } = yield* analysisAccounts

  /** `undefined` where no set kind looks at anything. */
  return Effect.fnUntraced(function* ({ dataType, enrichments, facts, today, workspace }: StageInput) {
    const scope = { workspaceId: workspace.id, dataType }
    const enabled = enrichments.filter((one) => one.enabled && one.dataType === dataType)
    const sets = enabled.filter((one) => kinds.get(one.type)?.family === "set")
    const inScope = (yield* feeds.list([workspace.id], { dataType })).filter((feed) =>
      sets.some((one) => covers(one, feed))
    )
    if (inScope.length === 0) return undefined
    const rates = yield* rateSource.read
    const calendar = calendars.of(workspace.id)
    const surroundings = { rates: rates.version, calendar: hash(JSON.stringify(calendar)) }
    const statuses = yield* statusesOf(scope)
    const version = Effect.succeed(hash(JSON.stringify([...statuses])))
    const places = yield* placing(enabled, inScope, hash, surroundings, version).pipe(
      Effect.provideService(FeedPipelines, pipelines)
    )
    const { all, placeOf } = yield* accountsOf(workspace, places, statuses)
    const head = yield* store.head(scope)
    const input = {
      scope,
      steps: places.steps,
      accounts: all,
      placeOf,
      baseCurrency: workspace.baseCurrency,
      at: yield* Timestamp.now,
      begun: head.planned,
      locale: workspace.locale,
      timezone: workspace.timezone,
      rates,
      calendar,
      today: head.asOf !== null && head.asOf > today ? head.asOf : today,
      hasFacts: head.hasFacts || (facts?.added.length ?? 0) > 0,
      sha256: (text: string) => digest.sha256(text),
      mayAsk: false
    }
    return {
      place: places.place,
      steps: places.steps,
      today: input.today,
      /** Records that are planned together, from what runs have kept or as though there had been none. */
      slice: (from: "present" | "beginning") =>
        new AnalysisSlice({ ...input, work: new RunWork(), planned: from === "present" ? head.planned : {} })
    }
  })
})
