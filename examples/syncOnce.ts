/** What the examples have in common: one bank into one table, once, in memory. */
import { Banks, Feeds, Jobs, Tables, waitForJob } from "@millrace/core/kernel"
import type { ProviderMaking } from "@millrace/core/provider"
import type { PrivateHosts } from "@millrace/adapters"
import { Millrace } from "@millrace/embed"
import * as Effect from "effect/Effect"
import { newWorkspace } from "./newWorkspace.ts"

/** Connects the bank of a provider instance, syncs its transactions into a table, and answers the first rows. */
export const sync = <E = never>(
  providers: ReadonlyArray<ProviderMaking<E>>,
  instanceId: string,
  /** Hosts of the own network at which the provider is. */
  hosts: PrivateHosts | undefined = undefined
) =>
  Effect.gen(function* () {
    const { caller } = yield* newWorkspace
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
    const job = yield* waitForJob(caller, yield* (yield* Jobs).trigger(caller, feed.id, {}))
    if (job.status !== "completed") return yield* Effect.die(job.errors.map((error) => error.message).join("; "))
    return (yield* tables.queryRows(caller, table.id, {})).rows
  }).pipe(
    Effect.provide(Millrace.layer({ providers, privateHosts: hosts === undefined ? {} : { [instanceId]: hosts } }))
  )
