/** A connection of a fake upstream behind the kernel: what is stored is what a sync would store. */
import { Banks, type Kernel, LedgerWriter, ReadThrough, SourceReader } from "@millrace/core/kernel"
import { Outbound } from "@millrace/core/outbound"
import { type ProviderDriver, Providers, UpstreamPatience } from "@millrace/core/provider"
import { BankStore, EventStore, RecordStore } from "@millrace/core/storage"
import { RowEdits } from "@millrace/core/table"
import { CalendarDate, type Digest, Ids, Timestamp } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { somebody } from "../fixture/Actor.ts"
import { makeBank } from "../fixture/Bank.ts"
import { freeBanks, takeBank } from "../fixture/Lease.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { type ConnectedWorld, inSimulatedTime, subjectOf } from "./UpstreamUnderTest.ts"

/** All of the kernel that reads banks. */
const readingKernel = <E, R, S>(
  providers: Layer.Layer<Providers, E, R>,
  storage: Layer.Layer<Kernel.Stores | Digest | S>
) =>
  ReadThrough.layer.pipe(
    Layer.provideMerge(SourceReader.layer),
    Layer.provideMerge([LedgerWriter.layer.pipe(Layer.provide(RowEdits.layer)), Banks.layer]),
    Layer.provideMerge(Ids.layer),
    Layer.provideMerge(providers),
    Layer.provideMerge(storage)
  )

/** The driver for the subject that the connection was made for. */
const forSubject = (world: ConnectedWorld, driver: ProviderDriver): ProviderDriver => ({
  ...driver,
  open: (request) => driver.open({ ...request, subject: subjectOf(world) })
})

/** What could not be read: `""` for an account or a type where it is about all of them. */
export interface Problem {
  readonly accountId: string
  readonly dataType: string
  readonly message: string
}

const problem = (
  accountId: string,
  dataType: string,
  { _tag, message }: { readonly _tag: string; readonly message: string }
): Problem => ({ accountId, dataType, message: `${_tag}: ${message}` })

