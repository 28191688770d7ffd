/** Reads a driver the way the kernel does: page by page, from a checkpoint, starting over when told to. */
import type {
  Connection,
  DataTypeCapability,
  ObservedAccount,
  ObservedRecord,
  PartCoverage,
  ProviderDriver,
  ProviderError,
  ProviderSession,
  PullRequest,
  SyncPage
} from "@millrace/core/provider"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import { expect } from "vitest"
import { openFor } from "../provider/DriverCalls.ts"

export interface Run {
  readonly upserted: ReadonlyArray<ObservedRecord>
  readonly removed: SyncPage["removed"]
  readonly quarantined: SyncPage["quarantined"]
  readonly coverages: ReadonlyArray<PartCoverage>
  readonly checkpoint: string | undefined
  readonly pages: number
}

const mostPages = 20_000

const partsOf = (coverage: SyncPage["coverage"]): ReadonlyArray<PartCoverage> =>
  "kind" in coverage ? [coverage] : coverage

/** Positions and checkpoints are opaque, but bounded and never empty: an empty one would mean "from the start". */
const expectToken = (token: string | undefined): void => {
  if (token === undefined) return
  expect(token.trim()).not.toBe("")
  expect(token.length).toBeLessThanOrEqual(limits.opaquePosition)
}

export interface RunHooks {
  /** Called between two pages. */
  readonly betweenPages?: (pagesRead: number) => Effect.Effect<void>
}

const once = Effect.fnUntraced(function* (
  open: Effect.Effect<ProviderSession, ProviderError>,
  request: PullRequest,
  hooks: RunHooks
): Effect.fn.Return<Run, ProviderError> {
  const upserted: Array<ObservedRecord> = []
  const removed: Array<SyncPage["removed"][number]> = []
  const quarantined: Array<SyncPage["quarantined"][number]> = []
  const coverages: Array<PartCoverage> = []
  const positions = new Set<string>()
  const session = yield* open
  let next = request
  for (let pages = 1; ; pages++) {
    const page = yield* session.pull(next)
    upserted.push(...page.upserted)
    removed.push(...page.removed)
    quarantined.push(...page.quarantined)
    coverages.push(...partsOf(page.coverage))
    if (page.end.kind === "done") {
      expectToken(page.end.checkpoint)
      return { upserted, removed, quarantined, coverages, checkpoint: page.end.checkpoint, pages }
    }
    const { position } = page.end
    expectToken(position)
    expect(positions.has(position), "a position came twice in one run").toBe(false)
    expect(pages, "the pages do not end").toBeLessThan(mostPages)
    positions.add(position)
    if (hooks.betweenPages !== undefined) yield* hooks.betweenPages(pages)
    next = { ...request, position }
  }
})

/** One whole run in a session of its own. What was read before `MutationDuringPagination` is dropped and read again. */
export const runIn = (
  open: Effect.Effect<ProviderSession, ProviderError>,
  request: PullRequest,
  hooks: RunHooks = {}
): Effect.Effect<Run, ProviderError> =>
  once(open, request, hooks).pipe(
    Effect.catchTag("MutationDuringPagination", () => once(open, request, {})),
    Effect.retry({ times: limits.paginationRestarts, while: (error) => error._tag === "MutationDuringPagination" })
  )

/** The same of a connection that belongs to nobody in particular. */
export const run = (driver: ProviderDriver, connection: Connection, request: PullRequest) =>
  runIn(openFor(driver, connection), request)

/** Accounts of each pull: one pull for the whole connection, or one for each account that has the data. */
export const subjects = (
  capability: DataTypeCapability,
  dataType: PullRequest["dataType"],
  accounts: ReadonlyArray<ObservedAccount>
): ReadonlyArray<ReadonlyArray<string>> => {
  const ids = accounts.filter(({ supports }) => supports.includes(dataType)).map((account) => account.providerAccountId)
  return capability.scope === "account" ? ids.map((id) => [id]) : [ids]
}

/** Rows by account and id: what a reader of the feed would hold. */
export type Model = ReadonlyMap<string, ObservedRecord>

export const keyOf = (row: { readonly providerAccountId: string; readonly providerId: string }): string =>
  JSON.stringify([row.providerAccountId, row.providerId])

/** The model after a run; ids that are said to be gone must have been there. */
export const applied = (model: Model, changes: Run): Model => {
  const next = new Map(model)
  for (const gone of changes.removed) {
    expect(model.has(keyOf(gone)), `${gone.providerId} was removed but never listed`).toBe(true)
    next.delete(keyOf(gone))
  }
  for (const row of changes.upserted) next.set(keyOf(row), row)
  return next
}

/** Comparable form: rows by key. */
export const sorted = (model: Model): ReadonlyArray<readonly [string, ObservedRecord]> =>
  [...model].toSorted(([a], [b]) => (a < b ? -1 : 1))
