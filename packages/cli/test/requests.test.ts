/** How requests are made and repeated, and what is made of the answers, against a server that misbehaves as told. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { toRun } from "@millrace/verification/process/Programs"
import { afterEach, describe, expect, it } from "vitest"
import { parse as parseYaml } from "yaml"
import { decode as decodeToon } from "@toon-format/toon"
import { json, runProcess, runProgram, startScripted } from "./Process.ts"
import { run } from "./Run.ts"

type Scripted = Awaited<ReturnType<typeof startScripted>>
const open: Array<Scripted> = []
afterEach(() => {
  for (const server of open.splice(0)) server.stop()
})

const start = async (answer: Parameters<typeof startScripted>[0]): Promise<Scripted> => {
  const server = await startScripted(answer)
  open.push(server)
  return server
}

const list = (rows: string, meta = '"count":1,"hasMore":false'): string =>
  `{"success":true,"data":[${rows}],"meta":{${meta}},"links":{}}`

const refusal = (code: string, more = ""): string =>
  `{"success":false,"error":"Refused","code":"${code}","referenceId":"req_1"${more}}`

/** Digits that no double holds, a formula, a sequence for terminals, quotes and lines. */
const awkward = list(
  [
    '{"id":"a","amount":-12345678901234567.890,"text":"=HYPERLINK(\\"x\\")","nested":{"n":1e2,"list":[1.10,2]}}',
    '{"id":"b","amount":0.1000000000000000055511,"text":"\\u001b[31mred\\u202e\\nnext","nested":{"n":null,"list":[]}}'
  ].join(",")
)

const shown = async (format: string, more: ReadonlyArray<string> = []) => {
  const server = await start((_, response) => json(response, 200, awkward))
  return run(["banks", "list", "-o", format, ...more], { env: server.env })
}

describe("formats", () => {
  it("writes JSON with every digit the server wrote", async () => {
    const { out } = await shown("json")
    expect(out).toContain('"amount": -12345678901234567.890,')
    expect(out).toContain('"n": 1e2')
    expect(JSON.parse(out)).toEqual((JSON.parse(awkward) as { data: unknown }).data)
    for (const unsafe of ["\u001b", "\u202e"]) expect(out).not.toContain(unsafe)
  })

  it("writes a record per line as NDJSON", async () => {
    const { out } = await shown("ndjson")
    const lines = out.trimEnd().split("\n")
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain('"amount":0.1000000000000000055511,')
  })

  it("writes CSV with bare numbers and escaped formulas, its lines ended by LF, or by CRLF when asked", async () => {
    const { out } = await shown("csv")
    const { out: crlf } = await shown("csv", ["--crlf"])
    expect(out).not.toContain("\r")
    expect(crlf.replaceAll("\r\n", "\n")).toBe(out)
    expect(crlf.split("\r\n")).toEqual([
      "id,amount,text,nested.n,nested.list",
      'a,-12345678901234567.890,"\'=HYPERLINK(""x"")",1e2,"1.10, 2"',
      'b,0.1000000000000000055511,"[31mred\u202e\nnext",,',
      ""
    ])
  })

  it("writes YAML that reads back, with every digit", async () => {
    const { out } = await shown("yaml")
    expect(out).toContain("amount: -12345678901234567.890\n")
    expect(parseYaml(out)).toMatchObject([{ id: "a", text: '=HYPERLINK("x")' }, { id: "b" }])
    expect(out).not.toContain("\u001b")
  })

  it("writes TOON that reads back, with every digit", async () => {
    const { out } = await shown("toon")
    expect(out).toContain("-12345678901234567.890")
    expect(decodeToon(out)).toMatchObject([{ id: "a", text: '=HYPERLINK("x")' }, { id: "b" }])
    expect(out).not.toContain("\u001b")
  })

  it("writes a table of clean cells, numbers to the right", async () => {
    const { out } = await shown("table", ["--fields", "id,text,amount"])
    expect(out.split("\n")).toEqual([
      `id  text                               amount`,
      `a   =HYPERLINK("x")    -12345678901234567.890`,
      `b   [31mred next     0.1000000000000000055511`,
      ""
    ])
  })

  it("shows one record as a line per field", async () => {
    const server = await start((_, response) =>
      json(response, 200, '{"success":true,"data":{"id":"bank_1","amount":1.50,"in":{"side":true,"none":null}}}')
    )
    const { out } = await run(["banks", "get", "bank_1", "-o", "table"], { env: server.env })
    expect(out).toBe("id       bank_1\namount   1.50\nin.side  true\n")
  })

  it("picks fields by name, in the order given, and says which no record has", async () => {
    const { err, out } = await shown("json", ["--fields", "nested.n,id,nope"])
    expect(JSON.parse(out)).toEqual([
      { "nested.n": 100, id: "a", nope: null },
      { "nested.n": null, id: "b", nope: null }
    ])
    expect(err).toBe("warning: no record has the field nope\n")
  })

  it("says that a list is empty beside the data", async () => {
    const server = await start((_, response) => json(response, 200, list("")))
    const shownAs = async (format: string) => {
      const { err, out } = await run(["banks", "list", "-o", format], { env: server.env })
      return [out, err]
    }
    expect(await shownAs("table")).toEqual(["", "No banks.\n"])
    expect(await shownAs("json")).toEqual(["[]\n", ""])
    expect(await shownAs("ndjson")).toEqual(["", ""])
  })
})

