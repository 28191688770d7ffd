/** Values that every part of a program speaks in: exact amounts, days, instants, currencies, identifiers, limits and failures. */
export { ErrorCode } from "../failure/ErrorCode.ts"
export {
  Conflict,
  CursorUnusable,
  Detail,
  Forbidden,
  InvalidInput,
  LiveDataUnavailable,
  NotFound,
  PlanLimitReached,
  PreconditionFailed,
  ServerBusy,
  Unprocessable
} from "../failure/Failure.ts"
export * as Recovery from "../failure/Recovery.ts"
export * as BusinessCalendar from "../shared/BusinessCalendar.ts"
export * as CalendarDate from "../shared/CalendarDate.ts"
export * as Currency from "../shared/Currency.ts"
export { zoneOf } from "../shared/TimeZone.ts"
export * as Decimal from "../shared/Decimal.ts"
export { Digest } from "../shared/Digest.ts"
export { faultText } from "../shared/FaultText.ts"
export { issueFaults } from "../shared/IssueFaults.ts"
export { isIdentifier } from "../shared/Identifier.ts"
export { Id, idKind, type IdKind, type IdKindOf, IdOf, Ids, isId, isIdOf, prefixes, ulid } from "../shared/Ids.ts"
export { stretched } from "../shared/Jitter.ts"
export { limits } from "../shared/Limits.ts"
export { Name } from "../shared/Name.ts"
export type { Page, PageSize } from "../shared/Page.ts"
export * as RateTable from "../shared/RateTable.ts"
export { digitsOf, isNumber, isRawNumber, numberOf, type RawNumber } from "../shared/RawNumber.ts"
export { retryWithBackoff } from "../shared/RetryWithBackoff.ts"
export * as StrictDecoding from "../shared/StrictDecoding.ts"
export * as Timestamp from "../shared/Timestamp.ts"
export { Work, WorkExceeded } from "../shared/Work.ts"
// The types of these values by names of their own, for declarations that the compiler writes.
export type { CalendarDate as CalendarDateText } from "../shared/CalendarDate.ts"
export type { Currency as CurrencyCode } from "../shared/Currency.ts"
export type { Decimal as DecimalText } from "../shared/Decimal.ts"
export type { Timestamp as TimestampText } from "../shared/Timestamp.ts"
