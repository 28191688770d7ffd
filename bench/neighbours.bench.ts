/**
 * How long others wait while a workspace has the worst enrichments that it may have: `/livez`, and a list of another workspace,
 * asked of the bundled server over HTTP while the first workspace previews, syncs and simulates. PostgreSQL has fsync on.
 *
 * Milliseconds by the clock, so they are those of a machine that has two processors for server, PostgreSQL and client, and nothing
 * else to do.
 */
import { setTimeout as wait } from "node:timers/promises"
import { Seeded } from "@millrace/testing/model"
import { makeServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import { extracts, longText, lookup, templates, worst } from "@millrace/verification/planning/WorstLegal"
import * as Effect from "effect/Effect"
import type { Bench, Overview } from "./harness/Bench.ts"
import { child, durable, environmentOf, pathOf, seed, type Tenant } from "./http/Installed.ts"

const rows = 1_489
/** Kinds that neither send anything nor ask a model. */
const plainKinds = [
  "rule",
  "lookup",
  "filter",
  "split",
  "dedupe",
  "transfer_match",
  "recurring",
  "fees",
  "anomaly",
  "budget"
]

const camel = (type: string): string => type.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** A file of ordinary rows, among them some of very long texts. */
const csv = (): string =>
  [
    "Date,Description,Amount,Currency",
    ...Array.from({ length: rows }, (_, n) => {
      const day = new Date(Date.UTC(2025, 0, 1 + (n % 80))).toISOString().slice(0, 10)
      return `${day},${n % 50 === 7 ? longText(1_900) : `SHOP ${n % 211} ${n}`},-${(n % 900) + 1}.25,USD`
    })
  ].join("\n")

interface Asked {
  readonly method?: string
  readonly json?: unknown
  readonly form?: FormData
}

/** What is looked at of answers. */
interface Data {
  readonly id: string
  readonly status: string
  readonly jobId?: string
}

const caller =
  (url: string, key: string) =>
  async (
    path: string,
    { form, json, method = json === undefined && form === undefined ? "GET" : "POST" }: Asked = {}
  ) => {
    const response = await fetch(url + path, {
      method,
      headers: { "x-api-key": key, ...(json === undefined ? {} : { "content-type": "application/json" }) },
      ...(form === undefined ? {} : { body: form }),
      ...(json === undefined ? {} : { body: JSON.stringify(json) })
    })
    const text = await response.text()
    return {
      status: response.status,
      text,
      data: text === "" ? undefined : (JSON.parse(text) as { readonly data?: Data }).data
    }
  }

type Call = ReturnType<typeof caller>

const answered = async (call: Call, path: string, asked?: Asked): Promise<Data> => {
  const { data, status, text } = await call(path, asked)
  if (status >= 300) throw new Error(`${path} was answered with ${status}: ${text.slice(0, 500)}`)
  return data!
}

/** Asks for a new one every so often, whether or not the last was answered, until it is asked to end. */
const asking = (url: string, key: string, everyMillis: number) => {
  const waits: Array<Promise<number>> = []
  const timer = setInterval(() => {
    const begun = performance.now()
    waits.push(
      fetch(url, { headers: { "x-api-key": key } }).then(async (response) => {
        await response.arrayBuffer()
        if (response.status !== 200) throw new Error(`${url} was answered with ${response.status}`)
        return performance.now() - begun
      })
    )
  }, everyMillis)
  return () => {
    clearInterval(timer)
    return Promise.all(waits)
  }
}

const untilOver = async (call: Call, path: string, isOver: (data: Data) => boolean): Promise<void> => {
  while (!isOver(await answered(call, path))) await wait(500)
}

const isJobOver = ({ status }: Data) => ["completed", "failed", "cancelled"].includes(status)

const makeFeed = async (call: Call, name: string): Promise<string> => {
  const table = await answered(call, "/v1/tables", { json: { name, fields: [] } })
  const feed = await answered(call, "/v1/feeds", {
    json: {
      name,
      source: "upload",
      dataType: "transactions",
      sourceConfig: { type: "upload", bankName: name },
      destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true }
    }
  })
  const form = new FormData()
  form.append("file", new Blob([csv()]), `${name}.csv`)
  const uploaded = await answered(call, `/v1/feeds/${feed.id}/uploads`, { form })
  await untilOver(call, `/v1/feeds/${feed.id}/jobs/${uploaded.jobId}`, isJobOver)
  return feed.id
}

