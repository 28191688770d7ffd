/**
 * How long it takes until the kernel believes what the bank says now: the one place that knows its patience.
 *
 * Rows that vanish are not believed to be gone at once; rows outside of the window that an incremental run
 * reads are only found out by a full read.
 */
import type { ScriptedProvider } from "../provider/ScriptedProvider.ts"

export interface QuietRound {
  /** Time that passes before it, in seconds. */
  readonly after: number
  /** Whether its syncs read everything. */
  readonly full: boolean
}

/** Rounds of syncs of all feeds after the faults have stopped; then the ledger is what the bank says. */
export const quietRounds = ({
  options: { changeModel }
}: Pick<ScriptedProvider, "options">): ReadonlyArray<QuietRound> =>
  changeModel === "snapshotWindow"
    ? [
        { after: 60, full: true },
        { after: 60, full: true },
        { after: 60, full: false }
      ]
    : [
        { after: 60, full: false },
        { after: 60, full: false }
      ]
