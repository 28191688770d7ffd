/** A run's look at one connection of Salt Edge. */
import { CalendarDate, Timestamp } from "@millrace/core"
import {
  CheckpointInvalid,
  type ConnectionHealth,
  ConnectionGone,
  MutationDuringPagination,
  type ObservedAccount,
  type ObservedRecord,
  type PartCoverage,
  ProtocolViolation,
  type ProviderError,
  type ProviderSession,
  type PsuContext,
  type PullRequest,
  RateLimited,
  readAccounts,
  remembered,
  type SyncPage,
  Unsupported,
  readRows
} from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { dayOf } from "../upstream/Texts.ts"
import { instantOf } from "../upstream/UpstreamForm.ts"
import { loanRecord, observedAccount } from "./Accounts.ts"
import type { Asked, SaltEdgeClient } from "./Client.ts"
import * as Forms from "./Forms.ts"
import { healthNow, type Known, latestConsent, obstacle, unwell } from "./Health.ts"
import { idOf, inOrder, isId } from "./Ids.ts"
import { after, fingerprint, readCheckpoint, readPosition, writeCheckpoint, writePosition } from "./Marks.ts"
import { isPending, transactionOf } from "./Transactions.ts"

/** Rows of a page, as many as Salt Edge gives. */
const pageRows = 1_000
/** Pages of accounts and of pending rows that are read at most. */
const mostPages = 50
/** Days before today that are read again each time, since rows of them may change. */
export const rereadDays = 30

export interface SessionOptions {
  readonly ref: string
  /** The customer whose connection it must be; absent where nothing is known of it. */
  readonly customerId: string | undefined
  readonly psu: PsuContext | undefined
}

interface KnownAccount {
  readonly account: Forms.Account
  readonly observed: ObservedAccount
}

const mutated = (message: string) => Effect.fail(new MutationDuringPagination({ message }))

/** Rows of which every one must be read, since one that is left out would look as if it were gone. */
const every = <A, B>(
  rows: ReadonlyArray<unknown>,
  schema: Schema.Codec<A, unknown>,
  what: string,
  translate: (row: A) => Result.Result<B, string>
) => {
  const { quarantined, rows: read } = readRows(rows, schema, "id", translate)
  return quarantined[0] === undefined
    ? Effect.succeed(read)
    : Effect.fail(
        new ProtocolViolation({
          message: `One of the ${what} of Salt Edge cannot be read: ${quarantined[0].reason}`,
          path: what
        })
      )
}

/** Changes whenever Salt Edge has read the bank: rows move from one list to the other then. */
const stampOf = ({ last_attempt: attempt, last_success_at: read }: Forms.Connection): string =>
  fingerprint(JSON.stringify([read, attempt?.id, attempt?.success_at]))

const loans = (known: ReadonlyArray<KnownAccount>): SyncPage => ({
  upserted: known.map(({ account, observed }): ObservedRecord => loanRecord(account, observed)),
  removed: [],
  quarantined: [],
  coverage: { kind: "full", complete: true },
  end: { kind: "done" }
})

