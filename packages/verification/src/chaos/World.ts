/** A workspace with banks, and for each bank a feed into a table and one into a file. */
import { workspaceFolder } from "@millrace/adapters/destination"
import { asOwner, type Caller } from "@millrace/core/access"
import { Banks, Enrichments, Feeds, Tables, Workspaces } from "@millrace/core/kernel"
import { Currency } from "@millrace/core"
import { layerKernel } from "@millrace/server"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import type { Seeded } from "@millrace/testing/model"
import { type BankServer, instanceId } from "./BankServer.ts"
import { accountIds, fill } from "./Mutation.ts"
import * as WorkerAdapters from "./WorkerAdapters.ts"

export interface ChaosFeed {
  readonly id: string
  /** Reference of its bank's connection. */
  readonly ref: string
  readonly bankId: string
  readonly destination:
    | { readonly kind: "table"; readonly tableId: string }
    | { readonly kind: "file"; readonly path: string }
}

export interface World {
  readonly apiKey: string
  /** Where files are written to. */
  readonly files: string
  /** Of all banks, in the order in which they were added. */
  readonly feeds: ReadonlyArray<ChaosFeed>
  /** New banks with that many rows each, and two feeds for each. */
  readonly addBanks: (banks: number, rows: number) => Promise<ReadonlyArray<ChaosFeed>>
}

export interface WorldOptions {
  readonly databaseUrl: string
  readonly folder: string
  readonly secret: string
  readonly bank: BankServer
  readonly worker: WorkerAdapters.WorkerOptions
  readonly random: Seeded
}

/** What is compared between bank, ledger and destinations. */
const mappings = ["id", "date", "amount", "description", "pending"].map((field) => ({
  sourceField: field,
  destinationField: field
}))

const recipients = [{ type: "email", recipients: ["owner@example.com"] }]

/** Enrichments that look at everything and tell somebody: rows are the same with them. */
const analysed = [
  { name: "Transfers", type: "transfer_match", config: {} },
  {
    name: "Furniture",
    type: "alert",
    config: {
      conditions: { logic: "or", conditions: [{ field: "description", operator: "contains", value: "e" }] },
      destinations: recipients,
      maxAgeDays: 365,
      notifyResolved: true
    }
  },
  {
    name: "Spending",
    type: "budget",
    config: {
      lines: [
        {
          key: "desks",
          name: "Desks",
          match: { logic: "and", conditions: [{ field: "description", operator: "startsWith", value: "Desk" }] },
          amount: "100000"
        }
      ]
    }
  }
]

/** The services of the same installation, without a slot: it founds and never runs a job. */
const onlooker = ({ databaseUrl, folder, secret, worker }: WorldOptions) =>
  ManagedRuntime.make(
    layerKernel(
      {
        dataFolder: folder,
        databaseUrl: Redacted.make(databaseUrl),
        host: "127.0.0.1",
        port: 0,
        filesFolder: folder,
        secretKey: Redacted.make(secret),
        demo: false,
        slots: 0,
        jobLease: 60
      },
      WorkerAdapters.layer(worker, folder)
    )
  )

type Services = ManagedRuntime.ManagedRuntime.Services<ReturnType<typeof onlooker>>

const addOne = Effect.fnUntraced(function* (caller: Caller, ref: string) {
  const { accounts, bank } = yield* (yield* Banks).connect(caller, {
    instanceId,
    attemptId: ref,
    payload: { kind: "provider_connection_id", connectionId: ref }
  })
  const feeds = yield* Feeds
  const table = yield* (yield* Tables).create(caller, { name: ref, fields: [] })
  const add = Effect.fnUntraced(function* (destination: ChaosFeed["destination"], destinationConfig: unknown) {
    const { feed } = yield* feeds.create(caller, {
      name: `${ref} to a ${destination.kind}`,
      source: "sync",
      dataType: "transactions",
      sourceConfig: { type: "sync", accounts: accounts.map(({ id }) => ({ bankId: bank.id, accountId: id })) },
      destinationConfig,
      fieldMappings: mappings
    })
    return { id: feed.id, ref, bankId: bank.id, destination } satisfies ChaosFeed
  })
  const path = `${ref}.csv`
  return [
    yield* add({ kind: "table", tableId: table.id }, { type: "table", tableId: table.id, createMissingColumns: true }),
    yield* add({ kind: "file", path }, { type: "file", path, format: "csv" })
  ]
})

export const found = async (options: WorldOptions): Promise<World> => {
  const { bank, random } = options
  const feeds: Array<ChaosFeed> = []
  // Ended each time: the database goes away under anyone who stays.
  const run = async <A, E>(effect: Effect.Effect<A, E, Services>): Promise<A> => {
    const kernel = onlooker(options)
    try {
      return await kernel.runPromise(effect)
    } finally {
      await kernel.dispose()
    }
  }
  const { caller, secret } = await run(
    Effect.gen(function* () {
      const founded = yield* (yield* Workspaces).create({
        name: "Chaos",
        plan: "enterprise",
        timezone: "UTC",
        baseCurrency: Currency.make("USD"),
        ownerEmail: "owner@localhost"
      })
      const { owner, workspace } = founded
      const user = asOwner(workspace, owner)
      const enrichments = yield* Enrichments
      for (const one of analysed) {
        yield* enrichments.create(user, { ...one, dataType: "transactions", allFeeds: true })
      }
      return { caller: user, secret: founded.secret }
    })
  )
  let last = 0
  return {
    apiKey: Redacted.value(secret),
    files: workspaceFolder(options.folder, caller.principal.workspace.id),
    feeds,
    addBanks: async (banks, rows) => {
      const refs = Array.from({ length: banks }, () => `bank-${++last}`)
      for (const ref of refs) fill(bank.bank(ref, accountIds), rows, random)
      const added = await run(Effect.forEach(refs, (ref) => addOne(caller, ref)))
      feeds.push(...added.flat())
      return added.flat()
    }
  }
}
