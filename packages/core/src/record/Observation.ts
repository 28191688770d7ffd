/** What a source showed of one record. */
import type { RecordWrite } from "./LedgerRecord.ts"

/** An observation ready to be identified. */
export interface Observation extends Omit<RecordWrite, "id" | "state"> {
  readonly pendingProviderId: string
  /** What `hash` is of, where it is at hand: then nobody needs the hash to tell two rows apart. */
  readonly content?: string
}

export interface Quarantined {
  readonly providerId: string
  readonly reason: string
}
