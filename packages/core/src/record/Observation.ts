/** What a source showed of one record. */
import type { RecordWrite } from "./LedgerRecord.ts"

/** An observation ready to be identified. */
export interface Observation extends Omit<RecordWrite, "id" | "state"> {
  readonly pendingProviderId: string
  /** What `hash` is of, where it is at hand: then nobody needs the hash to tell two rows apart. */
  readonly content?: string
  /** Has what the row says at hand from now on, where that is elsewhere: it will be asked for. */
  readonly keep?: () => void
}

export interface Quarantined {
  readonly providerId: string
  readonly reason: string
}
