/**
 * A provider whose world the test scripts: every change model, scope and kind of id behind one driver.
 *
 * It does what honest drivers do. A change feed tells when it moved between two pages, a snapshot does not;
 * a change feed that is asked without a checkpoint gives all its rows and says that these are all.
 */
import {
  type ChangeModel,
  CheckpointInvalid,
  ConnectionGone,
  type DataTypeCapability,
  type IdTrust,
  MutationDuringPagination,
  type ObservedRecord,
  type ProviderDriver,
  type ProviderError,
  type PullRequest,
  type SyncPage,
  Unsupported,
  type UpstreamSays
} from "@millrace/core/provider"
import { CalendarDate } from "@millrace/core"
import * as Effect from "effect/Effect"
import { plainCapabilities } from "./DriverCalls.ts"
import { longAgo, observed, ScriptedBank, type TrueRow } from "./ScriptedBank.ts"

export interface ScriptedOptions {
  /** Part of the instance id after `demo:`. */
  readonly instance: string
  readonly changeModel: ChangeModel
  readonly scope: DataTypeCapability["scope"]
  readonly idTrust: IdTrust
  readonly pageSize: number
  readonly overlapDays: number
  readonly historyDays: number
  readonly freshnessSeconds?: number
  /** Says where the history of each account starts: it shows all rows of the days that it was asked for. */
  readonly saysHistory?: boolean
}

/** Whether its ids say which row is which. */
export const isTrusted = (trust: IdTrust): boolean => trust !== "none" && trust !== "positional"

/** Items of one run, in the order in which its pages show them. */
type Item = { readonly upserted: ObservedRecord } | { readonly removed: SyncPage["removed"][number] }

const pageOf = (items: ReadonlyArray<Item>, coverage: SyncPage["coverage"], end: SyncPage["end"]): SyncPage => ({
  upserted: items.flatMap((item) => ("upserted" in item ? [item.upserted] : [])),
  removed: items.flatMap((item) => ("removed" in item ? [item.removed] : [])),
  quarantined: [],
  coverage,
  end
})

/** What the bank shows of the accounts that are asked for. */
const visible = (
  one: ScriptedBank,
  request: PullRequest
): { readonly rows: ReadonlyArray<TrueRow>; readonly left: ReadonlyArray<TrueRow> } => {
  const isAsked = (row: TrueRow) =>
    request.providerAccountIds.includes(one.shownId(row.account)) && !one.unlisted.has(row.account)
  const rows = one.stillShown.filter(isAsked)
  const shown = new Set(rows)
  const left = [...one.rows.values()].filter((row) => isAsked(row) && !shown.has(row))
  for (const { line } of left) one.leftOut.add(line)
  return { rows, left }
}

/** What the bank says of the accounts itself, beside its rows: the day behind what it no longer shows. */
const saidBy = (
  { saysHistory }: ScriptedOptions,
  one: ScriptedBank,
  { providerAccountIds }: PullRequest,
  left: ReadonlyArray<TrueRow>,
  from: CalendarDate.CalendarDate
): UpstreamSays =>
  saysHistory === true
    ? {
        historyFrom: providerAccountIds.map((providerAccountId) => ({
          providerAccountId,
          from: left.reduce(
            (first, { account, date }) =>
              one.shownId(account) === providerAccountId
                ? CalendarDate.max(first, CalendarDate.addDays(date, 1))
                : first,
            from
          )
        }))
      }
    : {}

