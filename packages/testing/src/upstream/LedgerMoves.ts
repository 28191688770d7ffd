/** Random bank events of one account, all from a seed: a script of them is the same on every machine. */
import { CalendarDate, Decimal, type DecimalText } from "@millrace/core"
import type { Seeded } from "../model/Seeded.ts"
import type { TrueLedger } from "./TrueLedger.ts"
import type { MoveKind, TrueRow } from "./TrueRecord.ts"

const words = ["Bakery", "Rail", "Grocer", "Café Ōtani", "Power & Light", "Pharmacy", "Salary", "Refund", "Books <3>"]

const amountOf = (seeded: Seeded): DecimalText => {
  const units = BigInt(1 + seeded.below(500_000))
  return Decimal.fromUnits(seeded.once(4) ? units : -units, 2)
}

export interface MoveOptions {
  /** Key of the account. */
  readonly account: string
  /** Kinds to draw from, with their weights; all unless given. */
  readonly kinds?: ReadonlyArray<readonly [MoveKind, number]>
  /** Whether ids of pending rows can stay when they settle; upstreams whose posted rows are new rows say false. */
  readonly keepsIds?: boolean
}

const everyKind: ReadonlyArray<readonly [MoveKind, number]> = [
  ["posted", 6],
  ["authorized", 5],
  ["edited", 3],
  ["settled", 4],
  ["settledUnlinked", 1],
  ["settledInPlace", 1],
  ["released", 1],
  ["removed", 1],
  ["backdated", 2]
]

/** Texts are unlike each other, so that two events are never the same one by chance. */
const textOf = (seeded: Seeded, ledger: TrueLedger): string =>
  `${seeded.pick(words)} ${ledger.changes.length}-${seeded.below(10_000)}`

const movesWithRow = new Set<MoveKind>([
  "edited",
  "settled",
  "settledUnlinked",
  "settledInPlace",
  "released",
  "removed"
])

/** Does one thing; what cannot be done now, because there is no such row, becomes a posting. */
export const move = (ledger: TrueLedger, seeded: Seeded, options: MoveOptions): MoveKind => {
  const { account, keepsIds = true } = options
  const kinds = (options.kinds ?? everyKind).filter(([kind]) => keepsIds || kind !== "settledInPlace")
  const kind = seeded.weighted(kinds)
  const rows = ledger.shown(account)
  const isAboutPending = kind !== "edited" && kind !== "removed"
  const candidates = movesWithRow.has(kind) ? rows.filter((row) => row.pending === isAboutPending) : []
  const row: TrueRow | undefined = candidates.length === 0 ? undefined : seeded.pick(candidates)
  const input = { account, amount: amountOf(seeded), description: textOf(seeded, ledger) }
  if (movesWithRow.has(kind) && row === undefined) {
    ledger.post(input)
    return "posted"
  }
  switch (kind) {
    case "posted":
      ledger.post(input)
      break
    case "authorized":
      ledger.post({ ...input, pending: true })
      break
    case "backdated":
      ledger.post({ ...input, date: CalendarDate.addDays(ledger.today, -1 - seeded.below(8)) })
      break
    case "edited":
      ledger.edit(row!, seeded.once(2) ? { amount: amountOf(seeded) } : { description: textOf(seeded, ledger) })
      break
    case "settled":
    case "settledUnlinked":
      ledger.settle(row!, {
        isLinked: kind === "settled",
        ...(seeded.once(3) ? { change: { amount: amountOf(seeded) } } : {})
      })
      break
    case "settledInPlace":
      ledger.settle(row!, { id: "same" })
      break
    case "released":
    case "removed":
      ledger.remove(row!)
      break
  }
  return kind
}
