/** What a read says about a record that it does not show. */
import { isSnapshotType } from "../record/DataType.ts"
import type { IndexEntry } from "../record/LedgerRecord.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import type { Coverage } from "../provider/Provider.ts"
import type { IdTrust } from "../provider/Capabilities.ts"
import type { MatchInput } from "./Matching.ts"

/** Begins the ids of rows that were read out of statement files. */
export const fileIdPrefix = "file:"

/** Whether a row came out of a file; a connection says nothing about it. */
export const isOfFile = ({ providerId }: { readonly providerId: string }): boolean =>
  providerId.startsWith(fileIdPrefix)

/** Whether an id that is known says by itself which record it is. */
export const trusted = (trust: IdTrust): boolean => trust === "stable" || trust === "perStatus" || trust === "session"

/** Shown, but in a form that could not be read: told by its id, where ids say anything. */
export const isUnread = ({ idTrust, unread }: MatchInput, { providerId }: IndexEntry): boolean =>
  unread.size > 0 && providerId !== "" && trusted(idTrust) && unread.has(providerId)

/** Whether the read would have shown the record if it were there. */
export const covers = (coverage: Coverage, entry: IndexEntry): boolean => {
  if (isOfFile(entry)) return false
  switch (coverage.kind) {
    case "delta":
      return false
    case "full":
      return coverage.complete
    case "window":
      return coverage.complete && entry.date !== null && entry.date >= coverage.from && entry.date <= coverage.to
  }
}

/** Days from the ends of a window in which a posted row may have left it by a change of its date. */
const edgeDays = 2

/** Whether a posted record lies so far inside that only its removal explains why it is not shown. */
export const isWellInside = (coverage: Coverage, entry: IndexEntry): boolean =>
  covers(coverage, entry) &&
  (coverage.kind !== "window" ||
    (entry.date! >= CalendarDate.addDays(coverage.from, edgeDays) &&
      entry.date! <= CalendarDate.addDays(coverage.to, -edgeDays)))

/** Whether the source lists the record as gone, under an id that says something. */
export const isListed = (input: MatchInput, { providerId }: IndexEntry): boolean =>
  providerId !== "" && trusted(input.idTrust) && input.removed.has(providerId)

/** Whether many rows that vanish at once speak against the read: not where it is the whole truth by its nature. */
export const isGuarded = ({ dataType }: MatchInput): boolean => !isSnapshotType(dataType)
