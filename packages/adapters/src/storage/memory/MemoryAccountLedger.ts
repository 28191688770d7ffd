/** The records of accounts in memory, and the orders in which they are read. */
import type { AccountId } from "@millrace/core/bank"
import type { LedgerRecord, RecordState, RecordWrite, DataType } from "@millrace/core/record"
import type { Timestamp } from "@millrace/core"
import type * as Context from "effect/Context"
import * as Equal from "effect/Equal"
import { frozenFields } from "./Frozen.ts"
import type { Memory } from "./MemoryTransactor.ts"
import { ascending, byDate, firstIndex } from "./Order.ts"

/** Whether readers are shown the same of a record after a write as before it. */
const isAsBefore = (before: LedgerRecord, { date, fields, pending, state }: RecordWrite): boolean =>
  before.mergedInto === undefined &&
  before.state === state &&
  before.date === date &&
  before.pending === pending &&
  Equal.equals(before.fields, fields)

const noIds: ReadonlyArray<string> = []

/** Newest first: day, then id, both descending; records without a day last. */
export const newestFirst = (a: Pick<LedgerRecord, "date" | "id">, b: Pick<LedgerRecord, "date" | "id">): number => {
  if (a.date === b.date) return ascending(b.id, a.id)
  return a.date === null || b.date === null ? byDate(a.date, b.date) : ascending(b.date, a.date)
}

/** How often a record was not seen, and in which reads first and last. */
export interface Missed {
  readonly count: number
  readonly since: Timestamp.Timestamp
  readonly at: Timestamp.Timestamp
}

/** One data type of one account. */
export class TypeLedger {
  readonly records = new Map<string, LedgerRecord>()
  /** Complete reads without a record; absent while it is seen. */
  readonly missed = new Map<string, Missed>()
  /** Records that nothing but their own id is taken for. */
  readonly apart = new Set<string>()
  /** Upstream id -> records that have it now; `""` is not kept. */
  readonly byProviderId = new Map<string, ReadonlyArray<string>>()
  /** In change order. An entry is stale once `records` holds a later writing of it. */
  log: Array<LedgerRecord> = []
  /** Live records newest first, until something is written. */
  page: ReadonlyArray<LedgerRecord> | undefined = undefined

  /** Records of a state, newest first. Live ones are asked for often, tombstones seldom. */
  inOrder(state: RecordState): ReadonlyArray<LedgerRecord> {
    if (state === "live" && this.page !== undefined) return this.page
    const ordered = [...this.records.values()].filter((record) => record.state === state).toSorted(newestFirst)
    if (state === "live") this.page = ordered
    return ordered
  }
}

/** One account: the numbers of its changes are common to all types. */
export class AccountLedger {
  readonly accountId: AccountId
  readonly types = new Map<DataType, TypeLedger>()
  lastChange = 0

  constructor(accountId: AccountId) {
    this.accountId = accountId
  }

  ofType(dataType: DataType): TypeLedger {
    let ledger = this.types.get(dataType)
    if (ledger === undefined) this.types.set(dataType, (ledger = new TypeLedger()))
    return ledger
  }

  /** The same, about to get changes that are undone with the transaction. */
  private changing(memory: Context.Service.Shape<typeof Memory>, dataType: DataType): TypeLedger {
    const ledger = this.ofType(dataType)
    const { lastChange } = this
    const { length } = ledger.log
    ledger.page = undefined
    memory.journal(() => {
      this.lastChange = lastChange
      ledger.log.length = length
      ledger.page = undefined
    })
    return ledger
  }

  write(
    memory: Context.Service.Shape<typeof Memory>,
    dataType: DataType,
    writes: ReadonlyArray<RecordWrite>,
    now: Timestamp.Timestamp,
    apart: boolean
  ): void {
    const ledger = this.changing(memory, dataType)
    for (const write of writes) {
      const before = ledger.records.get(write.id)
      if (apart && before === undefined) {
        ledger.apart.add(write.id)
        memory.journal(() => ledger.apart.delete(write.id))
      }
      const record: LedgerRecord = Object.freeze({
        id: write.id,
        accountId: this.accountId,
        dataType,
        providerId: write.providerId,
        date: write.date,
        pending: write.pending,
        state: write.state,
        hash: write.hash,
        fields: frozenFields(write.fields),
        changeNo: ++this.lastChange,
        publicChangeNo: before !== undefined && isAsBefore(before, write) ? before.publicChangeNo : this.lastChange,
        version: (before?.version ?? 0) + 1,
        annotated: before?.annotated ?? false,
        createdAt: before?.createdAt ?? now,
        updatedAt: now
      })
      memory.set(ledger.records, record.id, record)
      memory.remove(ledger.missed, record.id)
      ledger.log.push(record)
      if (before?.providerId !== record.providerId)
        moveProviderId(memory, ledger, record.id, before?.providerId, record)
    }
    compact(memory, ledger)
  }

