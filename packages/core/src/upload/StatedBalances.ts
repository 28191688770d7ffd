/** Whether the rows of an account come to the balances that its files state, from one file to the next. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Account } from "../bank/Account.ts"
import { RecordStore, type RecordScope } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Decimal from "../shared/Decimal.ts"
import { statementOf } from "./EarlierFiles.ts"
import type { Upload, UploadStatement } from "./Upload.ts"
import { UploadStore } from "./UploadStore.ts"

/** How a file ends. */
interface StatedEnd extends Pick<UploadStatement, "balanceDate" | "openingBalance"> {
  readonly upload: Upload
  readonly firstDay: CalendarDate.CalendarDate
  readonly lastDay: CalendarDate.CalendarDate
  readonly balance: Decimal.Decimal
}

/** Rows that do not come to what two files state. */
export interface BalanceGap {
  /** Day whose balance is not reached. */
  readonly day: CalendarDate.CalendarDate
  readonly fileName: string
  /** What the rows between lack. */
  readonly missing: Decimal.Decimal
  /** Day of the balance that they were counted from. */
  readonly since: CalendarDate.CalendarDate
}

/** A row of the account. */
interface BookedRow {
  readonly id: string
  readonly day: CalendarDate.CalendarDate
  readonly amount: Decimal.Decimal
}

/** Rows between two balances that are added up at most. */
const mostRows = 5_000

const endOf = (upload: Upload, account: Account): ReadonlyArray<StatedEnd> => {
  const statement = statementOf(upload, account.id)
  const { balanceDate, closingBalance, firstDay, lastDay, openingBalance } = statement ?? {}
  if (closingBalance === undefined || firstDay === undefined || lastDay === undefined) return []
  const day = balanceDate === undefined ? {} : { balanceDate }
  const opening = openingBalance === undefined ? {} : { openingBalance }
  return [{ upload, firstDay, lastDay, balance: closingBalance, ...day, ...opening }]
}

const daysOf = ({ firstDay, lastDay }: StatedEnd): string => `${lastDay} ${firstDay}`

/** Statements of the same days, each behind the one whose balance it begins with, whichever was uploaded first. */
const chained = (ends: ReadonlyArray<StatedEnd>): ReadonlyArray<StatedEnd> => {
  const left = [...ends]
  const chain: Array<StatedEnd> = []
  while (left.length > 0) {
    const first = left.findIndex((end) => left.every((other) => other === end || other.balance !== end.openingBalance))
    const last = chain.at(-1)
    const next = last === undefined ? -1 : left.findIndex(({ openingBalance }) => openingBalance === last.balance)
    chain.push(...left.splice(next >= 0 ? next : Math.max(0, first), 1))
  }
  return chain
}

/** By their days, then by their balances. */
const inOrder = (ends: ReadonlyArray<StatedEnd>): ReadonlyArray<StatedEnd> =>
  [...Map.groupBy(ends, daysOf)].toSorted(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, group]) => chained(group))

/** Both state the balance of the day of their download, whatever they show. */
const areOfDownload = (a: StatedEnd, b: StatedEnd): boolean =>
  a.balanceDate !== undefined &&
  a.balanceDate === b.balanceDate &&
  a.balance === b.balance &&
  a.balanceDate > a.lastDay &&
  a.balanceDate > b.lastDay

const make = Effect.gen(function* () {
  const uploads = yield* UploadStore
  const records = yield* RecordStore

  const shownBy = Effect.fnUntraced(function* ({ upload }: StatedEnd, account: Account) {
    const shown = yield* uploads.shown(upload.id)
    return new Set(shown.filter(({ accountId }) => accountId === account.id).flatMap(({ recordIds }) => recordIds))
  })

  const rowsBetween = Effect.fnUntraced(function* (account: Account, before: StatedEnd, after: StatedEnd) {
    const scope: RecordScope = { workspaceId: account.workspaceId, accountId: account.id, dataType: "transactions" }
    const filter = { from: before.firstDay, to: CalendarDate.addDays(after.lastDay, 3) }
    const found = yield* records.page(scope, { filter, limit: mostRows })
    return found.length === mostRows
      ? undefined
      : found.flatMap(({ date, fields, id }): ReadonlyArray<BookedRow> =>
          date === null || fields["pending"] === true || !Decimal.is(fields["amount"])
            ? []
            : [{ id, day: date, amount: fields["amount"] }]
        )
  })

  /** What the rows behind the one balance lack to the other; nothing where that cannot be told. */
  const missing = Effect.fnUntraced(function* (account: Account, before: StatedEnd, after: StatedEnd) {
    if (after.firstDay < before.firstDay || areOfDownload(before, after)) return Decimal.zero
    const rows = yield* rowsBetween(account, before, after)
    if (rows === undefined) return Decimal.zero
    const [first, second] = [yield* shownBy(before, account), yield* shownBy(after, account)]
    // Of its own first day a file may show a part.
    const { firstDay, lastDay } = before
    const from = firstDay === lastDay ? firstDay : CalendarDate.addDays(firstDay, 1)
    const lacking = (since: CalendarDate.CalendarDate): Decimal.Decimal => {
      const added = rows.filter(({ day, id }) => {
        if (first.has(id)) return false
        return second.has(id) ? day >= since : day > lastDay && day >= since && day < after.lastDay
      })
      const reached = Decimal.add(before.balance, Decimal.sum(added.map(({ amount }) => amount)))
      return Decimal.subtract(after.balance, reached)
    }
    // The balance of a download may be of a later day than the last row.
    const { balanceDate } = before
    const left = lacking(from)
    const isLater = balanceDate !== undefined && balanceDate > lastDay && left !== Decimal.zero
    return isLater && lacking(CalendarDate.addDays(balanceDate, 1)) === Decimal.zero ? Decimal.zero : left
  })

  /** Holds what an upload states against the files before and behind it. */
  const check = Effect.fnUntraced(function* (account: Account, id: Upload["id"]) {
    const ends = inOrder((yield* uploads.showing(account.id)).flatMap((upload) => endOf(upload, account)))
    const at = ends.findIndex(({ upload }) => upload.id === id)
    const gaps: Array<BalanceGap> = []
    if (at < 0) return gaps
    for (const [before, after] of [ends.slice(Math.max(0, at - 1), at + 1), ends.slice(at, at + 2)]) {
      if (before === undefined || after === undefined) continue
      const left = yield* missing(account, before, after)
      if (left === Decimal.zero) continue
      gaps.push({ day: after.lastDay, fileName: after.upload.fileName, missing: left, since: before.lastDay })
    }
    return gaps
  })

  return { check }
})

/** Holds the rows of an account against the balances that its files state. */
export class StatedBalances extends Context.Service<StatedBalances>()("@millrace/core/upload/StatedBalances", {
  make
}) {
  static readonly layer: Layer.Layer<StatedBalances, never, UploadStore | RecordStore> = Layer.effect(
    StatedBalances,
    make
  )
}
