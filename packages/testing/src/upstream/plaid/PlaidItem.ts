/** An item: one person's connection at one institution, and its change feed of transactions. */
import { Timestamp } from "@millrace/core"
import type { FakeAnswer } from "../FakeRequest.ts"
import type { FakeConnection } from "../FakeUpstream.ts"
import type { Breakage } from "../Incident.ts"
import type { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueInstitution, TrueRow } from "../TrueRecord.ts"
import { accountWire, type IdOf, transactionWire } from "./PlaidWire.ts"

const types: Readonly<Record<string, string>> = {
  ITEM_LOGIN_REQUIRED: "ITEM_ERROR",
  ITEM_NOT_FOUND: "ITEM_ERROR",
  NO_INVESTMENT_ACCOUNTS: "ITEM_ERROR",
  NO_LIABILITY_ACCOUNTS: "ITEM_ERROR",
  PRODUCT_NOT_READY: "ITEM_ERROR",
  ACCESS_NOT_GRANTED: "ITEM_ERROR",
  INSTITUTION_DOWN: "INSTITUTION_ERROR",
  INTERNAL_SERVER_ERROR: "API_ERROR",
  PLANNED_MAINTENANCE: "API_ERROR",
  TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION: "TRANSACTIONS_ERROR",
  INVALID_FIELD: "INVALID_REQUEST",
  MISSING_FIELDS: "INVALID_REQUEST",
  NOT_FOUND: "INVALID_REQUEST"
}

export interface Problem {
  readonly code: string
  readonly status?: number
  readonly reason?: string
  readonly message?: string
}

/** The error of Plaid, as it stands in answers and in items. */
export const problemBody = ({ code, message, reason }: Problem) => ({
  error_type: code.endsWith("_LIMIT") ? "RATE_LIMIT_EXCEEDED" : (types[code] ?? "INVALID_INPUT"),
  error_code: code,
  error_code_reason: reason ?? null,
  error_message: message ?? "what went wrong, in words for developers",
  display_message: null,
  request_id: "HNTDNrA8F1shFEW"
})

export const problem = (of: Problem): FakeAnswer => ({ status: of.status ?? 400, body: problemBody(of) })

interface Cursor {
  readonly generation: number
  /** Changes of the ledger that were told. */
  readonly told: number
  /** Of a loop that goes on: where it began, what it will have told, and how many rows it has shown. */
  readonly loop?: { readonly from: number; readonly to: number; readonly shown: number }
}

interface FeedItem {
  readonly kind: "added" | "modified" | "removed"
  readonly row: TrueRow
}

const encode = (item: string, cursor: Cursor): string =>
  Buffer.from(JSON.stringify([item, cursor.generation, cursor.told, cursor.loop ?? null])).toString("base64")

const decode = (item: string, text: string): Cursor | undefined => {
  try {
    const [of, generation, told, loop] = JSON.parse(Buffer.from(text, "base64").toString("utf8")) as [
      string,
      number,
      number,
      Cursor["loop"] | null
    ]
    return of !== item
      ? undefined
      : loop === null || loop === undefined
        ? { generation, told }
        : { generation, told, loop }
  } catch {
    return undefined
  }
}

const cursorLost = problem({
  code: "INVALID_FIELD",
  message: "cursor not associated with access_token"
})

export interface ItemOptions {
  readonly n: number
  readonly institution: TrueInstitution
  readonly ledger: TrueLedger
  readonly products: ReadonlyArray<string>
  readonly webhook: string | undefined
  readonly now: () => number
}

export class PlaidItem implements FakeConnection {
  readonly ref: string
  readonly accessToken: string
  readonly institution: TrueInstitution
  readonly ledger: TrueLedger
  readonly webhook: string | undefined
  readonly products: ReadonlyArray<string>
  isExchanged = false
  isRevoked = false
  isCollecting = false
  broken: Breakage | undefined = undefined
  generation = 1
  private readonly n: number
  private readonly now: () => number
  private brokenAt = 0

  constructor({ institution, ledger, n, now, products, webhook }: ItemOptions) {
    this.n = n
    this.ref = `item${n}LKdxXBvnJQxQ`
    this.accessToken = `access-sandbox-${n}-5c224a01-8314-4491-a06f-39e193d5cddc`
    this.institution = institution
    this.ledger = ledger
    this.products = products
    this.webhook = webhook
    this.now = now
  }

  get secrets(): ReadonlyArray<string> {
    return [this.accessToken]
  }

  /** A new item has new ids of everything. */
  get idOf(): IdOf {
    return (id) => `${id}I${this.n}`
  }

  break(how: Breakage): void {
    this.broken = how
    this.brokenAt = this.now()
  }