  /** Gives records the next change numbers; their public ones stay. */
  touch(memory: Context.Service.Shape<typeof Memory>, dataType: DataType, ids: ReadonlyArray<string>): void {
    const ledger = this.changing(memory, dataType)
    for (const id of ids) {
      const changeNo = ++this.lastChange
      const before = ledger.records.get(id)
      if (before === undefined) continue
      const record: LedgerRecord = Object.freeze({ ...before, changeNo, annotated: true })
      memory.set(ledger.records, id, record)
      ledger.log.push(record)
    }
    compact(memory, ledger)
  }

  /** Some of its records become those of another account, which gives them its next numbers in the order of theirs. */
  move(
    memory: Context.Service.Shape<typeof Memory>,
    dataType: DataType,
    ids: ReadonlySet<string>,
    to: AccountLedger
  ): void {
    const [source, target] = [this.ofType(dataType), to.ofType(dataType)]
    const moving = [...source.records.values()]
      .filter(({ id }) => ids.has(id))
      .toSorted((a, b) => a.changeNo - b.changeNo)
    if (moving.length === 0) return
    const { lastChange } = to
    const { length } = target.log
    const fresh = (): void => {
      source.page = undefined
      target.page = undefined
    }
    fresh()
    memory.journal(() => {
      to.lastChange = lastChange
      target.log.length = length
      fresh()
    })
    for (const before of moving) {
      const { id } = before
      const record: LedgerRecord = Object.freeze({
        ...before,
        accountId: to.accountId,
        changeNo: ++to.lastChange,
        publicChangeNo: to.lastChange
      })
      memory.remove(source.records, id)
      memory.set(target.records, id, record)
      target.log.push(record)
      moveProviderId(memory, source, id, before.providerId, { ...before, providerId: "" })
      moveProviderId(memory, target, id, undefined, record)
      const missed = source.missed.get(id)
      if (missed !== undefined) {
        memory.remove(source.missed, id)
        memory.set(target.missed, id, missed)
      }
      if (source.apart.delete(id)) {
        target.apart.add(id)
        memory.journal(() => {
          target.apart.delete(id)
          source.apart.add(id)
        })
      }
    }
  }

  /** Changes what is no public change: number and version stay. */
  amend(
    memory: Context.Service.Shape<typeof Memory>,
    dataType: DataType,
    id: string,
    change: Pick<LedgerRecord, "providerId"> | { readonly mergedInto: string }
  ): void {
    const ledger = this.ofType(dataType)
    const before = ledger.records.get(id)
    if (before === undefined) return
    const { log } = ledger
    const record: LedgerRecord = Object.freeze({ ...before, ...change })
    const at = firstIndex(log, ({ changeNo }) => changeNo >= before.changeNo)
    log[at] = record
    ledger.page = undefined
    memory.journal(() => {
      log[at] = before
      ledger.page = undefined
    })
    memory.set(ledger.records, id, record)
    if (before.providerId !== record.providerId) moveProviderId(memory, ledger, id, before.providerId, record)
  }
}

const moveProviderId = (
  memory: Context.Service.Shape<typeof Memory>,
  { byProviderId }: TypeLedger,
  id: string,
  from: string | undefined,
  { providerId: to }: LedgerRecord
): void => {
  if (from !== undefined && from !== "") {
    const rest = (byProviderId.get(from) ?? noIds).filter((other) => other !== id)
    if (rest.length === 0) memory.remove(byProviderId, from)
    else memory.set(byProviderId, from, rest)
  }
  if (to !== "") memory.set(byProviderId, to, [...(byProviderId.get(to) ?? noIds), id])
}

/** Drops stale entries of the log once they are the greater part of it. */
const compact = (memory: Context.Service.Shape<typeof Memory>, ledger: TypeLedger): void => {
  const { log } = ledger
  if (log.length < 1024 || log.length < ledger.records.size * 2) return
  memory.journal(() => {
    ledger.log = log
  })
  ledger.log = log.filter((record) => ledger.records.get(record.id) === record)
}
