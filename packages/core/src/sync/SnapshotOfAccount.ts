/** What one read showed of one account, and how far it can be believed. */
import type * as Effect from "effect/Effect"
import type { Enrichment } from "../enrichment/Enrichment.ts"
import { trusted } from "../identity/match/Coverage.ts"
import type { Recalled } from "../identity/IdentityStore.ts"
import type { ShownRows } from "../identity/match/ShownRows.ts"
import type { EarlierFile, FileTotals } from "../identity/match/Reading.ts"
import type { ChangeModel, IdTrust } from "../provider/Capabilities.ts"
import type { Coverage } from "../provider/Provider.ts"
import { isSnapshotType } from "../record/DataType.ts"
import type { RecordScope } from "../record/RecordStore.ts"
import type { ShownStep } from "../record/Shown.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Observation } from "../record/Observation.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"

export interface SnapshotOfAccount {
  readonly scope: RecordScope
  readonly observations: ReadonlyArray<Observation>
  readonly removed: ReadonlySet<string>
  /** Upstream ids of rows that could not be read; `""` among them is a row that could be any. */
  readonly unread: ReadonlySet<string>
  readonly coverage: Coverage
  /** What was said of pending rows, where that is something else. */
  readonly pendingCoverage?: Coverage
  /** What the upstream says itself of the account (`UpstreamSays`). */
  readonly historyFrom?: CalendarDate
  readonly none?: boolean
  /** What a file says of the account besides its rows, and the files that were read before it. */
  readonly file?: FileTotals
  readonly earlier?: ReadonlyArray<EarlierFile>
  readonly idTrust: IdTrust
  readonly changeModel: ChangeModel
  /** Nothing is matched but by its id, and what is new stays apart until a person joins it (`skipDedup`). */
  readonly byIdOnly: boolean
  /** The source says by its ids which record it means, as in `MatchInput`. */
  readonly keyed?: true
  /** As in `MatchInput`. */
  readonly shownBefore?: ReadonlyArray<ShownStep>
  readonly reset?: true
  /** What may tune its matching (`MatchConfigs.dedupes`), where that was found for several accounts at once. */
  readonly dedupes?: ReadonlyArray<Enrichment>
}

/** A read of one account whose rows are elsewhere: they are fetched only where it shows something else than the one before. */
export interface SpooledRead extends Omit<SnapshotOfAccount, "observations"> {
  readonly shown: ShownRows
  readonly rows: Effect.Effect<ReadonlyArray<Observation>, StorageUnavailable>
}

/**
 * Snapshot types are what their last read says. A change feed that was read whole, or over a range, is as good
 * as its feed: there will be no second such read to wait for. Everything else must be missing more than once.
 */
export const isWholeTruth = ({ changeModel, coverage, scope }: SnapshotOfAccount): boolean =>
  isSnapshotType(scope.dataType) || (changeModel === "delta" && coverage.kind !== "delta")

/** A row that could not be read may be any of those that are missing, unless its id says which one it is. */
export const believable = ({
  coverage,
  idTrust,
  pendingCoverage,
  unread
}: Pick<SnapshotOfAccount, "coverage" | "idTrust" | "pendingCoverage" | "unread">): Pick<
  SnapshotOfAccount,
  "coverage" | "pendingCoverage"
> => {
  const told = (said: Coverage): Coverage =>
    said.kind === "delta" || unread.size === 0 || (trusted(idTrust) && !unread.has(""))
      ? said
      : { ...said, complete: false }
  return {
    coverage: told(coverage),
    ...(pendingCoverage === undefined ? {} : { pendingCoverage: told(pendingCoverage) })
  }
}

/** As far as it follows from how the account is read. */
export const maySettle = ({
  byIdOnly,
  coverage,
  idTrust,
  pendingCoverage,
  scope
}: Pick<SnapshotOfAccount, "byIdOnly" | "coverage" | "idTrust" | "pendingCoverage" | "scope">): boolean =>
  scope.dataType === "transactions" &&
  coverage.kind === "full" &&
  pendingCoverage === undefined &&
  !byIdOnly &&
  trusted(idTrust)

/**
 * Whether rows can be settled: found by their ids in a read of all there is. What people parted depends on records that
 * would not be looked at.
 */
export const canSettle = (read: Parameters<typeof maySettle>[0], { facts }: Recalled): boolean =>
  maySettle(read) && !facts.some(({ kind }) => kind === "forbid")
