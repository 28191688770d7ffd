/** What must be true of enrichments that look at sets, and of what they told people, when all is quiet. */
import { OutboxStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import { analysed, enrichedWith, isTimeless, timeless } from "./Analysed.ts"
import { ledgerOf } from "./Checkers.ts"
import type { ConnectionScenario } from "./ConnectionScenario.ts"
import { must, mustEqual } from "./Invariant.ts"
import type { Mailbox } from "./Mailbox.ts"

/**
 * Switches the enrichments of a scenario on again. After the next run these have seen all records at once, and the check that
 * is returned holds what the first came to step by step against what they say. `undefined` where none is at work.
 */
export const analyseAnew = Effect.fnUntraced(function* ({ accounts, sets, workspace }: ConnectionScenario) {
  const working = sets.filter(({ enabled, type }) => enabled && isTimeless(type))
  if (working.length === 0) return undefined
  const types = new Set(working.map(({ type }) => type))
  const twins = yield* enrichedWith(workspace, (type) => types.has(type))
  return Effect.gen(function* () {
    const records = (yield* Effect.forEach(accounts, (account) => ledgerOf(account))).flat()
    const nameOf = new Map(records.map(({ id }, n) => [id, `r${n}`]))
    mustEqual(
      "an analysis of what changed is one of everything",
      timeless(yield* analysed(workspace, working, nameOf)),
      timeless(yield* analysed(workspace, twins, nameOf)),
      "all records at once"
    )
  })
})

const open: ReadonlySet<string> = new Set(["held", "ready", "sending"])

/** Whether no message is on its way: digests wait for their hour, lanes for their silence. */
export const isTold = Effect.fnUntraced(function* ({ workspace }: ConnectionScenario) {
  const messages = yield* (yield* OutboxStore).list(workspace.id, { limit: 100_000 })
  return messages.every(({ state }) => !open.has(state))
})

/** Every message was told once to anyone who takes the same id for the same message, or not at all where it was taken back. */
export const checkMessages = Effect.fnUntraced(function* ({ workspace }: ConnectionScenario, mailbox: Mailbox) {
  const once = "a message is reported once"
  const messages = yield* (yield* OutboxStore).list(workspace.id, { limit: 100_000 })
  const byId = new Map(messages.map((message) => [message.id, message]))
  for (const message of messages) {
    const arrived = mailbox.of(message.id)
    const by = message.into === undefined ? undefined : byId.get(message.into)
    const isRight =
      message.state === "sent"
        ? arrived.length > 0
        : message.state === "collected"
          ? arrived.length === 0 && by?.state === "sent"
          : message.state === "withdrawn" && arrived.length === 0
    must(once, isRight, () => ({ message, arrived }))
    must(once, new Set(arrived).size <= 1, () => ({ message, arrived }))
  }
})
