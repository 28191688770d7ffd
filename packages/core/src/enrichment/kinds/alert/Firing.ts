/** The firing ledger: what an alert told of a record, and what follows when that changes (enrichments C14). */
import * as Schema from "effect/Schema"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { AlertEventName } from "./AlertEvents.ts"

/** Of one record. */
export const Firing = Schema.Struct({
  /** Whether it matched when it was looked at last. */
  on: Schema.Boolean,
  /** Counts what was told of it; 0 for what was so when the alert began. */
  ordinal: Schema.Int,
  /** The revision under which its story began: ordinals of an earlier one are other ones. */
  since: Schema.Int,
  /** Whether people were told that it matches. */
  told: Schema.Boolean,
  /** The key of the message that told it matches, where one did. */
  key: Schema.optionalKey(Schema.String),
  /** The day of the record, and what it was in one line: of one that is gone nothing else is known. */
  day: Schema.optionalKey(CalendarDate.CalendarDate),
  brief: Schema.optionalKey(Schema.String),
  /** When it was told last: its amount, and what was watched of it. */
  amount: Schema.optionalKey(Decimal.DecimalText),
  watched: Schema.optionalKey(Schema.String)
})
export type Firing = typeof Firing.Type

export interface Seen {
  readonly matches: boolean
  /** What matched when the alert began is no news. */
  readonly isPast: boolean
  readonly isOld: boolean
  readonly amount: Decimal.Decimal | undefined
  /** Names what is watched of it. */
  readonly watched: string
  readonly everyChange: boolean
  readonly revision: number
}

const quarter = Decimal.make("0.25")

/** Whether the size of an amount is another one by more than a quarter of what it was. */
const hasMoved = (before: Decimal.Decimal | undefined, after: Decimal.Decimal | undefined): boolean => {
  if (before === undefined || after === undefined) return false
  const [was, is] = [Decimal.abs(before), Decimal.abs(after)]
  const digits = Math.max(Decimal.scale(was), Decimal.scale(is)) + Decimal.scale(quarter)
  const [old, now] = [Decimal.toUnits(was, digits), Decimal.toUnits(is, digits)]
  const gap = now > old ? now - old : old - now
  return gap * 4n > old
}

/** The story of a record from here on, and what is to be told of it. */
export const follow = (
  before: Firing | undefined,
  seen: Seen
): { readonly firing: Firing | undefined; readonly tell?: AlertEventName } => {
  const { amount, everyChange, isOld, isPast, matches, revision, watched } = seen
  if (!matches) {
    if (before === undefined) return { firing: undefined }
    if (!before.on) return { firing: before.ordinal === 0 ? undefined : before }
    const off: Firing = { ...before, on: false, told: false }
    if (before.told) return { firing: off, tell: "alert.retracted" }
    return { firing: before.ordinal === 0 ? undefined : off }
  }
  const last: Firing = before ?? { on: false, ordinal: 0, since: revision, told: false }
  const quiet: Firing = { ...last, on: true, watched: last.watched ?? watched }
  const loud: Firing = {
    ...last,
    on: true,
    told: true,
    ordinal: last.ordinal + 1,
    watched,
    ...(amount === undefined ? {} : { amount })
  }
  if (isOld || (before === undefined && isPast)) return { firing: quiet }
  if (!last.on) return { firing: loud, tell: "alert.fired" }
  const isOther = everyChange && last.watched !== undefined && last.watched !== watched
  if (isOther || (last.told && hasMoved(last.amount, amount))) {
    return { firing: loud, tell: last.told ? "alert.amended" : "alert.fired" }
  }
  return { firing: quiet }
}
