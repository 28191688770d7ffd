/** A part of a bank that is read in one go, and how far back it is read. */
import type { Account } from "../bank/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import type { BankSession } from "../bank/Sessions.ts"
import type { DataTypeCapability } from "../provider/Capabilities.ts"
import type { PullRequest } from "../provider/Provider.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { isSignedType } from "./SignOverride.ts"
import type { WholeRead } from "./StoredCheckpoint.ts"

/** A pull that belongs together and has one checkpoint. */
export interface Segment {
  readonly bank: Bank
  /** What it is asked through, as far as a segment needs. */
  readonly session: Pick<BankSession, "driver" | "pull">
  /** All open accounts of the connection. Only those that have the data type are asked for. */
  readonly accounts: ReadonlyArray<Account>
  /** The account it is about, or `undefined` for the whole connection. */
  readonly account: Account | undefined
  /** Ids of the accounts whose rows are counted; absent: of all that are asked for. */
  readonly counted?: ReadonlySet<string>
  readonly dataType: PullRequest["dataType"]
  readonly capability: DataTypeCapability
  /** `undefined`: continue from the checkpoint. */
  readonly range: { readonly from: CalendarDate.CalendarDate; readonly to: CalendarDate.CalendarDate } | undefined
  /** Earliest day that may be read. */
  readonly earliest: CalendarDate.CalendarDate
  /** Where an account begins that was never read; absent: on the earliest day. */
  readonly beginning?: CalendarDate.CalendarDate
  /** A day that the read must reach back to, however little it would read by itself. */
  readonly reachingTo?: CalendarDate.CalendarDate
  /** Set where `earliest` is later than what could be read, since nobody who asks wants earlier days. */
  readonly leftOut?: CalendarDate.CalendarDate
  readonly today: CalendarDate.CalendarDate
  readonly lookbackDays: number
  /** Upstream ids of accounts that are there and cannot be read: what comes of them is left for a later read. */
  readonly unreadIds?: ReadonlySet<string>
  /** Whether two reads listed the same accounts; if not, neither says what is no longer there. */
  readonly accountsAgree: boolean
  /** Read everything, whatever the checkpoint says, and commit a new one. */
  readonly reset: boolean
  /** A caller waits for it: what is read whole now and then is left to runs. */
  readonly isLive?: boolean
  /** As in `SnapshotOfAccount`. */
  readonly byIdOnly: boolean
}

/** Accounts whose amounts are flipped as they are read, by their upstream ids. */
export const invertedOf = ({ accounts, dataType }: Segment): ReadonlyArray<string> =>
  isSignedType(dataType)
    ? accounts.flatMap(({ providerAccountId, signOverride }) => (signOverride === true ? [providerAccountId] : []))
    : []

/** Names a segment among those of one job. What was read under other signs is read again. */
export const keyOf = (segment: Segment): string => {
  const { account, bank, dataType } = segment
  const inverted = invertedOf(segment)
  return [bank.id, account?.id ?? "", dataType, ...(inverted.length === 0 ? [] : [inverted.toSorted().join(" ")])].join(
    "/"
  )
}

/** The accounts that are asked for. What an account has may change between two runs. */
export const ownersOf = ({ account, accounts, dataType }: Segment): ReadonlyArray<Account> =>
  account === undefined ? accounts.filter(({ supports }) => supports.includes(dataType)) : [account]

/** The first day of a read of all that is wanted. */
export const wholeFrom = ({ beginning, earliest }: Segment): CalendarDate.CalendarDate => beginning ?? earliest

/** Whether days are wanted of an account that another feed kept from being read. */
export const isWantedBefore = (segment: Segment): boolean =>
  ownersOf(segment).some(({ readFrom }) => {
    const from = readFrom?.[segment.dataType]
    return from !== undefined && from > wholeFrom(segment)
  })

/** Whether all is to be read again, so that corrections of old rows are seen, which nothing else tells of. */
export const isWholeDue = (segment: Segment, last: WholeRead | undefined): boolean => {
  const { changeModel, wholeEveryDays } = segment.capability
  if (wholeEveryDays === undefined || changeModel !== "snapshotWindow" || segment.range !== undefined) return false
  return (
    last === undefined ||
    last.from > wholeFrom(segment) ||
    CalendarDate.daysBetween(last.on, segment.today) >= wholeEveryDays
  )
}