  private get error(): Problem | undefined {
    switch (this.broken) {
      case "reauth":
        return { code: "ITEM_LOGIN_REQUIRED" }
      case "consentExpired":
        return { code: "ITEM_LOGIN_REQUIRED", reason: "OAUTH_CONSENT_EXPIRED" }
      default:
        return undefined
    }
  }

  /** Why nothing of it can be asked at all. */
  get refusal(): FakeAnswer | undefined {
    if (this.isRevoked || this.broken === "gone") return problem({ code: "ITEM_NOT_FOUND" })
    return undefined
  }

  /** Why data of it cannot be asked. */
  get dataRefusal(): FakeAnswer | undefined {
    if (this.refusal !== undefined) return this.refusal
    if (this.error !== undefined) return problem(this.error)
    return this.broken === "institutionDown" ? problem({ code: "INSTITUTION_DOWN" }) : undefined
  }

  get itemWire() {
    return {
      item_id: this.ref,
      institution_id: this.institution.id,
      institution_name: this.institution.name,
      webhook: this.webhook ?? null,
      error: this.error === undefined ? null : problemBody(this.error),
      available_products: [],
      billed_products: this.products,
      products: this.products,
      consent_expiration_time: null,
      update_type: "background"
    }
  }

  get statusWire() {
    const good = Timestamp.fromMillis(this.broken === undefined ? this.now() : this.brokenAt - 1)
    const failed = this.broken === undefined ? null : Timestamp.fromMillis(this.now())
    return { transactions: { last_successful_update: good, last_failed_update: failed }, last_webhook: null }
  }

  get accounts(): ReadonlyArray<TrueAccount> {
    return this.ledger.listed
  }

  accountsWire(accounts = this.accounts) {
    return accounts.map((account) => accountWire(this.ledger, account, this.idOf))
  }

  private moves(account: TrueAccount): boolean {
    return account.supports.includes("transactions")
  }

  /** What was shown after so many changes, by id. */
  private shownAt(told: number): ReadonlyMap<string, TrueRow> {
    const shown = new Map<string, TrueRow>()
    for (const { kind, row } of this.ledger.changes.slice(0, told)) {
      if (!this.moves(this.ledger.account(row.account))) continue
      if (kind === "shown") shown.set(row.id, row)
      else shown.delete(row.id)
    }
    return shown
  }

  sync(body: Readonly<Record<string, unknown>>, most: number): FakeAnswer {
    const asked = body["cursor"]
    const accounts = this.accountsWire(this.accounts.filter((account) => this.moves(account)))
    if (this.isCollecting) {
      const empty = { accounts, added: [], modified: [], removed: [], next_cursor: "", has_more: false }
      return { status: 200, body: { ...empty, transactions_update_status: "NOT_READY", request_id: "r" } }
    }
    const cursor =
      asked === undefined || asked === null ? { generation: this.generation, told: 0 } : decode(this.ref, String(asked))
    if (cursor === undefined || cursor.generation !== this.generation) return cursorLost
    const { loop = { from: cursor.told, to: this.ledger.changes.length, shown: 0 } } = cursor
    if (loop.to !== this.ledger.changes.length) {
      return problem({ code: "TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION" })
    }
    const before = this.shownAt(loop.from)
    const after = this.shownAt(loop.to)
    const items: ReadonlyArray<FeedItem> = [
      ...[...after.values()].flatMap((row): ReadonlyArray<FeedItem> => {
        const old = before.get(row.id)
        return old === undefined ? [{ kind: "added", row }] : old === row ? [] : [{ kind: "modified", row }]
      }),
      ...[...before.values()].filter(({ id }) => !after.has(id)).map((row): FeedItem => ({ kind: "removed", row }))
    ]
    const page = items.slice(loop.shown, loop.shown + most)
    const shown = loop.shown + page.length
    const has_more = shown < items.length
    const wire = (kind: "added" | "modified") =>
      page.filter((one) => one.kind === kind).map(({ row }) => transactionWire(this.ledger, row, this.idOf))
    return {
      status: 200,
      body: {
        accounts,
        added: wire("added"),
        modified: wire("modified"),
        removed: page
          .filter(({ kind }) => kind === "removed")
          .map(({ row }) => ({
            transaction_id: this.idOf(row.id),
            account_id: this.idOf(this.ledger.account(row.account).id)
          })),
        next_cursor: encode(
          this.ref,
          has_more
            ? { generation: this.generation, told: loop.from, loop: { ...loop, shown } }
            : { generation: this.generation, told: loop.to }
        ),
        has_more,
        transactions_update_status: "HISTORICAL_UPDATE_COMPLETE",
        request_id: "r"
      }
    }
  }
}
