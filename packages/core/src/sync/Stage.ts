/** What a pull has read so far, before any of it is believed. */
import type { Coverage, PartCoverage, SyncPage, UpstreamSays } from "../provider/Provider.ts"
import type { DataType } from "../record/DataType.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Digest } from "../shared/Digest.ts"
import { ShownRows } from "../identity/match/ShownRows.ts"
import type { Observation, Quarantined } from "../record/Observation.ts"
import { type RowForm, rowForm, type Taken, takeIn, TakenRow } from "./Ingest.ts"
import { turned } from "./SignOverride.ts"

/** Whether every row that has an id has one of its own: the usual case. */
const areDistinct = (rows: ReadonlyArray<Observation>): boolean => {
  const seen = new Set<string>()
  for (const { providerId } of rows) {
    if (providerId === "") continue
    if (seen.has(providerId)) return false
    seen.add(providerId)
  }
  return true
}

/** What two pages of a run say together: what a later one says of an account counts. */
const together = (before: Coverage, now: Coverage): Coverage => {
  if (before.kind === "delta" || now.kind === "delta") return now
  const starts = new Map<string, CalendarDate>()
  for (const { historyFrom = [] } of [before, now]) {
    for (const { from, providerAccountId } of historyFrom) starts.set(providerAccountId, from)
  }
  const none = new Set([...(before.none ?? []), ...(now.none ?? [])])
  const says: UpstreamSays = {
    ...(starts.size === 0
      ? {}
      : { historyFrom: Array.from(starts, ([providerAccountId, from]) => ({ providerAccountId, from })) }),
    ...(none.size === 0 ? {} : { none: [...none] })
  }
  return { ...now, ...says }
}

export type RowStatus = "posted" | "pending"
const statuses: ReadonlyArray<RowStatus> = ["posted", "pending"]

/** What was said of the rows of an account in one status; `""` is every account that nothing was said of by name. */
type Parts = Map<string, Coverage>
const partKey = (account: string, status: RowStatus): string => `${status} ${account}`

/** Takes in what a page says. What names no account is of all, and what was said of single ones before is over then. */
const put = (parts: Parts, { providerAccountIds, status, ...coverage }: PartCoverage): void => {
  for (const one of status === undefined ? statuses : [status]) {
    for (const account of providerAccountIds ?? [""]) {
      const key = partKey(account, one)
      const before = parts.get(key) ?? parts.get(partKey("", one))
      if (account === "") for (const other of parts.keys()) if (other.startsWith(`${one} `)) parts.delete(other)
      parts.set(key, before === undefined ? coverage : together(before, coverage))
    }
  }
}

const takenOf = ({ date, pending, pendingProviderId, providerId, text }: TakenRow): Taken => ({
  providerId,
  pendingProviderId,
  pending,
  date,
  text
})

/** All of a stage, as JSON can hold it. */
export interface StageState {
  readonly coverage: ReadonlyArray<readonly [part: string, coverage: Coverage]>
  readonly count: number
  readonly quarantined: ReadonlyArray<Quarantined>
  readonly rows: ReadonlyArray<readonly [account: string, rows: ReadonlyArray<Taken>]>
  readonly removed: ReadonlyArray<readonly [account: string, ids: ReadonlyArray<string>]>
  readonly unread: ReadonlyArray<readonly [account: string, ids: ReadonlyArray<string>]>
  readonly unreadAnywhere: ReadonlyArray<string>
}

export class Stage {
  checkpoint: string | undefined = undefined
  /** Records decoded, repeats included. */
  count = 0
  /** Records that are held: not those that were let go. */
  held = 0
  readonly quarantined: Array<Quarantined> = []
  readonly #parts: Parts = new Map()
  readonly #rows = new Map<string, Array<TakenRow>>()
  /** Of accounts for which pages say that they show everything: read off while the rows are at hand. */
  readonly #shown = new Map<string, ShownRows>()
  readonly #removed = new Map<string, Set<string>>()
  /** Ids of rows that could not be read, by account; those of drivers name none. */
  readonly #unread = new Map<string, Set<string>>()
  readonly #unreadAnywhere = new Set<string>()
  readonly #dataType: DataType
  /** How its rows are read. */
  readonly form: RowForm
  readonly #inverted: ReadonlySet<string>