/** The connection as the bank of a workspace, read through the kernel. */
export const stored = Effect.fnUntraced(function* (world: ConnectedWorld) {
  const making = Effect.map(world.making, (driver) => forSubject(world, driver))
  const services = yield* Layer.build(
    readingKernel(
      Layer.provide(Providers.layerBudgeted([making]), Layer.succeed(Outbound, world.outbound)),
      world.options.storage
    )
  )
  const workspace = yield* Effect.provide(storeWorkspace({ plan: "enterprise", timezone: "UTC" }), services)
  const { instanceId, kind } = world.driver
  const bank = yield* Effect.provide(
    makeBank(workspace, { providerInstanceId: instanceId, source: kind, name: "Suite" }),
    services
  )
  const context = Effect.provide(
    Effect.all({
      banks: Banks,
      store: BankStore,
      reading: ReadThrough,
      reader: SourceReader,
      records: RecordStore,
      events: EventStore
    }),
    services
  )
  const { banks, events, reader, reading, records, store } = yield* context
  const setAside: Array<string> = []
  yield* store.insert(bank, { instanceId, connection: world.connection() })
  const dataTypes = ["balances", ...world.options.dataTypes] as const
  const now = Effect.map(store.get(workspace.id, bank.id), Option.getOrThrow)
  const page = (accountId: (typeof bank)["id"] | string, dataType: (typeof dataTypes)[number]) =>
    records.page({ workspaceId: workspace.id, accountId: accountId as never, dataType }, { filter: {}, limit: 10_000 })

  /** Waits until nothing that was read is fresh. */
  const wait = TestClock.adjust(`${world.driver.capabilities.freshnessSeconds + 1} seconds`)

  /** Reads all that the bank has in one session, as a run does; returns what could not be read. */
  const sync = Effect.gen(function* () {
    yield* wait
    const lease = yield* takeBank(bank.id, "suite", 86_400)
    const looked = yield* Effect.result(banks.refresh(yield* now, Effect.void, somebody))
    if (Result.isFailure(looked)) return [problem("", "", looked.failure)]
    const { listed, session, status } = looked.success
    if (listed === undefined) return [problem("", "", { _tag: status.status, message: status.errorMessage ?? "" })]
    const problems: Array<Problem> = []
    const today = CalendarDate.make((yield* Timestamp.now).slice(0, 10))
    for (const dataType of world.options.dataTypes) {
      const capability = session.driver.capabilities.dataTypes[dataType]!
      const accounts = listed.accounts.filter(({ state }) => state === "open")
      const having = accounts.filter(({ supports }) => supports.includes(dataType))
      for (const account of capability.scope === "connection" ? [undefined] : having) {
        const pulled = yield* Effect.result(
          reader.pull(
            { bankId: bank.id, lease, cause: somebody },
            {
              bank,
              session,
              accounts,
              account,
              dataType,
              capability,
              range: undefined,
              earliest: CalendarDate.addDays(today, -capability.historyDays),
              today,
              lookbackDays: 0,
              accountsAgree: listed.agrees,
              unreadIds: new Set(listed.unread.map(({ providerAccountId }) => providerAccountId)),
              reset: false,
              byIdOnly: false
            }
          )
        )
        if (Result.isFailure(pulled)) problems.push(problem(account?.id ?? "", dataType, pulled.failure))
        else setAside.push(...pulled.success.quarantined.map(({ providerId }) => providerId))
      }
    }
    return problems
  }).pipe(
    Effect.ensuring(Effect.ignore(freeBanks("suite"))),
    Effect.provideContext(services),
    Effect.provideService(UpstreamPatience, 3_600)
  )

  /** Reads all that the bank has account by account, as callers who wait do; returns what could not be read. */
  const look = Effect.gen(function* () {
    yield* wait
    const problems: Array<Problem> = []
    const looked = yield* Effect.result(banks.refresh(yield* now, Effect.void, somebody))
    if (Result.isFailure(looked)) return [problem("", "", looked.failure)]
    for (const account of yield* store.accounts(bank.id)) {
      for (const dataType of dataTypes) {
        const told = yield* reading.freshen(workspace, yield* now, account, dataType, {})
        if (told.problem !== undefined) problems.push(problem(account.id, dataType, told.problem))
      }
    }
    return problems
  }).pipe(Effect.provideService(UpstreamPatience, 3_600))

  return {
    bank,
    workspace,
    accounts: store.accounts(bank.id),
    status: Effect.map(now, ({ connectionStatus }) => connectionStatus),
    /** Ids of the rows that syncs could not read, as their jobs tell them. */
    setAside,
    /** Of the connection, as the next run would get them. */
    secrets: Effect.map(store.connection(bank.id), (held) => Option.getOrThrow(held).connection.secrets),
    page,
    sync: inSimulatedTime(world, sync),
    look: inSimulatedTime(world, look),
    checkpoints: Effect.gen(function* () {
      const found: Array<string> = []
      for (const dataType of world.options.dataTypes) {
        for (const accountId of [undefined, ...(yield* store.accounts(bank.id)).map(({ id }) => id)]) {
          const kept = yield* records.checkpoint({ bankId: bank.id, accountId, dataType })
          if (kept !== undefined) found.push(`${dataType} ${accountId ?? ""} ${kept}`)
        }
      }
      return found
    }),
    /** All that anybody can be shown, as text. */
    shown: Effect.gen(function* () {
      const accounts = yield* store.accounts(bank.id)
      const rows = yield* Effect.forEach(accounts, ({ id }) =>
        Effect.forEach(dataTypes, (dataType) => page(id, dataType))
      )
      return [
        JSON.stringify(yield* now),
        JSON.stringify(accounts),
        JSON.stringify(rows),
        JSON.stringify(yield* events.read(workspace.id, 0, 1_000))
      ]
    })
  }
})

export type StoredWorld = Effect.Success<ReturnType<typeof stored>>
