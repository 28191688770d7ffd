/**
 * Transactions: a change feed of the whole item, from a cursor on.
 *
 * The cursor of a finished loop is the checkpoint. Within a loop the cursor of a page is its position; when the feed
 * changes meanwhile Plaid says so, and the loop begins again from the checkpoint that it began with.
 */
import {
  CheckpointInvalid,
  type Connection,
  MutationDuringPagination,
  NotReady,
  ProtocolViolation,
  type ProviderError,
  type PullRequest,
  type SyncPage,
  readRecords
} from "@millrace/core/provider"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import { readToken, writeToken } from "../upstream/OpaqueToken.ts"
import { type PlaidClient, tokenOf } from "./PlaidClient.ts"
import { PlaidTransaction, SyncAnswer } from "./PlaidForm.ts"
import { toRecord } from "./PlaidRow.ts"

const rowsPerPage = 500
/** Characters of a cursor; Plaid promises 256 at most. */
const longestCursor = limits.opaquePosition - 40
/** First data of a new connection come within seconds to minutes; a webhook tells of it sooner. */
const notReadySeconds = 30

/** One page. Rows of all accounts of the item come together. */
export const pullTransactions = Effect.fnUntraced(function* (
  client: PlaidClient,
  connection: Connection,
  request: PullRequest,
  historyDays: number
): Effect.fn.Return<SyncPage, ProviderError> {
  const about = ["plaid", "transactions", connection.ref]
  const since = request.checkpoint === undefined ? undefined : readToken("c", about, request.checkpoint)
  if (request.checkpoint !== undefined && since === undefined) {
    return yield* new CheckpointInvalid({ message: "The checkpoint is not one of this connection" })
  }
  // A position is good for the loop that it was given in.
  const inLoop = [...about, since ?? ""]
  const reached = request.position === undefined ? undefined : readToken("p", inLoop, request.position)
  if (request.position !== undefined && reached === undefined) {
    return yield* new MutationDuringPagination({ message: "The position is not one of this run" })
  }
  const cursor = reached ?? since
  const asked = client.ask(
    "/transactions/sync",
    SyncAnswer,
    {
      ...tokenOf(connection.secrets),
      ...(cursor === undefined ? {} : { cursor }),
      count: rowsPerPage,
      options: {
        include_original_description: true,
        // Heeded only where nobody has read transactions of the item before.
        ...(cursor === undefined ? { days_requested: historyDays } : {})
      }
    },
    { item: connection.ref, dataType: request.dataType, hasCursor: cursor !== undefined }
  )
  const answer = yield* reached === undefined
    ? asked
    : // It was given by this loop: the loop is what has gone wrong, and begins again.
      Effect.catchTag(asked, "CheckpointInvalid", ({ message }) => new MutationDuringPagination({ message }))
  if (answer.transactions_update_status === "NOT_READY" || answer.next_cursor === "") {
    return yield* new NotReady({ message: "Plaid is still collecting the first data", retryAfter: notReadySeconds })
  }
  if (answer.next_cursor.length > longestCursor || answer.next_cursor.trim() === "") {
    return yield* new ProtocolViolation({
      message: "The answer of Plaid does not have the agreed form",
      path: "next_cursor"
    })
  }
  if (answer.has_more && answer.next_cursor === cursor) {
    // It would go on for ever.
    return yield* new MutationDuringPagination({ message: "The next page is the same one" })
  }
  const { quarantined, upserted } = readRecords(
    [...answer.added, ...answer.modified],
    PlaidTransaction,
    "transaction_id",
    toRecord
  )
  return {
    upserted,
    removed: answer.removed.map((row) => ({ providerAccountId: row.account_id, providerId: row.transaction_id })),
    quarantined,
    // Read from its beginning, the feed shows all that Plaid still has; what is not in it is gone.
    coverage: since === undefined ? { kind: "full", complete: !answer.has_more } : { kind: "delta" },
    end: answer.has_more
      ? { kind: "more", position: writeToken("p", inLoop, answer.next_cursor) }
      : { kind: "done", checkpoint: writeToken("c", about, answer.next_cursor) }
  }
})
