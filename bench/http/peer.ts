/**
 * The same three operations by hand: fastify and pg, with the checks that every request of ours goes through. The key is
 * looked up with its workspace, so that revoking it counts at once; the request is counted in the rolling window of its
 * workspace, by the clock of the database; bank and account are those of the workspace, and the answer says how fresh it
 * is. One line a request goes to a log. Statements are prepared and as few as they come to mind.
 */
// oxlint-disable oxc/no-async-endpoint-handlers -- fastify awaits its handlers, and answers where one fails
import { createHash, createHmac, randomUUID } from "node:crypto"
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import { Pool, types } from "pg"
import { arrive, type Key, keyOf, limits, type Row, whoamiOf, windowMillis } from "./Checks.ts"

// Days and decimals as text, as PostgreSQL has them.
types.setTypeParser(types.builtins.DATE, (text) => text)

const pageSize = { max: 500, default: 500 }
const cursorKey = randomUUID()

const pool = new Pool({
  connectionString: process.env["DATABASE_URL"]!,
  max: 12,
  options: "-c search_path=millrace"
})

const ask = async (name: string, text: string, values: ReadonlyArray<unknown>): Promise<ReadonlyArray<Row>> => {
  const { rows } = await pool.query<Row>({ name, text, values: [...values] })
  return rows
}

const banksOf = `select id, name, source, type, position, icon, connection_status, institution_id, provider_instance_id,
    created_at, updated_at from bank b
  where workspace_id = $1 and deleted_at is null and made_for is null
    and (source <> 'file' or exists (select from account a where a.bank_id = b.id and a.state = 'open'))
  order by position, created_at, id`

const accountOf = `select b.name as bank_name, b.connection_status, a.account_name, a.account_number, a.account_type,
    p.pulled_at, coalesce(c.change_seq, 0) as mark
  from bank b join account a on a.bank_id = b.id
    left join record_pull p on p.account_id = a.id and p.data_type = 'transactions'
    left join account_change c on c.account_id = a.id
  where b.id = $1 and a.id = $2 and b.workspace_id = $3 and a.workspace_id = $3`

/** From a table of its own, as a service without identity and history would have it. */
const pageOf = `select id, date, fields from peer_record where account_id = $1 and workspace_id = $2
  order by date desc, id desc limit $3`

interface Principal {
  readonly key: Key
  readonly workspace: Row
}

const principals = new WeakMap<FastifyRequest, Principal>()

const fail = (reply: FastifyReply, request: FastifyRequest, status: number, code: string, error: string) =>
  reply.code(status).send({ success: false, error, code, referenceId: request.id })

const app = Fastify({
  logger: true,
  disableRequestLogging: true,
  genReqId: (request) => {
    const asked = request.headers["x-request-id"]
    return typeof asked === "string" ? asked : randomUUID()
  }
})

const check = async (request: FastifyRequest, reply: FastifyReply) => {
  const secret = request.headers["x-api-key"]
  if (typeof secret !== "string") return fail(reply, request, 401, "MISSING_CREDENTIAL", "Missing credential")
  const [found] = await ask("key", keyOf, [createHash("sha256").update(secret).digest("hex")])
  const key = found?.["body"] as Key | undefined
  const now = new Date().toISOString()
  if (found === undefined || key === undefined || key.revokedAt !== null || (key.expiresAt ?? "9") < now) {
    return fail(reply, request, 401, "INVALID_CREDENTIAL", "Invalid or expired API key")
  }
  const limit = limits[String(found["plan"])]
  if (limit === undefined) return fail(reply, request, 403, "API_ACCESS_NOT_IN_PLAN", "The plan has no API access")
  const [window] = await ask("arrive", arrive, [found["id"], limit])
  const { at, blocking, oldest } = window as { at: number; blocking: number | null; oldest: number | null }
  reply.header("x-ratelimit-limit", limit).header("x-ratelimit-policy", `${limit};w=60`)
  if (oldest !== null && at - oldest < windowMillis) {
    const after = Math.min(60, Math.max(1, Math.ceil(((blocking ?? at) + windowMillis - at) / 1_000)))
    return fail(reply.header("retry-after", after), request, 429, "RATE_LIMITED", "Rate limit exceeded")
  }
  principals.set(request, { key, workspace: found })
  reply
    .header("x-request-id", request.id)
    .header("cache-control", "no-store")
    .header("x-content-type-options", "nosniff")
  return undefined
}

