/** A sync without its ends: what an upstream showed is identified and written to the ledger. */
import { BankStore } from "@millrace/core/storage"
import { CalendarDate, Digest } from "@millrace/core"
import { MatchConfigs } from "../../packages/core/src/identity/MatchConfigs.ts"
import { Stage } from "../../packages/core/src/sync/Stage.ts"
import { LedgerWriter } from "@millrace/core/kernel"
import { openFor } from "@millrace/testing/fake"
import { freeBanks, takeBank } from "@millrace/testing/fixture"
import { withinWorkspaces } from "@millrace/core/workspace"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Connected, leaseSeconds } from "./Installation.ts"
import type { Upstream } from "./Statements.ts"

/** The lease of a connection, which every write to it must show. */
const holder = "bench"

/** Takes the connection for as long as the benchmark lasts. */
export const hold = ({ bank }: Connected) =>
  Effect.gen(function* () {
    yield* takeBank(bank.id, holder, leaseSeconds)
  })

export const release = freeBanks(holder)

/** All pages of the upstream, normalised and hashed: what a pull holds when it has read the last one. */
export const stage = ({ driver }: Upstream) =>
  Effect.gen(function* () {
    const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, "UTC")
    const staged = new Stage("transactions", yield* Digest)
    const session = yield* openFor(driver, { ref: "", secrets: {} })
    for (let position = "0"; ;) {
      const page = yield* session.pull({
        dataType: "transactions",
        providerAccountIds: [],
        from: today,
        to: today,
        position
      })
      staged.add(page)
      if (page.end.kind === "done") return staged
      position = page.end.position
    }
  })

/** Brings the ledger to what was staged, four accounts at a time as a pull does. */
export const write = ({ bank }: Connected, { driver }: Upstream, staged: Stage) =>
  Effect.gen(function* () {
    const { changeModel, idTrust } = driver.capabilities.dataTypes.transactions!
    const writer = yield* LedgerWriter
    // It is held already, and stays what it is.
    const lease = yield* takeBank(bank.id, holder, leaseSeconds)
    const accounts = yield* (yield* BankStore).accounts(bank.id)
    // As a pull does: asked once for all of its accounts.
    const { dedupes: tuning } = yield* Effect.provide(MatchConfigs, MatchConfigs.layer)
    const dedupes = yield* tuning({ workspaceId: bank.workspaceId, dataType: "transactions" })
    const written = yield* Effect.forEach(
      accounts,
      ({ id, providerAccountId }) =>
        writer.writeSpooled(
          { bankId: bank.id, lease, cause: { kind: "system", reason: "bench" } },
          {
            scope: { workspaceId: bank.workspaceId, accountId: id, dataType: "transactions" },
            shown: staged.shown(providerAccountId)!,
            rows: Effect.sync(() => staged.rows(providerAccountId)),
            removed: staged.removed(providerAccountId),
            unread: staged.unread(providerAccountId),
            coverage: { kind: "full", complete: true },
            idTrust,
            changeModel,
            byIdOnly: false,
            dedupes
          }
        ),
      { concurrency: 4 }
    )
    return {
      seen: written.reduce((sum, { changed, unchanged }) => sum + changed + unchanged, 0),
      changed: written.reduce((sum, { changed, gone }) => sum + changed + gone, 0)
    }
  }).pipe(withinWorkspaces(bank.workspaceId))
