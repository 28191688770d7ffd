/** Which transactions of an account are the same, and which are none: what people decide. */
import type { MatchRecord, SuggestionRecord } from "@millrace/core/operations"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { Api } from "../request/Api.ts"
import { Notes } from "../program/Notes.ts"
import { program } from "../program/Program.ts"
import { showList, showRecord } from "../request/Requests.ts"
import { choice, cursor, idArgument, idFlag, limit, queryOf, text } from "./Flags.ts"

const bank = idFlag("bank")
const account = idFlag("account")
const ofAccount = { bank, account }

export const matchStates = ["made", "undone"] as const satisfies ReadonlyArray<(typeof MatchRecord.Type)["state"]>

export const suggestionStates = ["open", "accepted", "rejected"] as const satisfies ReadonlyArray<
  (typeof SuggestionRecord.Type)["state"]
>

const pathOf = (input: { readonly bank: string; readonly account: string }, rest: string): string =>
  `/v1/banks/${input.bank}/accounts/${input.account}${rest}`

const record = text("record", "<transaction-id>", "Only those of this transaction")

const listMatches = Command.make(
  "list",
  { ...ofAccount, record, state: choice("state", matchStates, "Only matches in this state"), limit, cursor },
  ({ account: accountId, bank: bankId, record: recordId, ...query }) =>
    showList(
      {
        method: "GET",
        path: pathOf({ bank: bankId, account: accountId }, "/matches"),
        query: queryOf({ ...query, recordId })
      },
      "matches",
      [
        "id",
        "state",
        "recordId",
        "before.date",
        "before.description",
        "before.amount",
        "observed.date",
        "observed.description",
        "observed.amount",
        "evidence.tier",
        "evidence.cost"
      ]
    )
).pipe(Command.withDescription("List the matches of transactions that can be undone, newest first"))

const act = (name: string, noun: "match" | "suggestion", plural: string, description: string) =>
  Command.make(name, { ...ofAccount, id: idArgument(noun) }, (input) =>
    showRecord({ method: "POST", path: pathOf(input, `/${plural}/${input.id}/${name}`) })
  ).pipe(Command.withDescription(description))

export const matches = Command.make("matches").pipe(
  Command.withDescription("What was taken for the same transaction"),
  Command.withSubcommands([
    listMatches,
    act("undo", "match", "matches", "Part two transactions that were matched, for good"),
    act("redo", "match", "matches", "Take back that a match was undone")
  ])
)

const listSuggestions = Command.make(
  "list",
  { ...ofAccount, record, state: choice("state", suggestionStates, "Only suggestions in this state"), limit, cursor },
  ({ account: accountId, bank: bankId, record: recordId, ...query }) =>
    showList(
      {
        method: "GET",
        path: pathOf({ bank: bankId, account: accountId }, "/suggestions"),
        query: queryOf({ ...query, recordId })
      },
      "suggestions",
      [
        "id",
        "state",
        "record.date",
        "record.description",
        "record.amount",
        "observed.date",
        "observed.description",
        "observed.amount",
        "evidence.cost"
      ]
    )
).pipe(Command.withDescription("List pairs of transactions that may be one, newest first"))

export const suggestions = Command.make("suggestions").pipe(
  Command.withDescription("What may be the same transaction"),
  Command.withSubcommands([
    listSuggestions,
    act("accept", "suggestion", "suggestions", "Join two transactions: the older one goes on"),
    act("reject", "suggestion", "suggestions", "Keep two transactions apart for good")
  ])
)

const transaction = idArgument("transaction")

export const deleteTransaction = Command.make("delete-transaction", { ...ofAccount, id: transaction }, (input) =>
  Effect.gen(function* () {
    yield* (yield* Api).send({ method: "DELETE", path: pathOf(input, `/transactions/${input.id}`) })
    yield* (yield* Notes).say(
      `Deleted ${input.id}. It stays deleted; ${program} accounts restore-transaction brings it back.`
    )
  })
).pipe(
  Command.withDescription("Delete a transaction; it stays deleted however often the bank shows it"),
  Command.withShortDescription("Delete a transaction")
)

export const restoreTransaction = Command.make("restore-transaction", { ...ofAccount, id: transaction }, (input) =>
  showRecord({ method: "POST", path: pathOf(input, `/transactions/${input.id}/restore`) })
).pipe(
  Command.withDescription("Bring back a transaction that was deleted, or that the bank no longer shows"),
  Command.withShortDescription("Bring back a transaction")
)
