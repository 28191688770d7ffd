/** A bank of a configured provider, connected by the operator of the server: `npm start -- --connect acme:main ID`. */
import { asSystem } from "@millrace/core/access"
import { Banks } from "@millrace/core/kernel"
import { Providers } from "@millrace/core/provider"
import { WorkspaceStore } from "@millrace/core/storage"
import { Timestamp } from "@millrace/core"
import { acrossTenants } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Terminal from "./Terminal.ts"

export interface BankToConnect {
  readonly instanceId: string
  /** What the provider knows the connection by. */
  readonly connectionId: string
}

class CannotConnect extends Schema.TaggedError<CannotConnect>()("CannotConnect", { message: Schema.String }) {}

/** The only workspace that there is: with several, nobody has said which one the bank is for. */
const onlyWorkspace = Effect.gen(function* () {
  const [workspace, ...others] = yield* acrossTenants("connect a bank")((yield* WorkspaceStore).all)
  if (workspace === undefined) {
    return yield* new CannotConnect({
      message: "There is no workspace yet: start the server once without --connect, which makes one."
    })
  }
  if (others.length === 0) return workspace
  return yield* new CannotConnect({ message: "--connect is for a server of one workspace, and this one has several." })
})

/**
 * Connects the bank and prints its id and those of its accounts. A connection that is known keeps its bank. Fails with what
 * to do where the provider is not here, refuses the id, or cannot be reached.
 */
export const connectBank = Effect.fn("ConnectBank.connectBank")(function* ({
  connectionId,
  instanceId
}: BankToConnect) {
  const workspace = yield* onlyWorkspace
  const { all } = yield* Providers
  if (!all.some((driver) => driver.instanceId === instanceId)) {
    return yield* new CannotConnect({
      message: `--connect names the provider ${instanceId}, which is not here; there are ${all.map((driver) => driver.instanceId).join(", ")}`
    })
  }
  const connecting = (yield* Banks).connect(asSystem(workspace, "--connect"), {
    instanceId,
    // Anyone who asks again starts again: a connection that is known stays the bank that it is.
    attemptId: `--connect ${yield* Timestamp.now}`,
    payload: { kind: "provider_connection_id", connectionId }
  })
  const { accounts, bank, created } = yield* Effect.mapError(
    connecting,
    ({ message }) =>
      new CannotConnect({
        message:
          `${instanceId} could not connect "${connectionId}": ${message.replace(/\.$/, "")}. ` +
          "Check the id, and the provider in the configuration file, then ask again."
      })
  )
  yield* Terminal.field(
    "Bank",
    `${bank.name} ${Terminal.dim(bank.id)}${created ? "" : ", which was connected already"}`
  )
  for (const [at, { accountName, id, state, supports }] of accounts.entries()) {
    const has = state === "open" ? supports.join(", ") : state
    yield* Terminal.field(at === 0 ? "Accounts" : "", `${accountName} ${Terminal.dim(id)} ${has}`)
  }
})
