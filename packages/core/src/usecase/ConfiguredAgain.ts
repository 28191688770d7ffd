/** Banks that could not be read because their provider was not set up: they are looked at as soon as it is again. */
import * as Effect from "effect/Effect"
import type { Bank } from "../bank/Bank.ts"
import { isLive } from "../bank/BankRemoval.ts"
import { BankStore } from "../bank/BankStore.ts"
import { Providers } from "../provider/Providers.ts"
import { Tasks } from "../task/Tasks.ts"
import { acrossTenants } from "../workspace/TenantScope.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { connectionCheckTask } from "./BankRemovalTaskKind.ts"

/** Workspaces whose banks are read at a time. */
const workspacesAtOnce = 100

/**
 * Has every live bank looked at whose provider was not set up when it was looked at last, and is configured in this process. For
 * the start of a server: while it runs, its configuration does not change. The number of those banks.
 */
export const recheckConfigured = Effect.gen(function* () {
  const banks = yield* BankStore
  const workspaces = yield* WorkspaceStore
  const tasks = yield* Tasks
  const configured = new Set((yield* Providers).all.map(({ instanceId }) => instanceId))
  const isDue = (bank: Bank): boolean =>
    isLive(bank) &&
    bank.connectionStatus?.errorCode === "PROVIDER_MISCONFIGURED" &&
    bank.providerInstanceId !== undefined &&
    configured.has(bank.providerInstanceId)
  const ids = (yield* workspaces.all).map(({ id }) => id)
  let found = 0
  for (let at = 0; at < ids.length; at += workspacesAtOnce) {
    const due = (yield* banks.list(ids.slice(at, at + workspacesAtOnce))).filter(isDue)
    found += due.length
    yield* tasks.enqueue(
      connectionCheckTask,
      ...due.map(({ id, workspaceId }) => ({ key: id, workspaceId, payload: { workspaceId, bankId: id } }))
    )
  }
  return found
}).pipe(acrossTenants("configured again"))