/** As the documents say it. */
const npx = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
  runProgram("npx", ["--no-install", "millrace", ...args], { env })

describe("npx millrace", () => {
  it("puts nothing but the data into standard output, and proposes commands that can be copied", async () => {
    const server = await start((_, response) => json(response, 200, list('{"id":"a"}')))
    const listed = await npx(["banks", "list", "-o", "csv"], server.env)
    expect([listed.code, listed.out]).toEqual([0, "id\na\n"])
    expect((await npx(["banks", "list"], {})).err).toContain("millrace: No API key. Run: npx millrace login ")
    const help = ["banks", "get", "--help"]
    expect((await runProcess(help, { env: { npm_command: "exec" } })).out).toContain("  npx millrace banks get ")
    expect((await run(help)).out).toContain("  millrace banks get ")
  })
})

describe("requests", () => {
  it("sends the options of transactions as the query", async () => {
    const server = await start((_, response) => json(response, 200, list("")))
    await run(
      `accounts transactions --bank bank_1 --account acct_1 --from 2026-01-01 --to 2026-02-01 --limit 3 --cursor next --no-pending --cached --min-amount=-1.50`
        .split(" ")
        .concat("--search", "ä b"),
      { env: server.env }
    )
    const asked = new URL(server.asked[0]!.url, server.baseUrl)
    expect(asked.pathname).toBe("/v1/banks/bank_1/accounts/acct_1/transactions")
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      from: "2026-01-01",
      to: "2026-02-01",
      limit: "3",
      cursor: "next",
      pending: "false",
      q: "ä b",
      cached: "true",
      minAmount: "-1.50"
    })
    expect(server.asked[0]!.headers["x-api-key"]).toBe("mill_key")
  })

  it("sends the numbers of a body as they were typed", async () => {
    const server = await start((_, response) => json(response, 200, '{"success":true}'))
    await run(["call", "POST", "/v1/x", "-d", '{"amount":0.10000000000000000001}'], { env: server.env })
    await run(["tables", "create", "--file", "-"], { env: server.env, stdin: '{"limit":12345678901234567.890}' })
    expect(server.asked[0]!.body).toBe('{"amount":0.10000000000000000001}')
    expect(server.asked[1]!.body).toBe('{"fields":[],"limit":12345678901234567.890}')
  })

  it("lists the newest jobs of all feeds where none is named", async () => {
    const server = await start(({ url }, response) => {
      if (url.startsWith("/v1/feeds?") || url === "/v1/feeds") {
        json(response, 200, list('{"id":"feed_1","name":"One"},{"id":"feed_2","name":"Two"}'))
      } else if (url.startsWith("/v1/feeds/feed_1/jobs")) {
        json(response, 200, list('{"id":"a","createdAt":"2026-03-03"},{"id":"b","createdAt":"2026-03-01"}'))
      } else json(response, 200, list('{"id":"c","createdAt":"2026-03-02"}'))
    })
    const { out } = await run(["jobs", "list", "--limit", "2"], { env: server.env })
    expect(JSON.parse(out)).toEqual([
      { id: "a", createdAt: "2026-03-03", feedId: "feed_1", feedName: "One" },
      { id: "c", createdAt: "2026-03-02", feedId: "feed_2", feedName: "Two" }
    ])
    expect((await run(["jobs", "list", "--cursor", "x"], { env: server.env })).code).toBe(2)
  })

  it("finds the feed of a job where none is named, and says when no feed has it", async () => {
    const server = await start(({ url }, response) => {
      if (url === "/v1/feeds") json(response, 200, list('{"id":"feed_1"},{"id":"feed_2"}'))
      else if (url === "/v1/feeds/feed_2/jobs/job_7") json(response, 200, '{"success":true,"data":{"id":"job_7"}}')
      else json(response, 404, '{"success":false,"error":"Not found","code":"NOT_FOUND"}')
    })
    const found = await run(["jobs", "get", "job_7"], { env: server.env })
    expect([found.code, JSON.parse(found.out)]).toEqual([0, { id: "job_7" }])
    const missing = await run(["jobs", "cancel", "job_8"], { env: server.env })
    expect([missing.code, missing.out]).toEqual([2, ""])
    expect(missing.err).toContain("No feed that this key can read has the job job_8.")
  })

  it("stops looking for a job at an answer that is not about it", async () => {
    const server = await start(({ url }, response) => {
      if (url === "/v1/feeds") json(response, 200, list('{"id":"feed_1"}'))
      else json(response, 403, '{"success":false,"error":"No","code":"FORBIDDEN"}')
    })
    const { code, err } = await run(["jobs", "get", "job_7"], { env: server.env })
    expect(code).not.toBe(0)
    expect(err).not.toContain("No feed that this key can read")
  })

  it("follows the pages to the last one with --all", async () => {
    const server = await start(({ url }, response) => {
      const cursor = new URL(url, "http://x").searchParams.get("cursor")
      if (cursor === null) json(response, 200, list('{"id":"1"}', '"hasMore":true,"nextCursor":"two &"'))
      else if (cursor === "two &") json(response, 200, list('{"id":"2"}', '"hasMore":true,"nextCursor":"three"'))
      else json(response, 200, list('{"id":"3"}', '"hasMore":false,"cursor":"watermark"'))
    })
    const rows = async (args: ReadonlyArray<string>) => (await run(args, { env: server.env })).out
    const command = ["rows", "list", "--table", "tbl_1", "--limit", "1"]
    expect(JSON.parse(await rows([...command, "--all"]))).toEqual([{ id: "1" }, { id: "2" }, { id: "3" }])
    expect(await rows([...command, "--all", "-o", "ndjson"])).toBe('{"id":"1"}\n{"id":"2"}\n{"id":"3"}\n')
    expect(JSON.parse(await rows(["call", "GET", "/v1/x", "--all"]))).toHaveLength(3)
    expect(server.asked[1]!.url).toBe("/v1/tables/tbl_1/rows?limit=1&cursor=two+%26")
    const first = await run(command, { env: server.env })
    expect(JSON.parse(first.out)).toEqual([{ id: "1" }])
    expect(first.err).toBe(
      "There are more rows than these 1: add --all for all of them, or --cursor two & for the next ones\n"
    )
    const called = await run(["call", "GET", "/v1/x", "-o", "csv"], { env: server.env })
    expect([called.out, called.err]).toEqual(["id\n1\n", first.err.replace("rows", "records")])
    expect((await run([...command, "--quiet"], { env: server.env })).err).toBe("")
  })

  it("follows the pages of a posted query in its body", async () => {
    const server = await start(({ body }, response) =>
      json(
        response,
        200,
        body.includes("cursor") ? list('{"id":"2"}') : list('{"id":"1"}', '"hasMore":true,"nextCursor":"two"')
      )
    )
    const filter = '{"field":"a","op":"eq","value":1.50}'
    const args = ["rows", "query", "--table", "tbl_1", "--filter", filter, "--all"]
    expect(JSON.parse((await run(args, { env: server.env })).out)).toEqual([{ id: "1" }, { id: "2" }])
    expect(server.asked.map(({ body }) => body)).toEqual([
      `{"filter":${filter}}`,
      `{"filter":${filter},"cursor":"two"}`
    ])
  })

  it("does not follow pages that never end", async () => {
    const server = await start((_, response) => json(response, 200, list("", '"hasMore":true,"nextCursor":"same"')))
    const { code, err } = await run(["rows", "list", "--table", "tbl_1", "--all"], { env: server.env })
    expect([code, err]).toEqual([1, expect.stringContaining("its pages never end")])
    expect(server.asked).toHaveLength(2)
  })

  it("does not take the key along when it is sent on elsewhere", async () => {
    const other = await start((_, response) => json(response, 200, list("")))
    const server = await start((_, response) =>
      response.writeHead(307, { location: `${other.baseUrl}/v1/banks` }).end()
    )
    const { code } = await run(["banks", "list"], { env: server.env })
    expect([code, other.asked]).toEqual([1, []])
  })
})

