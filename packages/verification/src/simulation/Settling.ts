/**
 * How long it takes until the kernel believes what the bank says now: the one place that knows its patience.
 *
 * Rows that vanish are not believed to be gone at once, rows that a bank dates by a time zone ahead of ours are
 * read a day later, and rows outside of the window of incremental runs are only found out by a full read. What is not
 * behind the oldest posted row that a read shows stays for ever, unless the bank says where its history starts
 * (`provenBy` of `Checkers.ts`).
 */
import type { ConnectionScenario } from "./ConnectionScenario.ts"

export interface QuietRound {
  /** Time that passes before it, in seconds. */
  readonly after: number
  /** Whether its syncs read everything. */
  readonly full: boolean
}

const aDay = 25 * 3_600

/** Rounds of syncs of all feeds after the faults have stopped; then the ledger is what the bank says. */
export const quietRounds = ({
  provider,
  upstream
}: Pick<ConnectionScenario, "provider" | "upstream">): ReadonlyArray<QuietRound> => {
  const { changeModel, saysHistory } = provider.options
  const full = changeModel === "snapshotWindow"
  // A change feed whose place was lost was read whole: it proved less than the same read proves by now, or did not tell
  // rows that the bank shows again.
  const isReadAgain = full || (changeModel === "delta" && (saysHistory !== true || upstream.leftOut.size > 0))
  return [
    // A row near the end of a read is not missed before it lies well inside.
    { after: 3 * aDay, full },
    // It takes two reads a day apart to miss a posted row, and the first one is not believed where the accounts that
    // the bank lists are others than before.
    { after: aDay, full },
    { after: aDay, full: isReadAgain }
  ]
}