export const makeSession = (client: SaltEdgeClient, { customerId, psu, ref }: SessionOptions): ProviderSession => {
  const ask = <A>(endpoint: string, asked: Omit<Asked<A>, "counts">) =>
    isId(ref)
      ? client.ask<A>({ ...asked, counts: { connection: ref, endpoint } })
      : Effect.fail(new ConnectionGone({ message: "Salt Edge does not know this connection" }))

  /** All entries of a list, page by page. */
  const all = Effect.fnUntraced(function* (
    endpoint: string,
    path: string,
    query: Readonly<Record<string, string>>
  ): Effect.fn.Return<ReadonlyArray<unknown>, ProviderError> {
    const entries: Array<unknown> = []
    let next: string | undefined
    for (let page = 0; page < mostPages; page++) {
      const answer: { readonly data: ReadonlyArray<unknown>; readonly nextId?: string } = yield* ask(endpoint, {
        answer: Forms.List,
        path,
        query: { ...query, per_page: String(pageRows), ...(next === undefined ? {} : { from_id: next }) }
      })
      entries.push(...answer.data)
      if (answer.nextId === undefined) return entries
      if (!isId(answer.nextId) || (next !== undefined && inOrder(answer.nextId, next) <= 0)) break
      next = answer.nextId
    }
    return yield* new ProtocolViolation({ message: "The pages of Salt Edge do not end", path: "meta.next_id" })
  })

  const askConnection = Effect.flatMap(
    ask("connection", { answer: Forms.Connection, path: `/connections/${ref}` }),
    ({ data }) =>
      // Of another workspace's connection nothing is reported.
      customerId !== undefined && typeof data.customer_id === "string" && data.customer_id !== customerId
        ? Effect.fail(new ConnectionGone({ message: "The connection belongs to somebody else" }))
        : Effect.succeed(data)
  )

  const consents = Effect.flatMap(all("consents", "/consents", { connection_id: ref }), (rows) =>
    every(rows, Forms.Consent, "consents", (row) => Result.succeed(row))
  ).pipe(
    // A connection may be older than its consents.
    Effect.catchTag("ConsentRequired", () => Effect.succeed([]))
  )

  const asKnown = remembered(
    Effect.gen(function* () {
      const connection = yield* askConnection
      return { connection, consent: latestConsent(yield* consents) } satisfies Known
    })
  )

  /** The connection as it was seen last: a read that begins again begins with it. */
  let newest: Forms.Connection | undefined

  /** Fails where only old data would come. */
  const usable = Effect.gen(function* () {
    const known = yield* asKnown
    const problem = obstacle(known, yield* Clock.currentTimeMillis)
    return problem === undefined ? known : yield* problem
  })

  const accountsShown = remembered(
    Effect.gen(function* () {
      const { connection, consent } = yield* usable
      const rows = yield* all("accounts", "/accounts", { connection_id: ref })
      const translate = observedAccount({
        provider: connection.provider_code ?? "",
        readAt: instantOf(connection.last_success_at),
        hasTransactions: consent?.scopes == null || consent.scopes.includes("transactions")
      })
      return readAccounts(rows, Forms.Account, { id: ["id", "account_id"], name: ["name"] }, (account) =>
        Result.map(translate(account), (observed): KnownAccount => ({ account, observed }))
      )
    })
  )
  const accounts = Effect.map(accountsShown, (read) => read.accounts)

  const accountsAsked = Effect.fnUntraced(function* ({ dataType, providerAccountIds }: PullRequest) {
    const known = yield* accounts
    const found: Array<KnownAccount> = []
    for (const id of providerAccountIds) {
      const account = known.find(({ observed }) => observed.providerAccountId === id)
      if (account === undefined || !account.observed.supports.includes(dataType)) {
        const message = account === undefined ? "The connection has no such account" : `The account has no ${dataType}`
        return yield* new Unsupported({ message, dataType })
      }
      found.push(account)
    }
    return found
  })

  const pendingRows = Effect.fnUntraced(function* (id: string) {
    const rows = yield* all("transactions", "/transactions", { connection_id: ref, account_id: id, pending: "true" })
    const translate = transactionOf(id)
    return readRows(rows, Forms.Transaction, "id", (row) =>
      isPending(row) ? translate(row) : Result.succeed(undefined)
    )
  })

  const transactions = Effect.fnUntraced(function* (request: PullRequest, id: string) {
    const kept = request.checkpoint === undefined ? undefined : readCheckpoint(request.checkpoint)
    if (request.checkpoint !== undefined && kept === undefined) {
      return yield* new CheckpointInvalid({ message: "The checkpoint is not one of Salt Edge" })
    }
    // Days before those that the checkpoint shows again can only be had with all that came since the beginning.
    const since = kept !== undefined && request.from >= kept.day ? kept : undefined
    const day = CalendarDate.max(
      CalendarDate.addDays(request.to, -rereadDays),
      // Never back: what was shown once is shown again.
      since?.day ?? CalendarDate.make("1900-01-01")
    )
    const begun =
      request.position === undefined
        ? { stamp: stampOf(newest ?? (yield* usable).connection), next: since?.from ?? "0" }
        : readPosition(ref, request, request.position)
    if (begun === undefined) return yield* mutated("The position is not one of this run")
    const { data, nextId } = yield* ask("transactions", {
      answer: Forms.List,
      path: "/transactions",
      query: {
        connection_id: ref,
        account_id: id,
        pending: "false",
        per_page: String(pageRows),
        ...(begun.next === "0" ? {} : { from_id: begun.next })
      }
    })
    const seen: Array<{ readonly id: string; readonly date: string }> = []
    const translate = transactionOf(id)
    const { quarantined, rows } = readRows(data, Forms.Transaction, "id", (row) => {
      const record = translate(row)
      const rowId = idOf(row.id, row.transaction_id)
      const date = Result.isSuccess(record) ? (record.success?.fields["date"] ?? dayOf(row.made_on)) : undefined
      // What cannot be read now is looked at again.
      if (rowId !== undefined) seen.push({ id: rowId, date: typeof date === "string" ? date : request.to })
      return record
    })
    // Everything is asked for, since there is no asking for days; what came late is of any day.
    const shown = rows.flatMap((row) =>
      row === undefined || (since === undefined && String(row.fields["date"]) < request.from) ? [] : [row]
    )
    const progress = after(begun, seen, day)
    const from = since?.day ?? request.from
    const posted = (complete: boolean): PartCoverage => ({
      kind: "window",
      from,
      to: request.to < from ? from : request.to,
      complete,
      status: "posted"
    })
    if (nextId !== undefined) {
      if (!isId(nextId) || inOrder(nextId, begun.next) <= 0) {
        return yield* new ProtocolViolation({ message: "The pages of Salt Edge lead back", path: "meta.next_id" })
      }
      return {
        upserted: shown,
        removed: [],
        quarantined,
        coverage: [posted(false), { kind: "full", complete: false, status: "pending" }],
        end: {
          kind: "more",
          position: writePosition(ref, request, { stamp: begun.stamp, next: nextId, ...progress })
        }
      } satisfies SyncPage
    }
    const pending = yield* pendingRows(id)
    // Between the two lists nothing may have moved from one to the other.
    newest = yield* askConnection
    if (stampOf(newest) !== begun.stamp) return yield* mutated("The bank was read meanwhile")
    const known = new Set(shown.map(({ providerId }) => providerId))
    const waiting = pending.rows.flatMap((row) => (row === undefined || known.has(row.providerId) ? [] : [row]))
    return {
      upserted: [...shown, ...waiting],
      removed: [],
      quarantined: [...quarantined, ...pending.quarantined],
      coverage: [
        posted(true),
        // The ids of pending rows change: of one that could not be read nobody knows which one it is.
        { kind: "full", complete: pending.quarantined.length === 0, status: "pending" }
      ],
      end: {
        kind: "done",
        checkpoint: writeCheckpoint({ day, from: progress.first ?? progress.last ?? since?.from ?? "0" })
      }
    } satisfies SyncPage
  })

  return {
    inspect: Effect.gen(function* () {
      return healthNow(yield* asKnown, yield* Clock.currentTimeMillis)
    }).pipe(Effect.catchTag("ConnectionGone", () => Effect.succeed<ConnectionHealth>(unwell("disconnected")))),
    listAccounts: Effect.map(accounts, (known) => known.map(({ observed }) => observed)),
    unreadAccounts: Effect.map(accountsShown, ({ unread }) => unread),
    pull: Effect.fn("SaltEdge.pull")(function* (request: PullRequest): Effect.fn.Return<SyncPage, ProviderError> {
      const known = yield* accountsAsked(request)
      const [only, ...others] = known
      if (request.dataType === "loans") {
        return request.position === undefined ? loans(known) : yield* mutated("There is only one page")
      }
      if (request.dataType !== "transactions" || only === undefined || others.length > 0) {
        return yield* new Unsupported({
          message: `Salt Edge is asked for ${request.dataType} of one account at a time`,
          dataType: request.dataType
        })
      }
      return yield* transactions(request, only.observed.providerAccountId)
    }),
    refresh: Effect.fn("SaltEdge.refresh")(function* () {
      const { connection } = yield* usable
      const next = instantOf(connection.next_refresh_possible_at)
      const left =
        next === undefined ? 0 : Math.ceil((Timestamp.toMillis(next) - (yield* Clock.currentTimeMillis)) / 1000)
      if (left > 0) {
        return yield* new RateLimited({
          message: "The bank was read as often as it may be for now",
          scope: "endpoint",
          endpoint: "refresh",
          retryAfter: left
        })
      }
      const { data } = yield* ask("refresh", {
        answer: Forms.Session,
        method: "POST",
        path: `/connections/${ref}/refresh`,
        body: { attempt: { fetch_scopes: ["accounts", "transactions"], user_present: psu !== undefined } }
      })
      // A bank that wants the person for it has to be reconnected instead.
      return { status: data.connect_url == null ? "refreshing" : "not_supported" } as const
    }),
    revoke: ask("revoke", { answer: Forms.Anything, method: "DELETE", path: `/connections/${ref}` }).pipe(
      Effect.as("done" as const),
      Effect.catchTag("ConnectionGone", () => Effect.succeed("done" as const))
    )
  }
}
