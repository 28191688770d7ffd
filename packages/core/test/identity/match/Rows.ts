/** Rows, records and reads for tests of identity: short to write, complete for the algorithm. */
import { byIdentity } from "@millrace/verification/model/LedgerReplay"
import {
  defaultMatchConfig,
  type HeldDetail,
  type MatchConfig,
  type MatchDetails,
  type MatchInput,
  type MatchResult
} from "../../../src/identity/match/Matching.ts"
import type { Fields } from "../../../src/record/FieldValue.ts"
import type { IndexEntry } from "../../../src/record/LedgerRecord.ts"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import * as Timestamp from "../../../src/shared/Timestamp.ts"
import type { Observation } from "../../../src/record/Observation.ts"

export const now = Timestamp.make("2026-03-20T12:00:00.000Z")
export const full = { kind: "full", complete: true } as const
export const incomplete = { kind: "full", complete: false } as const
export const delta = { kind: "delta" } as const

export interface Row {
  readonly day?: string
  readonly amount?: string
  readonly text?: string
  readonly pending?: boolean
  readonly currency?: string
  /** Upstream id; without it the row's name. */
  readonly id?: string
}

const fieldsOf = ({ amount = "-10", currency = "EUR", day = "2026-03-14", pending = false, text = "desk" }: Row) => ({
  date: day,
  description: text,
  originalDescription: text,
  amount,
  currency,
  pending
})

/** Equal for equal contents, as the hash of an ingested row is. */
const hashOf = (fields: Fields): string => JSON.stringify(Object.values(fields))

export interface Held {
  readonly entry: IndexEntry
  readonly detail: HeldDetail
}

/** A record that is held, with the contents of a row. */
export const held = (
  id: string,
  row: Row = {},
  change: Partial<IndexEntry> = {},
  detail: Partial<HeldDetail> = {}
): Held => {
  const fields = fieldsOf(row)
  return {
    entry: {
      id,
      providerId: row.id ?? `p-${id}`,
      date: CalendarDate.make(fields.date),
      pending: fields.pending,
      state: "live",
      hash: hashOf(fields),
      missed: 0,
      ...change
    },
    detail: {
      fields,
      missedSince: null,
      missedAt: null,
      updatedAt: now,
      createdAt: now,
      version: 1,
      edited: false,
      alone: false,
      ...detail
    }
  }
}

export const seen = (id: string, row: Row = {}, change: Partial<Observation> = {}): Observation => {
  const fields = fieldsOf(row)
  return {
    providerId: row.id ?? `p-${id}`,
    pendingProviderId: "",
    date: CalendarDate.make(fields.date),
    pending: fields.pending,
    hash: hashOf(fields),
    fields,
    ...change
  }
}

export interface Read extends Partial<Omit<MatchInput, "held" | "config">> {
  readonly held?: ReadonlyArray<Held>
  readonly config?: Partial<MatchConfig>
  readonly isForbidden?: MatchDetails["isForbidden"]
  readonly rates?: MatchDetails["rates"]
}

/** One read: a complete one with stable ids, unless told otherwise. */
export const inputOf = ({ config, held: records = [], ...input }: Omit<Read, "isForbidden" | "rates">): MatchInput => ({
  dataType: "transactions",
  observations: [],
  aliases: new Map(),
  idTrust: "stable",
  coverage: full,
  removed: new Set(),
  unread: new Set(),
  atOnce: false,
  byIdOnly: false,
  now,
  ...input,
  config: { ...defaultMatchConfig, ...config },
  held: records.map(({ entry }) => entry)
})

/** What comes of it. Details are given for what is asked, no more. */
export const read = ({ isForbidden = () => false, rates, ...asked }: Read): MatchResult => {
  const { held: records = [] } = asked
  const detailOf = new Map(records.map(({ detail, entry }) => [entry.id, detail]))
  return byIdentity(inputOf(asked), (ids) => ({
    records: new Map(ids.flatMap((id) => (detailOf.has(id) ? [[id, detailOf.get(id)!]] : []))),
    isForbidden,
    rates
  }))
}

/** Upstream id and record of what changed. */
export const matched = ({ changed }: MatchResult): ReadonlyArray<readonly [string, string | undefined]> =>
  changed.map(({ entry, observation }) => [observation.providerId, entry?.id])

export const idsOf = (entries: ReadonlyArray<IndexEntry>): ReadonlyArray<string> => entries.map(({ id }) => id)
