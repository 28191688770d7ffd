/** What is under way in memory, what waits, and whose turn it is. */
import { type Bank, type BankId, bankLease } from "@millrace/core/bank"
import { feedLease } from "@millrace/core/feed"
import { capacityOf, type Dispatched, runnerSilence, type RunnerSlots } from "@millrace/core/job"
import { pokeLease } from "@millrace/core/storage"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import { UpstreamTurns, wholeLine } from "../../rate/MemoryUpstreamBudget.ts"
import { JobTable, type StoredJob } from "./MemoryJobTable.ts"
import { BankTable } from "./MemoryBankTable.ts"
import { ascending } from "./Order.ts"

const isRunnable = ({ job }: StoredJob): boolean => job.status === "created" || job.status === "in_progress"

const isPoked = ({ pokedAt }: StoredJob, now: number): boolean =>
  pokedAt !== undefined && pokedAt + pokeLease * 1000 > now

/** Whether nobody waits for it: what no person has triggered. */
const isUnasked = ({ job }: StoredJob): boolean => job.type !== "manual"

const inOrder = (a: StoredJob, b: StoredJob): number =>
  Number(isUnasked(a)) - Number(isUnasked(b)) ||
  ascending(a.job.createdAt, b.job.createdAt) ||
  ascending(a.job.id, b.job.id)

/**
 * Who has the least under way comes first. Then those that people have triggered and the others by turns, as many of each
 * as the other has; then who waited longest since the last one, then the oldest. One job of a connection at a time.
 */
const inTurn = (
  flight: ReadonlyArray<StoredJob>,
  due: ReadonlyArray<StoredJob>,
  served: ReadonlyMap<WorkspaceId, number>
): ReadonlyArray<StoredJob> => {
  const under = new Map<string, number>()
  const next = ({ job }: StoredJob): number => {
    const turn = (under.get(job.workspaceId) ?? 0) + 1
    under.set(job.workspaceId, turn)
    return turn
  }
  const beside = [0, 0]
  const nextOfKind = (stored: StoredJob): number => ++beside[Number(isUnasked(stored))]!
  const last = ({ job }: StoredJob): number => served.get(job.workspaceId) ?? 0
  for (const stored of flight) {
    next(stored)
    nextOfKind(stored)
  }
  const seen = new Set<BankId>()
  return due
    .toSorted(inOrder)
    .filter(({ banks: [bank] }) => {
      if (bank === undefined) return true
      const first = !seen.has(bank)
      seen.add(bank)
      return first
    })
    .map((stored) => ({ stored, turn: next(stored) }))
    .toSorted(
      (a, b) =>
        a.turn - b.turn ||
        last(a.stored) - last(b.stored) ||
        ascending(a.stored.job.createdAt, b.stored.job.createdAt) ||
        ascending(a.stored.job.id, b.stored.job.id)
    )
    .map((entry) => ({ ...entry, beside: nextOfKind(entry.stored) }))
    .toSorted(
      (a, b) => a.turn - b.turn || a.beside - b.beside || Number(isUnasked(a.stored)) - Number(isUnasked(b.stored))
    )
    .map(({ stored }) => stored)
}

class JobDispatch {
  readonly #runners = new Map<string, { readonly slots: number; readonly beatAt: number }>()
  /** In which call each workspace was handed a job last. */
  readonly #served = new Map<WorkspaceId, number>()
  #calls = 0
  readonly #table: JobTable["Service"]
  readonly #banks: ReadonlyMap<BankId, Bank>
  readonly #turns: UpstreamTurns["Service"]
  readonly #lease: number

  /** `lease` is that of a run, in milliseconds, as all instants are. */
  constructor(
    table: JobTable["Service"],
    banks: ReadonlyMap<BankId, Bank>,
    turns: UpstreamTurns["Service"],
    lease: number
  ) {
    this.#table = table
    this.#banks = banks
    this.#turns = turns
    this.#lease = lease
  }

  beat({ name, slots }: RunnerSlots, now: number): void {
    this.#runners.set(name, { slots, beatAt: now })
  }

  leave(name: string): void {
    this.#runners.delete(name)
  }

  #slots(now: number): number {
    let sum = 0
    for (const { beatAt, slots } of this.#runners.values()) if (beatAt + runnerSilence * 1000 > now) sum += slots
    return sum
  }

  /** Whether no worker beats for it. */
  isSilent({ heartbeat }: StoredJob, now: number): boolean {
    return heartbeat === undefined || heartbeat + this.#lease <= now
  }

  /** Whether nobody works on it, and nobody asked it to pause: then it may be claimed. */
  isFree(stored: StoredJob, now: number): boolean {
    return isRunnable(stored) && stored.job.pauseReason === undefined && this.isSilent(stored, now)
  }

  #survey(now: number) {
    const flight: Array<StoredJob> = []
    const due: Array<StoredJob> = []
    for (const id of this.#table.active.values()) {
      const stored = this.#table.jobs.get(id)!
      if (!isRunnable(stored)) continue
      if (!this.isSilent(stored, now) || isPoked(stored, now)) flight.push(stored)
      else if (stored.job.pauseReason === undefined) due.push(stored)
    }
    const busy = new Set(flight.flatMap(({ banks }) => banks))
    const isLeased = (resource: string): boolean => (this.#table.leases.get(resource)?.until ?? 0) > now
    const isBusy = (bank: BankId): boolean => {
      const instance = this.#banks.get(bank)?.providerInstanceId
      const turn = instance === undefined ? undefined : this.#turns.get(instance)?.get(wholeLine)
      return busy.has(bank) || isLeased(bankLease(bank)) || (turn !== undefined && turn.given.nextAt > now + 1_000)
    }
    const needsBusy = ({ banks, job }: StoredJob): boolean => isLeased(feedLease(job.feedId)) || banks.some(isBusy)
    return { flight, due, needsBusy }
  }

  dispatch(limit: number, now: number): Dispatched {
    this.#calls++
    const { due, flight, needsBusy } = this.#survey(now)
    const capacity = capacityOf(this.#slots(now))
    const room = Math.max(0, Math.min(limit, capacity - flight.length))
    const chosen =
      room === 0
        ? []
        : inTurn(
            flight,
            due.filter((stored) => !needsBusy(stored)),
            this.#served
          ).slice(0, room)
    for (const stored of chosen) {
      this.#table.put({ ...stored, pokedAt: now })
      this.#served.set(stored.job.workspaceId, this.#calls)
    }
    return {
      jobs: chosen.map(({ job }) => ({ jobId: job.id, feedId: job.feedId })),
      inFlight: flight.length,
      full: flight.length + chosen.length >= capacity,
      more: due.length > chosen.length
    }
  }

  /** Whether a job could be taken up now, if only somebody did. */
  couldStart(now: number): (stored: StoredJob) => boolean {
    const { flight, needsBusy } = this.#survey(now)
    const idle = this.#slots(now) > flight.length
    return (stored) => idle && !needsBusy(stored)
  }
}

/** `lease` is that of a run, in milliseconds. */
export const makeJobDispatch = Effect.fnUntraced(function* (lease: number) {
  const { banks } = yield* BankTable
  return new JobDispatch(yield* JobTable, banks, yield* UpstreamTurns, lease)
})