type Enrichments = ReadonlyArray<readonly [type: string, config: unknown]>

const cases = (random: Seeded): Readonly<Record<string, Enrichments>> => ({
  templates: [["rule", templates]],
  "400 patterns": [["rule", extracts(random)]],
  "5,000 keys": [["lookup", lookup]],
  "plain kinds": plainKinds.map((type) => [type, worst(type, random)] as const)
})

/** What each kind of work of a workspace makes the other one wait for. */
const measured = async (url: string, mine: Tenant, other: Tenant, name: string, enrichments: Enrichments) => {
  const call = caller(url, mine.key)
  const feedId = await makeFeed(call, name)
  const ids: Array<string> = []
  for (const [type, config] of enrichments) {
    const made = await answered(call, "/v1/enrichments", {
      json: { name: type, type, dataType: "transactions", feedIds: [feedId], [`${camel(type)}Config`]: config }
    })
    ids.push(made.id)
  }
  const beside = async (work: () => Promise<unknown>) => {
    const ends = [asking(`${url}/livez`, other.key, 20), asking(url + pathOf["list of 100"]!(other), other.key, 250)]
    await work()
    const all = (await Promise.all(ends.map((end) => end()))).flat().toSorted((a, b) => a - b)
    return { p99: all[Math.floor(all.length * 0.99)] ?? 0, most: all.at(-1) ?? 0 }
  }
  const samples = Array.from({ length: 50 }, (_, n) => ({ description: longText(10_000), amount: `-${n + 1}.5` }))
  const waits = {
    preview: await beside(() => call(`/v1/feeds/${feedId}/enrich/preview`, { json: { records: samples } })),
    sync: await beside(async () => {
      const job = await answered(call, `/v1/feeds/${feedId}/sync`, { json: { resetCursors: true } })
      await untilOver(call, `/v1/feeds/${feedId}/jobs/${job.id}`, isJobOver)
    }),
    simulations: await beside(async () => {
      const changes = [{ kind: "reorder", enrichmentId: ids[0], order: 5 }]
      const all = await Promise.all(
        Array.from({ length: 12 }, () => call("/v1/enrichments/simulate", { json: { changes } }))
      )
      for (const { data, status } of all) {
        if (status !== 202) continue
        const path = `/v1/enrichments/simulations/${data!.id}`
        await untilOver(call, path, (one) => !["queued", "running"].includes(one.status))
      }
    })
  }
  for (const id of ids) await call(`/v1/enrichments/${id}`, { method: "DELETE" })
  return waits
}

export const bench: Bench = {
  name: "neighbours",
  title: "Waits of others beside the worst enrichments",
  make: ({ quick }) =>
    Effect.gen(function* () {
      const postgres = yield* durable
      const database = yield* Effect.promise(() => makeServerDatabase(postgres))
      const { MILLRACE_SLOTS: _, ...environment } = environmentOf(database.url)
      const [mine, other] = yield* seed(environment, 2)
      const { url } = yield* child(environment)
      yield* Effect.promise(() => answered(caller(url, other!.key), pathOf["list of 100"]!(other!)))
      const found = yield* Effect.cached(
        Effect.promise(async () => {
          const told: Array<{ readonly name: string; readonly p99: number; readonly most: number }> = []
          for (const [name, enrichments] of Object.entries(cases(new Seeded(27))).slice(0, quick ? 1 : undefined)) {
            const waits = await measured(url, mine!, other!, name, enrichments)
            for (const [what, { most, p99 }] of Object.entries(waits))
              told.push({ name: `${name}, ${what}`, p99, most })
          }
          return told
        })
      )
      const overview = Effect.map(found, (all): Overview => ({
        name: "milliseconds until an answer",
        columns: ["p99", "most"],
        rows: all.map(({ most, name, p99 }) => ({ name, values: [p99, most] }))
      }))
      return {
        comparisons: [],
        overviews: [overview],
        figures: [
          {
            name: "others wait, ms at p99",
            value: Effect.map(found, (all) => Math.max(...all.map(({ p99 }) => p99)))
          },
          {
            name: "others wait, ms at most",
            value: Effect.map(found, (all) => Math.max(...all.map(({ most }) => most)))
          }
        ]
      }
    })
}