describe("retries", () => {
  it("asks again after 429, when the server says", async () => {
    const server = await start((_, response, count) =>
      count <= 2
        ? json(response, 429, refusal("RATE_LIMITED"), { "retry-after": "0" })
        : json(response, 200, list('{"id":"1"}'))
    )
    const { code, err, out } = await run(["banks", "list"], { env: server.env })
    expect([code, JSON.parse(out), server.asked.length]).toEqual([0, [{ id: "1" }], 3])
    expect(err).toContain("Rate limit reached; trying again in")
  })

  it("waits as long as Retry-After says", async () => {
    const times: Array<number> = []
    const server = await start((_, response, count) => {
      times.push(Date.now())
      if (count === 1) json(response, 429, refusal("RATE_LIMITED"), { "retry-after": "1" })
      else json(response, 200, list(""))
    })
    expect((await run(["banks", "list"], { env: server.env })).code).toBe(0)
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(990)
  })

  it("gives up after five tries", async () => {
    const server = await start((_, response) => json(response, 429, refusal("RATE_LIMITED"), { "retry-after": "0" }))
    expect((await run(["banks", "list", "--quiet"], { env: server.env })).code).toBe(6)
    expect(server.asked).toHaveLength(5)
  })

  it("asks again when the connection is closed", async () => {
    const server = await start((_, response, count) => {
      if (count === 1) response.destroy()
      else json(response, 200, list(""))
    })
    expect((await run(["banks", "list"], { env: server.env })).code).toBe(0)
    expect(server.asked).toHaveLength(2)
  })

  it.each([
    ["POST", ["feeds", "sync", "feed_1"]],
    ["PUT", ["feeds", "update", "feed_1", "--name", "x"]],
    ["DELETE", ["feeds", "delete", "feed_1"]],
    ["GET with --no-retry", ["banks", "list", "--no-retry"]]
  ])("tries %s once", async (_, args) => {
    const limited = await start((__, response) => json(response, 429, refusal("RATE_LIMITED"), { "retry-after": "0" }))
    expect((await run(args, { env: limited.env })).code).toBe(6)
    expect(limited.asked).toHaveLength(1)
    const broken = await start((__, response) => response.destroy())
    expect((await run(args, { env: broken.env })).code).toBe(6)
    expect(broken.asked).toHaveLength(1)
  })

  it("tries what is posted again with an idempotency key, the same one each time", async () => {
    const keys: Array<unknown> = []
    const server = await start(({ headers }, response, count) => {
      keys.push(headers["idempotency-key"])
      if (count === 1) response.destroy()
      else if (count === 2) json(response, 409, refusal("IDEMPOTENCY_IN_PROGRESS"))
      else json(response, 201, '{"success":true,"data":{"id":"job_1"}}')
    })
    const sync = ["feeds", "sync", "feed_1", "--idempotency-key", "a key"]
    expect((await run(sync, { env: server.env })).code).toBe(0)
    expect(keys).toEqual(["a key", "a key", "a key"])
    const broken = await start((_, response) => response.destroy())
    expect((await run([...sync, "--no-retry"], { env: broken.env })).code).toBe(6)
    const remove = ["feeds", "delete", "feed_1", "--idempotency-key", "a key"]
    expect((await run(remove, { env: broken.env })).code).toBe(6)
    expect(broken.asked).toHaveLength(2)
    expect((await run(["feeds", "sync", "feed_1", "--idempotency-key", "é"], { env: broken.env })).code).toBe(2)
    expect(broken.asked).toHaveLength(2)
  })

  it("does not repeat what other errors answer", async () => {
    const server = await start((_, response) => json(response, 503, refusal("STORAGE_UNAVAILABLE")))
    expect((await run(["banks", "list"], { env: server.env })).code).toBe(6)
    expect(server.asked).toHaveLength(1)
  })
})