app.addHook("onRequest", check)
app.addHook("onResponse", async (request, reply) => {
  const of = principals.get(request)
  request.log.info({
    method: request.method,
    path: request.url.split("?", 1)[0],
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime),
    workspaceId: of?.workspace["id"],
    credential: of?.key.id
  })
})

const present = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))

app.get("/v1/whoami", async (request) => {
  const { key, workspace } = principals.get(request)!
  return whoamiOf(key, workspace)
})

app.get("/v1/banks", async (request) => {
  const rows = await ask("banks", banksOf, [principals.get(request)!.workspace["id"]])
  return {
    success: true,
    data: rows.map((row) => ({
      ...present({
        id: row["id"],
        name: row["name"],
        source: row["source"],
        type: row["type"],
        order: row["position"],
        icon: row["icon"],
        connectionStatus: row["connection_status"],
        institutionId: row["institution_id"],
        providerInstanceId: row["provider_instance_id"],
        createdAt: row["created_at"],
        updatedAt: row["updated_at"]
      }),
      links: { self: `/v1/banks/${String(row["id"])}`, accounts: `/v1/banks/${String(row["id"])}/accounts` }
    })),
    meta: { count: rows.length, hasMore: false },
    links: { self: request.url }
  }
})

const signed = (list: string, payload: Row): string => {
  const body = Buffer.from(JSON.stringify(payload)).toString("base64url")
  return `${body}.${createHmac("sha256", cursorKey).update(`${list}\n${body}`).digest("base64url")}`
}

const decimals = ["amount", "debitAmount", "creditAmount"]

interface PageRequest {
  readonly Params: { readonly bank: string; readonly account: string }
  readonly Querystring: { readonly limit?: string }
}

app.get<PageRequest>("/v1/banks/:bank/accounts/:account/transactions", async (request, reply) => {
  const workspaceId = String(principals.get(request)!.workspace["id"])
  const { account, bank } = request.params
  const limit = Math.min(pageSize.max, Number(request.query.limit ?? pageSize.default))
  if (!Number.isSafeInteger(limit) || limit < 1) {
    return fail(reply, request, 400, "INVALID_REQUEST", "Request is invalid: limit must be a whole number from 1 on")
  }
  const [of] = await ask("account", accountOf, [bank, account, workspaceId])
  if (of === undefined) return fail(reply, request, 404, "NOT_FOUND", "Account not found")
  const pulledAt = of["pulled_at"] as Date | null
  // Reading what is older again is the other server's work.
  if (pulledAt === null || Date.now() - pulledAt.getTime() > 300_000) {
    return fail(reply, request, 503, "DATA_NOT_READY", "The first data is still being collected")
  }
  const rows = await ask("page", pageOf, [account, workspaceId, limit + 1])
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const hasMore = rows.length > limit
  const cursor = signed(`${workspaceId}/transactions/${bank}/${account}`, {
    at: Date.now(),
    mark: Number(of["mark"]),
    ...(hasMore ? { before: [last!["date"], last!["id"]] } : {})
  })
  const name = String(of["account_name"])
  const number = String(of["account_number"])
  const owner = {
    accountId: account,
    accountName: name,
    accountNumber: number,
    accountType: of["account_type"],
    account: `${number.replaceAll("*", "") || name} (${String(of["account_type"])})`,
    bankId: bank,
    bank: of["bank_name"]
  }
  const [path, query] = request.url.split("?", 2)
  const next = new URLSearchParams(query)
  next.set("cursor", cursor)
  return {
    success: true,
    data: page.map(({ fields, id }) => {
      const row: Record<string, unknown> = { id, ...owner, ...(fields as Row) }
      for (const amount of decimals) if (typeof row[amount] === "string") row[amount] = Number(row[amount])
      row["pendingTransactionId"] ??= null
      return row
    }),
    meta: {
      count: page.length,
      hasMore,
      cursor,
      ...(hasMore ? { nextCursor: cursor } : {}),
      asOf: pulledAt.toISOString(),
      stale: false,
      window: {}
    },
    links: { self: request.url, ...(hasMore ? { next: `${path}?${next.toString()}` } : {}) }
  }
})

await app.listen({ port: Number(process.env["MILLRACE_PORT"]), host: "127.0.0.1" })
process.stdout.write("Serving\n")
process.once("SIGTERM", () => void app.close().then(() => process.exit(0)))
