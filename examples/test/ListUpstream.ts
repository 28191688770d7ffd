/** A stand-in for the upstream of `add-a-provider.ts`: it speaks its wire format, and keeps what is true. */
import { CalendarDate, Currency, Decimal } from "@millrace/core"
import {
  type FakeAnswer,
  type FakeRequest,
  type FakeUpstream,
  type Refusal,
  fakeTime,
  startFakeServer,
  TrueLedger
} from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"

const token = "s3cret-of-the-list"

const institution = { id: "list", name: "Bank of the List", countryCode: "DE", bankType: "bank", status: "ok" } as const

/** What a person has: two accounts, and some rows of the last days. */
const ledgerOf = (person: string, now: () => number): TrueLedger => {
  const account = (key: string) => ({
    key,
    id: `DE-${person}-${key}`,
    number: `DE-${person}-${key}`,
    name: `Account ${key}`,
    type: "checking" as const,
    currency: Currency.make("EUR"),
    opening: Decimal.make("100"),
    supports: ["balances", "transactions"] as const
  })
  const ledger = new TrueLedger({ institution, accounts: [account("main"), account("savings")], now })
  for (let n = 0; n < 12; n++) {
    ledger.post({
      account: n % 3 === 0 ? "savings" : "main",
      amount: Decimal.make(n % 4 === 0 ? "2100.00" : `-${n}.10`),
      description: `Row ${n}`,
      date: CalendarDate.addDays(ledger.today, n - 14)
    })
  }
  return ledger
}

/** Refusals; this upstream has a header for how long to wait, and no words of its own. */
const refuse = (refusal: Refusal): FakeAnswer => {
  switch (refusal.kind) {
    case "rateLimited":
      return { status: 429, headers: { "retry-after": String(refusal.retryAfter) }, body: {} }
    case "unauthorized":
      return { status: 401, body: {} }
    case "forbidden":
      return { status: 403, body: {} }
    case "serverError":
      return { status: 500, body: {} }
    case "unavailable":
      return { status: 503, body: {} }
    case "code":
      return { status: refusal.status ?? 400, body: { error: refusal.code } }
  }
}

/** A list by its name, with what has become of it. */
interface List {
  readonly ref: string
  readonly institution: typeof institution
  readonly ledger: TrueLedger
  readonly isRevoked: boolean
  readonly secrets: ReadonlyArray<string>
}

/** Who may read a list, where it is not the one token of the instance. */
export interface ListAccess {
  readonly mayRead: (ref: string, authorization: string | undefined) => boolean
  /** Answers what is asked besides lists. */
  readonly answer: (request: FakeRequest) => FakeAnswer | undefined
  readonly secretsOf: (ref: string) => ReadonlyArray<string>
}

const oneToken: ListAccess = {
  mayRead: (_, authorization) => authorization === `Bearer ${token}`,
  answer: () => undefined,
  secretsOf: () => []
}

export const makeList = Effect.fnUntraced(function* (access: ListAccess) {
  const lists = new Map<string, List>()
  const broken = new Map<string, string>()

  const answer = (path: string, authorization: string | undefined): FakeAnswer => {
    const ref = path.split("/")[2] ?? ""
    if (!access.mayRead(ref, authorization)) return refuse({ kind: "unauthorized" })
    const list = lists.get(ref)
    if (list === undefined || broken.get(ref) === "gone") return { status: 404, body: {} }
    if (broken.get(ref) === "institutionDown") return refuse({ kind: "unavailable" })
    const { ledger } = list
    const accounts = ledger.listed.map((account) => ({
      id: account.id,
      name: account.name,
      currency: account.currency,
      balance: ledger.balance(account.key),
      historyFrom: "2026-01-01",
      rows: ledger
        .shown(account.key)
        .map(({ amount, date, description, id }) => ({ id, date, text: description, amount }))
    }))
    return { status: 200, body: { accounts } }
  }

  const { now } = yield* fakeTime
  const server = yield* startFakeServer(() => {
    return {
      about: ({ path }) => ({ endpoint: "list", connectionRef: path.split("/")[2] ?? "" }),
      answer: (request) => access.answer(request) ?? answer(request.path, request.headers["authorization"]),
      refuse,
      enumKeys: new Set(),
      limits: [{ name: "list", requests: 120, seconds: 60, per: "connection" }]
    }
  })

  const listOf = (person: string): List => {
    const made = lists.get(person) ?? {
      ref: person,
      institution,
      ledger: ledgerOf(person, now),
      isRevoked: false,
      get secrets() {
        return access.secretsOf(person)
      }
    }
    lists.set(person, made)
    return made
  }
  const paste: NonNullable<FakeUpstream["paste"]> = ({ person = "ada" } = {}) => ({
    kind: "provider_connection_id",
    connectionId: listOf(person).ref
  })

  return {
    kind: "listbank",
    config: { url: server.url, token },
    secrets: [token],
    server,
    institutions: [institution],
    ledger: ({ person = "ada" } = {}) => listOf(person).ledger,
    get connections() {
      return [...lists.values()]
    },
    paste,
    signIn: (_, who) => paste(who),
    unknown: () => ({ ref: "nobody", secrets: {} }),
    refused: (_, how) =>
      how === "unknown"
        ? { kind: "provider_connection_id", connectionId: "nobody" }
        : how === "malformed"
          ? { kind: "provider_connection_id", connectionId: "../../admin" }
          : how === "otherKind"
            ? { kind: "plaid_public_token", publicToken: "public-x" }
            : // Anyone who knows the name of a list may connect it.
              undefined,
    repair: () => paste(),
    break: (ref, how) => void broken.set(ref, how),
    mend: (ref) => void broken.delete(ref),
    breakages: ["gone", "institutionDown"]
  } satisfies FakeUpstream
})

export const fakeList = makeList(oneToken)