describe("the process", () => {
  it("reads standard input, writes data to standard output alone, and ends with the exit code", async () => {
    const server = await start(({ method }, response) =>
      method === "POST"
        ? json(response, 201, '{"success":true,"data":{"id":"tbl_1"}}')
        : json(response, 404, refusal("NOT_FOUND"))
    )
    const create = ["tables", "create", "--file", "-"]
    const made = await runProcess(create, { env: server.env, stdin: '{"name":"ä","fields":[]}' })
    expect([made.code, JSON.parse(made.out), made.err]).toEqual([0, { id: "tbl_1" }, ""])
    expect(JSON.parse(server.asked[0]!.body)).toEqual({ name: "ä", fields: [] })
    const missing = await runProcess(["tables", "get", "tbl_2"], { env: server.env })
    expect(missing).toEqual({ code: 5, out: "", err: "millrace: Refused (404 NOT_FOUND)\nReference: req_1\n" })
  })
})

describe("exit codes", () => {
  it.each([
    [400, 1],
    [401, 4],
    [403, 4],
    [404, 5],
    [409, 1],
    [422, 1],
    [500, 6],
    [501, 6],
    [503, 6]
  ])("status %i is exit code %i", async (status, expected) => {
    const server = await start((_, response) => json(response, status, refusal("SOME")))
    const { code, err, out } = await run(["whoami"], { env: server.env })
    expect([code, out]).toEqual([expected, ""])
    expect(err).toBe(`millrace: Refused (${status} SOME)\nReference: req_1\n`)
  })

  it("prints details by field, warnings, recovery and reference of an error", async () => {
    const more =
      ',"recovery":{"action":"retry","afterSeconds":7},"details":[{"field":"name","message":"is \\u001b[1mrequired"},{"message":"broken"}],"errors":["name is \\u001b[1mrequired","other"],"warnings":["old"]'
    const server = await start((_, response) => json(response, 422, refusal("FEED_VALIDATION_FAILED", more)))
    const { err } = await run(["feeds", "create"], { env: server.env })
    expect(err.split("\n")).toEqual([
      "millrace: Refused (422 FEED_VALIDATION_FAILED)",
      "  name: is [1mrequired",
      "  broken",
      "  other",
      "  warning: old",
      "Try again in 7 s.",
      "Reference: req_1",
      ""
    ])
  })

  it("is 6 for a server that is not there, which the message names", async () => {
    const { code, err } = await run(["whoami", "--no-retry", "--api-key", "k", "--base-url", "http://127.0.0.1:1"])
    expect([code, err]).toEqual([6, expect.stringContaining("Cannot reach http://127.0.0.1:1: ")])
  })

  it("is 6 for an answer that does not come in time, without another try", async () => {
    const server = await start(() => {})
    const { code, err } = await run(["whoami", "--timeout", "200ms"], { env: server.env })
    expect([code, err]).toEqual([6, `millrace: No answer from ${server.baseUrl} within 200ms\n`])
    expect(server.asked).toHaveLength(1)
  })

  it("is 1 for an answer that is none of this API", async () => {
    const server = await start((_, response) => response.end("<html>"))
    const { code, err } = await run(["whoami"], { env: server.env })
    expect([code, err]).toEqual([1, expect.stringContaining("it is not JSON")])
  })

  it.each([
    ["an unknown command", ["nope"], "Unknown subcommand"],
    ["an unknown option", ["banks", "list", "--nope"], "--nope"],
    ["a missing argument", ["banks", "get"], "bank-id"],
    ["a missing option", ["rows", "list"], "--table"],
    ["an id that leads elsewhere", ["banks", "get", ".."], "an id of letters"],
    ["a limit below one", ["rows", "list", "--table", "t", "--limit", "0"], "at least 1"],
    ["an unknown status", ["jobs", "list", "--feed", "f", "--status", "done"], "done"],
    ["an unknown format", ["whoami", "-o", "xml"], "xml"],
    ["a timeout that is none", ["whoami", "--timeout", "soon"], "soon"],
    ["a base URL that is none", ["whoami", "--base-url", "localhost:1"], "localhost:1"],
    ["fields without names", ["whoami", "--fields", "a,,b"], "--fields"],
    ["a group without a command", ["feeds"], "SUBCOMMANDS"]
  ])("is 2 for %s, with nothing on standard output", async (_, args, message) => {
    const { code, err, out } = await run(args, { env: { MILLRACE_API_KEY: "k" } })
    expect([code, out]).toEqual([2, ""])
    expect(err).toContain(message)
  })

  it("is 4 without a key", async () => {
    const { code, err } = await run(["whoami"])
    expect([code, err]).toEqual([4, expect.stringContaining("millrace login")])
  })

  it("is 130 when interrupted", async () => {
    const server = await start((_, response) =>
      json(response, 200, '{"success":true,"data":{"id":"job_1","status":"in_progress","transactionsProcessed":4}}')
    )
    const args = ["jobs", "watch", "job_1", "--feed", "feed_1"]
    const { code, out } = await runProcess(args, { env: server.env, interruptAt: "in_progress: 4 read" })
    expect([code, out]).toEqual([130, ""])
  })

  it("is 0 for a reader that has seen enough", async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => `{"id":"${index}"}`).join(",")
    const server = await start((_, response) => json(response, 200, list(rows, '"hasMore":true,"nextCursor":"x"')))
    const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
    const child = spawn(process.execPath, [...(await toRun(main)), "banks", "list", "-o", "ndjson"], {
      env: { ...process.env, ...server.env }
    })
    let err = ""
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
    child.stdout.once("data", () => child.stdout.destroy())
    const code = await new Promise((resolve) => child.on("close", resolve))
    expect([code, err.includes("EPIPE")]).toEqual([0, false])
  })
})

