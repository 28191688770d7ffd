/** Files that an account was read from before, as far as they can share rows with another one. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AccountId } from "../bank/Account.ts"
import { sourceDays } from "../identity/match/MatchCost.ts"
import type { EarlierFile } from "../identity/match/Reading.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import { sourceTagOf } from "./RowIds.ts"
import type { Upload, UploadStatement } from "./Upload.ts"
import { UploadStore } from "./UploadStore.ts"

/** First and last day for which a statement says anything; `undefined` where it names none. */
export const daysOf = ({
  firstDay,
  from,
  lastDay,
  to
}: Pick<UploadStatement, "firstDay" | "from" | "lastDay" | "to">) => {
  const days = [firstDay, from, lastDay, to].filter((day) => day !== undefined).toSorted()
  return days.length === 0 ? undefined : ([days[0]!, days.at(-1)!] as const)
}

/** What a file says of an account. Of several statements of one account no balances are known. */
export const statementOf = ({ statements }: Upload, accountId: AccountId): UploadStatement | undefined => {
  const own = statements.filter((statement) => statement.accountId === accountId)
  if (own.length < 2) return own[0]
  const { closingBalance: _, openingBalance: __, sum: ___, ...rest } = own[0]!
  const days = own.flatMap((statement) => daysOf(statement) ?? []).toSorted()
  return days.length === 0 ? rest : { ...rest, firstDay: days[0]!, lastDay: days.at(-1)! }
}

const make = Effect.gen(function* () {
  const uploads = yield* UploadStore
  const digest = yield* Digest

  /** Those before `except` that show days of the span, or days right beside them. */
  const around = Effect.fnUntraced(function* (
    accountId: AccountId,
    except: Upload["id"],
    days: readonly [first: CalendarDate.CalendarDate, last: CalendarDate.CalendarDate] | undefined
  ) {
    const found: Array<EarlierFile> = []
    if (days === undefined) return found
    const [first, last] = [CalendarDate.addDays(days[0], -sourceDays), CalendarDate.addDays(days[1], sourceDays)]
    for (const upload of yield* uploads.showing(accountId)) {
      const statement = upload.id === except ? undefined : statementOf(upload, accountId)
      const own = statement === undefined ? undefined : daysOf(statement)
      if (own === undefined || own[1] < first || own[0] > last) continue
      const shown = yield* uploads.shown(upload.id)
      const recordIds = shown
        .filter((one) => one.accountId === accountId && one.dataType === "transactions")
        .flatMap((one) => one.recordIds)
      const { closingBalance, firstDay, from, lastDay, openingBalance, sum, to } = statement!
      found.push({
        closingBalance,
        firstDay,
        from,
        lastDay,
        openingBalance,
        recordIds: new Set(recordIds),
        source: sourceTagOf(upload, digest),
        sum,
        to
      })
    }
    return found
  })

  return { around }
})

/** Finds the files that show the same days of an account. */
export class EarlierFiles extends Context.Service<EarlierFiles>()("@millrace/core/upload/EarlierFiles", { make }) {
  static readonly layer: Layer.Layer<EarlierFiles, never, UploadStore | Digest> = Layer.effect(EarlierFiles, make)
}
