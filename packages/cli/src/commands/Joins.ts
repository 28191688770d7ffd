/** Which accounts are the same: one that came back under a new id, and the one that it was. */
import * as Command from "effect/cli/Command"
import { showRecord } from "../request/Requests.ts"
import { idArgument, idFlag } from "./Flags.ts"

const ofAccount = { bank: idFlag("bank"), account: idFlag("account") }

const pathOf = (input: { readonly bank: string; readonly account: string }, rest: string): string =>
  `/v1/banks/${input.bank}/accounts/${input.account}${rest}`

export const joins = Command.make("joins", ofAccount, (input) =>
  showRecord({ method: "GET", path: pathOf(input, "/joins") })
).pipe(
  Command.withDescription("List what became part of an account, and which accounts may be the same one"),
  Command.withShortDescription("List what was joined, and what could be")
)

export const join = Command.make("join", { ...ofAccount, other: idArgument("account") }, ({ other, ...input }) =>
  showRecord({ method: "POST", path: pathOf(input, "/join"), body: JSON.stringify({ accountId: other }) })
).pipe(
  Command.withDescription("Make one account out of two: one that came back under a new id, and the one that it was"),
  Command.withShortDescription("Make one account out of two")
)

export const part = Command.make("part", ofAccount, (input) =>
  showRecord({ method: "POST", path: pathOf(input, "/part") })
).pipe(Command.withDescription("Take back the latest join of an account"))