const job = (status: string) => `{"success":true,"data":{"id":"job_1","status":"${status}","transactionsWritten":2}}`

describe("waiting for a job", () => {
  it.each([
    ["completed", 0],
    ["failed", 1],
    ["cancelled", 1]
  ])("ends when the job is %s, with exit code %i and the job as data", async (status, expected) => {
    const server = await start(({ method }, response, count) =>
      json(response, method === "POST" ? 201 : 200, job(count < 4 ? "in_progress" : status), {
        "x-ratelimit-limit": "600"
      })
    )
    const { code, err, out } = await run(["feeds", "sync", "feed_1", "--wait"], { env: server.env })
    expect([code, JSON.parse(out)]).toEqual([expected, { id: "job_1", status, transactionsWritten: 2 }])
    expect(err).toContain("in_progress: 0 read, 2 written")
    expect(server.asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "POST /v1/feeds/feed_1/sync",
      ...Array.from({ length: 3 }, () => "GET /v1/feeds/feed_1/jobs/job_1")
    ])
  })
})

describe("help", () => {
  it("prints the version alone", async () => {
    expect((await runProcess(["--version"])).out).toBe("0.1.1\n")
    expect((await run(["banks", "--version"])).out).toBe("0.1.1\n")
  })

  it("lists every command and every option that all of them take", async () => {
    const { code, out } = await run(["--help"])
    expect(code).toBe(0)
    for (const name of [
      "whoami",
      "banks",
      "accounts",
      "feeds",
      "jobs",
      "tables",
      "rows",
      "call",
      "login",
      "logout",
      "profiles"
    ]) {
      expect(out).toMatch(new RegExp(`^  ${name} `, "m"))
    }
    for (const name of [
      "profile",
      "api-key",
      "base-url",
      "output",
      "fields",
      "all",
      "timeout",
      "no-retry",
      "idempotency-key",
      "quiet",
      "no-color"
    ]) {
      expect(out).toContain(`--${name}`)
    }
    expect((await run([])).out).toBe(out)
  })

  it.each([
    ["banks", ["list", "get"]],
    [
      "accounts",
      [
        "list",
        "get",
        "balance",
        "transactions",
        "delete-transaction",
        "restore-transaction",
        "matches",
        "suggestions",
        "trades",
        "holdings",
        "orders",
        "loan"
      ]
    ],
    ["feeds", ["list", "get", "create", "update", "delete", "sync", "upload", "uploads", "records", "redeliver"]],
    ["jobs", ["list", "get", "cancel", "pause", "resume", "watch"]],
    ["tables", ["list", "get", "create", "update", "delete", "restore", "fields"]],
    ["rows", ["list", "query", "get", "create", "update", "delete", "restore"]],
    ["profiles", ["list", "use", "remove"]]
  ])("lists the commands of %s", async (group, commands) => {
    const { code, out } = await run([group, "--help"])
    expect(code).toBe(0)
    for (const command of commands) expect(out).toMatch(new RegExp(`^  ${command} `, "m"))
  })

  it("tells the options of a command", async () => {
    const { out } = await run(["feeds", "sync", "--help"])
    for (const name of ["start", "end", "force", "reset", "skip-dedup", "wait"]) expect(out).toContain(`--${name}`)
    expect(out).toContain("millrace feeds sync [flags] <feed-id>")
  })
})