export const makeScriptedProvider = (options: ScriptedOptions) => {
  const banks = new Map<string, ScriptedBank>()
  const { changeModel, idTrust, pageSize } = options
  const capability: DataTypeCapability = {
    changeModel,
    scope: options.scope,
    idTrust,
    historyDays: options.historyDays,
    overlapDays: options.overlapDays
  }

  /** The bank of a connection; made when it is first asked for. */
  const bank = (ref: string, accountIds: ReadonlyArray<string> = ["a"]): ScriptedBank => {
    let one = banks.get(ref)
    if (one === undefined) banks.set(ref, (one = new ScriptedBank(accountIds)))
    return one
  }

  const items = (one: ScriptedBank, rows: ReadonlyArray<TrueRow>): ReadonlyArray<Item> =>
    rows.map((row, at) => ({
      upserted: observed(
        one,
        row,
        idTrust === "none" ? "" : idTrust === "positional" ? `${rows.length - at}` : row.providerId
      )
    }))

  const snapshot = (one: ScriptedBank, request: PullRequest): SyncPage => {
    const window = changeModel === "snapshotWindow"
    const { left, rows: all } = visible(one, request)
    const rows = all.filter((row) => !window || (row.date >= request.from && row.date <= request.to))
    const [at = 0, shown = rows.length] = (request.position ?? "").split(":").slice(1).map(Number)
    const short = request.position === undefined && one.shortReads > 0
    if (short) one.shortReads--
    const some = Math.floor(rows.length / one.shortBy)
    const start = short && one.shortAtStart ? rows.length - some : at
    const end = short && !one.shortAtStart ? some : shown
    const told = items(one, rows).slice(0, end)
    const page = told.slice(one.repeatsEdges ? Math.max(0, start - 1) : start, start + pageSize)
    const more = start + pageSize < told.length
    return pageOf(
      page,
      window
        ? {
            kind: "window",
            from: request.from,
            to: request.to,
            complete: true,
            ...saidBy(options, one, request, left, request.from)
          }
        : { kind: "full", complete: true, ...saidBy(options, one, request, left, longAgo) },
      more
        ? { kind: "more", position: `v1:${start + pageSize}${end < rows.length ? `:${end}` : ""}` }
        : { kind: "done" }
    )
  }

  const changes = (one: ScriptedBank, request: PullRequest): Effect.Effect<SyncPage, ProviderError> => {
    const { checkpoint, position } = request
    const [end, start] = (position ?? `v1:${one.events.length}:0`).split(":").slice(1).map(Number)
    if (end !== one.events.length) return new MutationDuringPagination({ message: "The feed moved" })
    const whole = checkpoint === undefined
    // Of an account that is listed no longer there is nothing to be told, not even that it has no rows.
    if (whole && [...one.unlisted].some((account) => request.providerAccountIds.includes(one.shownId(account)))) {
      return new MutationDuringPagination({ message: "The accounts changed" })
    }
    const [generation, since] = whole ? [one.generation, 0] : checkpoint.split(":").slice(1).map(Number)
    if (generation !== one.generation) return new CheckpointInvalid({ message: "No such checkpoint" })
    const { left, rows } = whole ? visible(one, request) : { left: [], rows: [] }
    const all: ReadonlyArray<Item> = whole
      ? items(
          one,
          rows.filter((row) => row.date >= request.from)
        )
      : one.events
          .slice(since)
          .filter(({ row }) => request.providerAccountIds.includes(one.shownId(row.account)))
          .flatMap(({ kind, row }): ReadonlyArray<Item> =>
            kind === "shown"
              ? [{ upserted: observed(one, row) }]
              : changeModel === "appendOnly"
                ? []
                : [{ removed: { providerAccountId: one.shownId(row.account), providerId: row.providerId } }]
          )
    const next = start! + pageSize
    return Effect.succeed(
      pageOf(
        all.slice(start!, next),
        whole && changeModel === "delta"
          ? {
              kind: "window",
              from: request.from,
              to: request.to,
              complete: true,
              ...saidBy(options, one, request, left, request.from)
            }
          : { kind: "delta" },
        next < all.length
          ? { kind: "more", position: `v1:${end}:${next}` }
          : { kind: "done", checkpoint: `v1:${one.generation}:${end}` }
      )
    )
  }

  const driver: ProviderDriver = {
    kind: "demo",
    instanceId: `demo:${options.instance}`,
    name: `Scripted ${options.instance}`,
    countryCodes: ["US"],
    capabilities: {
      ...plainCapabilities,
      dataTypes: { transactions: capability },
      removal: "sync",
      freshnessSeconds: options.freshnessSeconds ?? 300
    },
    listInstitutions: () => Effect.succeed([]),
    beginConnect: () => new ConnectionGone({ message: "Scripted connections are made by tests" }),
    completeConnect: () => new ConnectionGone({ message: "Scripted connections are made by tests" }),
    open: ({ connection: { ref } }) =>
      Effect.succeed({
        inspect: Effect.suspend(() => {
          const one = bank(ref)
          const failure = one.lookFailures.shift()
          return failure === undefined ? Effect.succeed(one.health) : Effect.fail(failure)
        }),
        listAccounts: Effect.sync(() => bank(ref).listAccounts()),
        pull: (request) =>
          Effect.suspend(() => {
            const one = bank(ref)
            one.pulls++
            one.asked = request
            const failure = one.failures.shift()
            if (failure !== undefined) return Effect.fail(failure)
            const lacks = [...one.lacking].some((account) => request.providerAccountIds.includes(one.shownId(account)))
            if (lacks) return new Unsupported({ message: "The account has no such data", dataType: request.dataType })
            if (request.position !== undefined) one.meanwhile.shift()?.()
            return isTrusted(idTrust) && (changeModel === "delta" || changeModel === "appendOnly")
              ? changes(one, request)
              : Effect.sync(() => snapshot(one, request))
          }),
        revoke: Effect.succeed("done")
      })
  }

  return { driver, bank, options }
}

export type ScriptedProvider = ReturnType<typeof makeScriptedProvider>
