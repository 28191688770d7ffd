/**
 * How far back a read proves that what it does not show is gone.
 *
 * Upstreams show the latest part of a history, often a shorter one than they say. Whatever they cut off, by days or by
 * the number of rows, is older than all that they show. So a read proves the days after the oldest posted row that it
 * shows. Of that day itself it may show a part: a list of the latest rows may end in the middle of it. An upstream that
 * says where its history starts proves all from there on.
 */
import type { Coverage } from "../../provider/Provider.ts"
import { isDatedType, type DataType } from "../../record/DataType.ts"
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import type { Observation } from "../../record/Observation.ts"

/** A read of one account, as far as it proves anything. */
export interface ProvingRead {
  readonly dataType: DataType
  readonly observations: ReadonlyArray<Observation>
  /** Rows that it shows as well. */
  readonly settled?: ReadonlyArray<Observation>
  /** First day for which the upstream says that it shows all posted rows of the account. */
  readonly historyFrom?: CalendarDate.CalendarDate | undefined
  /** The upstream says that the account has none. */
  readonly none?: boolean
}

/** Day of the oldest posted row among them. */
export const oldestPosted = (
  ...lists: ReadonlyArray<ReadonlyArray<Pick<Observation, "date" | "pending">>>
): CalendarDate.CalendarDate | undefined => {
  let oldest: CalendarDate.CalendarDate | undefined
  for (const rows of lists) {
    for (const { date, pending } of rows) {
      if (!pending && date !== null && (oldest === undefined || date < oldest)) oldest = date
    }
  }
  return oldest
}

/** From where on a read says what is there. */
export interface Bounds {
  readonly historyFrom: CalendarDate.CalendarDate | undefined
  readonly oldest: CalendarDate.CalendarDate | undefined
}

/** Whether a read shows all posted rows of a day. */
export const isProvenDay = (date: CalendarDate.CalendarDate | null, { historyFrom, oldest }: Bounds): boolean =>
  date !== null && ((oldest !== undefined && date > oldest) || (historyFrom !== undefined && date >= historyFrom))

/**
 * What a read says of a record that it should have shown.
 * `gone`: it would show it. `nothing`: the upstream may no longer look that far back.
 * `edge`: it is of the day of the oldest row, where the upstream may show a part.
 */
export type Proof = "gone" | "edge" | "nothing"

/** Pending records have rules of their own. */
export const proofOf = (read: ProvingRead): ((entry: Pick<IndexEntry, "date" | "pending">) => Proof) => {
  const { dataType, historyFrom, none = false, observations, settled = [] } = read
  if (!isDatedType(dataType)) {
    const says = none || observations.length + settled.length > 0 ? "gone" : "nothing"
    return () => says
  }
  const oldest = oldestPosted(observations, settled)
  return ({ date, pending }) =>
    pending || isProvenDay(date, { historyFrom, oldest })
      ? "gone"
      : date !== null && date === oldest
        ? "edge"
        : "nothing"
}

/** First day for which a read showed all posted records that are still there. `lacksOldest`: it lacks one of its oldest day. */
export const shownFromOf = (
  {
    coverage,
    historyFrom
  }: { readonly coverage: Coverage; readonly historyFrom?: CalendarDate.CalendarDate | undefined },
  oldest: CalendarDate.CalendarDate | undefined,
  lacksOldest: boolean
): CalendarDate.CalendarDate | undefined => {
  if (coverage.kind === "delta" || !coverage.complete) return undefined
  const shown = oldest !== undefined && lacksOldest ? CalendarDate.addDays(oldest, 1) : oldest
  const said = historyFrom === undefined || (shown !== undefined && shown < historyFrom) ? shown : historyFrom
  return said === undefined || coverage.kind === "full" || said > coverage.from ? said : coverage.from
}