  /** `inverted`: upstream ids of the accounts whose amounts are flipped as they are read (`SignOverride.ts`). */
  constructor(
    dataType: DataType,
    digest: Digest["Service"],
    state?: StageState,
    inverted: ReadonlySet<string> = new Set()
  ) {
    this.#dataType = dataType
    this.form = rowForm(dataType, digest)
    this.#inverted = inverted
    if (state === undefined) return
    for (const [part, coverage] of state.coverage) this.#parts.set(part, coverage)
    this.count = state.count
    this.quarantined.push(...state.quarantined)
    for (const [account, rows] of state.rows) {
      this.#rows.set(
        account,
        rows.map((row) => new TakenRow(row, this.form))
      )
      this.held += rows.length
    }
    for (const [account, ids] of state.removed) this.#removed.set(account, new Set(ids))
    for (const [account, ids] of state.unread) this.#unread.set(account, new Set(ids))
    for (const id of state.unreadAnywhere) this.#unreadAnywhere.add(id)
  }

  /** Only between two pages: a checkpoint comes with the last one. */
  get state(): StageState {
    return {
      coverage: [...this.#parts],
      count: this.count,
      quarantined: this.quarantined,
      rows: Array.from(this.#rows, ([account, rows]) => [account, rows.map(takenOf)] as const),
      removed: Array.from(this.#removed, ([account, ids]) => [account, [...ids]] as const),
      unread: Array.from(this.#unread, ([account, ids]) => [account, [...ids]] as const),
      unreadAnywhere: [...this.#unreadAnywhere]
    }
  }

  add(page: SyncPage): void {
    const coverages = "kind" in page.coverage ? [page.coverage] : page.coverage
    const showsAll = this.#dataType === "transactions" && coverages.every(({ kind }) => kind === "full")
    let account: string | undefined
    let isInverted = false
    let rows: Array<TakenRow> | undefined
    let gone: Set<string> | undefined
    let shown: ShownRows | undefined
    for (const observed of page.upserted) {
      // Rows of an account follow each other, mostly.
      if (observed.providerAccountId !== account) {
        account = observed.providerAccountId
        isInverted = this.#inverted.has(account)
        rows = this.#rows.get(account)
        gone = this.#removed.get(account)
        shown = undefined
      }
      const read = takeIn(this.#dataType, isInverted ? turned(observed) : observed)
      if ("quarantined" in read) {
        this.quarantined.push(read.quarantined)
        const unread = this.#unread.get(account)
        if (unread === undefined) this.#unread.set(account, new Set([read.quarantined.providerId]))
        else unread.add(read.quarantined.providerId)
        continue
      }
      this.count++
      this.held++
      const row = new TakenRow(read, this.form)
      if (rows === undefined) this.#rows.set(account, (rows = [row]))
      else rows.push(row)
      if (showsAll) (shown ??= this.#showing(account)).add(row)
      gone?.delete(row.providerId)
    }
    for (const { providerAccountId, providerId } of page.removed) {
      const removed = this.#removed.get(providerAccountId)
      if (removed === undefined) this.#removed.set(providerAccountId, new Set([providerId]))
      else removed.add(providerId)
    }
    this.quarantined.push(...page.quarantined)
    for (const { providerId } of page.quarantined) this.#unreadAnywhere.add(providerId)
    for (const part of coverages) put(this.#parts, part)
    // A blank checkpoint would mean "from the start" to the upstream and "continue" to us.
    if (page.end.kind === "done" && page.end.checkpoint?.trim() !== "") this.checkpoint = page.end.checkpoint
  }

  #showing(account: string): ShownRows {
    let shown = this.#shown.get(account)
    if (shown === undefined) this.#shown.set(account, (shown = new ShownRows(this.form.contentHash)))
    return shown
  }

  /**
   * All rows that the pages showed of an account, repeats included, so that it may be asked whether a read shows the same as
   * the one before; `undefined` where the rows must be looked at to be told. `earlier`: how many were let go.
   */
  shown(account: string, earlier = 0): ShownRows | undefined {
    if (this.coverage(account, "posted")?.kind !== "full") return undefined
    const [held, shown] = [this.heldRows(account).length, this.#shown.get(account)]
    if (shown === undefined) return undefined
    // A part of them was shown before the pages said that they show everything, or by a run before this one.
    return shown.count === earlier + held ? shown : undefined
  }

  /**
   * Ids of rows that were shown but could not be read: they are not missing. Another account may have a row of
   * the same id, and that one may well be.
   */
  unread(providerAccountId: string): ReadonlySet<string> {
    return this.#unreadAnywhere.union(this.#unread.get(providerAccountId) ?? new Set())
  }

  /**
   * What the pages say of the rows of an account in a status; `undefined` where they say nothing about it: then it was not
   * read.
   */
  coverage(providerAccountId: string, status: RowStatus): Coverage | undefined {
    return this.#parts.get(partKey(providerAccountId, status)) ?? this.#parts.get(partKey("", status))
  }

  /** What the upstream says itself of one account. */
  said(providerAccountId: string): { readonly historyFrom?: CalendarDate; readonly none: boolean } {
    const coverage = this.coverage(providerAccountId, "posted")
    if (coverage === undefined || coverage.kind === "delta") return { none: false }
    const { historyFrom = [], none = [] } = coverage
    const start = historyFrom.find((one) => one.providerAccountId === providerAccountId)
    return { ...(start === undefined ? {} : { historyFrom: start.from }), none: none.includes(providerAccountId) }
  }

  /** Hands over the rows that are held, by account, each in the order in which they were shown. */
  letGo(): ReadonlyArray<readonly [account: string, rows: ReadonlyArray<TakenRow>]> {
    const given = [...this.#rows].filter(([, rows]) => rows.length > 0)
    for (const [account] of given) this.#rows.set(account, [])
    this.held = 0
    return given
  }

  /** The rows of an account that are held, as they were shown. */
  heldRows(account: string): ReadonlyArray<Observation> {
    return this.#rows.get(account) ?? []
  }

  get accounts(): Iterable<string> {
    return this.#rows.keys()
  }

  /** Ids listed as gone and not listed again afterwards. */
  removed(providerAccountId: string): ReadonlySet<string> {
    return this.#removed.get(providerAccountId) ?? new Set()
  }

  /**
   * The rows of an account. In a change feed the last word on an id counts; in a snapshot the same row read
   * twice, on the edge of two pages, is one row. `earlier`: those that were let go.
   */
  rows(providerAccountId: string, earlier: ReadonlyArray<Observation> = []): ReadonlyArray<Observation> {
    const now = this.#rows.get(providerAccountId) ?? []
    const rows = earlier.length === 0 ? now : [...earlier, ...now]
    const gone = this.removed(providerAccountId)
    const areOrdered = this.shown(providerAccountId, earlier.length)?.areOrdered === true
    if (gone.size === 0 && (areOrdered || areDistinct(rows))) return rows
    const last = new Map<string, Observation>()
    const delta = (this.coverage(providerAccountId, "posted") ?? { kind: "delta" }).kind === "delta"
    const keyOf = (row: Observation) => (delta ? row.providerId : `${row.providerId}\n${row.hash}`)
    for (const row of rows) if (row.providerId !== "") last.set(keyOf(row), row)
    const kept = rows.filter(
      (row) => row.providerId === "" || (last.get(keyOf(row)) === row && !gone.has(row.providerId))
    )
    return kept
  }
}
