/** What the examples have in common: one bank into one table, once, in memory. */
import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { asOwner } from "@millrace/core/access"
import { Banks, Feeds, Jobs, Kernel, Tables, Workspaces } from "@millrace/core/kernel"
import { isActive } from "@millrace/core/job"
import type { ProviderMaking } from "@millrace/core/provider"
import { Currency } from "@millrace/core"
import { layerMemory } from "@millrace/jobs"
import type { PrivateHosts } from "@millrace/adapters"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** Storage, adapters, the runs, an engine for them, and the use cases on top. */
export const layer = <E = never>(providers: ReadonlyArray<ProviderMaking<E>>, hosts?: PrivateHosts) =>
  Kernel.layerUseCases(Redacted.make("an embedding program keeps its own secret here")).pipe(
    Layer.provideMerge(layerMemory()),
    Layer.provideMerge(Kernel.layerRun),
    Layer.provideMerge(Adapters.layer({ providers, folder: undefined, privateHosts: hosts })),
    Layer.provideMerge(MemoryStorage.layer)
  )

/** Connects the bank of a provider instance, syncs its transactions into a table, and answers the first rows. */
export const sync = <E = never>(
  providers: ReadonlyArray<ProviderMaking<E>>,
  instanceId: string,
  hosts?: PrivateHosts
) =>
  Effect.gen(function* () {
    const { owner, workspace } = yield* (yield* Workspaces).found({
      name: "Example",
      plan: "enterprise",
      timezone: "UTC",
      baseCurrency: Currency.make("EUR"),
      ownerEmail: "owner@example.com"
    })
    const caller = asOwner(workspace, owner)
    const { accounts, bank } = yield* (yield* Banks).connect(caller, {
      instanceId,
      attemptId: "example",
      payload: { kind: "provider_connection_id", connectionId: "example" }
    })
    const tables = yield* Tables
    const table = yield* tables.create(caller, { name: "Transactions", fields: [] })
    const { feed } = yield* (yield* Feeds).create(caller, {
      name: "Transactions to a table",
      source: "sync",
      dataType: "transactions",
      sourceConfig: { type: "sync", accounts: accounts.map((account) => ({ bankId: bank.id, accountId: account.id })) },
      destinationConfig: { type: "table", tableId: table.id }
    })
    const jobs = yield* Jobs
    let job = yield* jobs.trigger(caller, feed.id, {})
    while (isActive(job.status)) {
      yield* Effect.sleep("20 millis")
      job = yield* jobs.get(caller, feed.id, job.id)
    }
    if (job.status !== "completed") return yield* Effect.die(job.errors.map((error) => error.message).join("; "))
    return (yield* tables.queryRows(caller, table.id, {})).rows
  }).pipe(Effect.provide(layer(providers, hosts)), Effect.scoped)
