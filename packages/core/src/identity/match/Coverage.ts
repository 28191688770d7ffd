/** What a read says about a record that it does not show. */
import { isSnapshotType } from "../../record/DataType.ts"
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import type { Coverage } from "../../provider/Provider.ts"
import type { IdTrust } from "../../provider/Capabilities.ts"
import type { MatchInput } from "./Matching.ts"

/** Begins the ids of rows that were read out of statement files. */
export const fileIdPrefix = "file:"

/** Begins those of them that the bank gave itself; the others are made of what the row says. */
export const bankIdPrefix = `${fileIdPrefix}id:`

/** Whether a row of a file has an id of the bank. */
export const hasBankId = ({ providerId }: { readonly providerId: string }): boolean =>
  providerId.startsWith(bankIdPrefix)

const tagLength = 6

/** What the ids of all files of one format and layout have in common. */
export const sourceTag = (digest: string): string => digest.slice(0, tagLength)

/** A tag, `""` for the connection, `undefined` for rows of files that were read before they had tags. */
export const sourceOf = ({ providerId }: { readonly providerId: string }): string | undefined => {
  if (!isOfFile({ providerId })) return ""
  const from = (hasBankId({ providerId }) ? bankIdPrefix : fileIdPrefix).length
  return providerId[from + tagLength] === ":" ? providerId.slice(from, from + tagLength) : undefined
}

const firstOfFile = fileIdPrefix.charCodeAt(0)

/** Whether a row came out of a file; a connection says nothing about it. */
export const isOfFile = ({ providerId }: { readonly providerId: string }): boolean =>
  // Of each row of each read: the first letter tells nearly all of them apart for a tenth of the time.
  providerId.charCodeAt(0) === firstOfFile && providerId.startsWith(fileIdPrefix)

/** Whether an id that is known says by itself which record it is. */
export const trusted = (trust: IdTrust): boolean => trust === "stable" || trust === "perStatus" || trust === "session"

/** Shown, but in a form that could not be read: told by its id, where ids say anything. */
export const isUnread = ({ idTrust, unread }: MatchInput, { providerId }: IndexEntry): boolean =>
  unread.size > 0 && providerId !== "" && trusted(idTrust) && unread.has(providerId)

/** What a read says of posted rows and, where that is something else, of pending ones. */
export type Covering = Pick<MatchInput, "coverage" | "pendingCoverage">

/** What the read says of rows like this one. */
export const coverageOf = (
  { coverage, pendingCoverage = coverage }: Covering,
  { pending }: Pick<IndexEntry, "pending">
): Coverage => (pending ? pendingCoverage : coverage)

/** Whether the read would have shown the record if it were there. */
export const covers = (read: Covering, entry: IndexEntry): boolean => {
  if (isOfFile(entry)) return false
  const coverage = coverageOf(read, entry)
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
export const isWellInside = (read: Covering, entry: IndexEntry): boolean => {
  if (!covers(read, entry)) return false
  const coverage = coverageOf(read, entry)
  return (
    coverage.kind !== "window" ||
    (entry.date! >= CalendarDate.addDays(coverage.from, edgeDays) &&
      entry.date! <= CalendarDate.addDays(coverage.to, -edgeDays))
  )
}

/** Whether the source lists the record as gone, under an id that says something. */
export const isListed = (input: MatchInput, { providerId }: IndexEntry): boolean =>
  providerId !== "" && trusted(input.idTrust) && input.removed.has(providerId)

/** Whether many rows that vanish at once speak against the read: not where it is the whole truth by its nature. */
export const isGuarded = ({ dataType }: MatchInput): boolean => !isSnapshotType(dataType)
