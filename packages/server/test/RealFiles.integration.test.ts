/**
 * Files of real banks on their whole way: uploaded, booked, delivered to a table and to a file. They stand
 * beside the repository and not in it; without that folder these tests skip.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { mkdir, readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { asOwner, type Caller } from "@millrace/core/access"
import type { Feed } from "@millrace/core/feed"
import { Feeds, Jobs, Tables, Uploads, Workspaces } from "@millrace/core/kernel"
import { isActive } from "@millrace/core/job"
import { Currency } from "@millrace/core"
import { call } from "@millrace/verification/process/ApiCaller"
import { type DataFolder, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { makeServerDatabase, type ServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import { killServers, startServer, type ServerProcess } from "@millrace/verification/process/ServerProcess"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { layerKernel } from "../src/Server.ts"
import { cellsOf, numbersIn, recordsOf, sumOf } from "@millrace/verification/process/Reading"

const data = resolve(import.meta.dirname, "../../../../shared/data")
const ofxFolder = join(data, "ofx/ofxparse")
const csvFolder = join(data, "csv/csv2ofx")
const present = existsSync(ofxFolder) && existsSync(csvFolder)
const suite = present ? describe : describe.skip
const note = present ? "" : ` (skipped: ${data} is missing)`

/** What is booked of a file: rows, and the exact sum by currency. */
interface Booked {
  readonly rows: number
  readonly sums: Readonly<Record<string, string>>
}

type Movement = readonly [currency: string, amount: string]

const booked = (movements: ReadonlyArray<Movement>): Booked => {
  const currencies = [...new Set(movements.map(([currency]) => currency))].toSorted()
  const amountsOf = (wanted: string) => movements.flatMap(([currency, amount]) => (currency === wanted ? [amount] : []))
  return {
    rows: movements.length,
    sums: Object.fromEntries(currencies.map((currency) => [currency, sumOf(amountsOf(currency))]))
  }
}

/** Amounts finer than a cent are booked rounded half to even (decisions 1.3); all currencies here have cents. */
const toCents = (amount: string): string => {
  const [, minus = "", whole = "0", cents = "", rest = ""] = /^(-?)0*(\d+)(?:\.(\d{0,2})(\d*))?$/.exec(amount) ?? []
  const down = BigInt(`${whole}${cents.padEnd(2, "0")}`)
  const half = `5${"0".repeat(Math.max(0, rest.length - 1))}`
  const up = rest > half || (rest === half && down % 2n === 1n)
  const units = String(up ? down + 1n : down).padStart(3, "0")
  return `${minus}${units.slice(0, -2)}.${units.slice(-2)}`
}

/**
 * What moves money in an OFX file: every bank transaction, and every investment transaction that states a
 * total. Totals and amounts outside the lists of transactions are balances. A transaction may name another
 * currency than its statement.
 */
const ofxMovements = (text: string): ReadonlyArray<Movement> => {
  const movements: Array<Movement> = []
  for (const [, statement = ""] of text.matchAll(/<((?:INV|CC)?STMTRS>[^]*?)<\/(?:INV|CC)?STMTRS>/g)) {
    const currency = /<CURDEF>([A-Z]{3})/.exec(statement)?.[1] ?? "none"
    for (const [, list = ""] of statement.matchAll(/<(?:BANK|INV)TRANLIST>([^]*?)<\/(?:BANK|INV)TRANLIST>/g)) {
      for (const [, amount = "", rest = ""] of list.matchAll(
        /<(?:TRNAMT|TOTAL)>\s*\+?([-\d.]+)([^]*?)(?=<TRNAMT>|<TOTAL>|$)/g
      )) {
        movements.push([/<CURSYM>([A-Z]{3})/.exec(rest)?.[1] ?? currency, toCents(amount)])
      }
    }
  }
  return movements
}

/** Where the amounts of a CSV file stand, as a person reads it; columns from 0. */
interface Layout {
  readonly delimiter?: ";"
  readonly comma?: true
  readonly currency: string
  /** Signed. */
  readonly amount?: number
  /** Positive for money that leaves. */
  readonly out?: number
  /** Positive for money that comes. */
  readonly in?: number
  /** The column that says `debit` where the amount leaves. */
  readonly debit?: number
  readonly header?: false
  /** Rows that are no movements. */
  readonly not?: RegExp
}

const schwab: Layout = { currency: "USD", out: 5, in: 6 }
const stripe: Layout = { currency: "CAD", amount: 4 }
const mint: Layout = { currency: "USD", amount: 3, debit: 4 }
const layouts: Readonly<Record<string, Layout>> = {
  amazon: { currency: "USD", out: 5, not: /,(?:pending|\d{4}-\d\d-\d\d),,|^order id,/ },
  capitalone: { currency: "USD", out: 5, in: 6 },
  creditunion: { currency: "USD", amount: 3 },
  default: { currency: "USD", amount: 5 },
  gls: { currency: "EUR", amount: 19, delimiter: ";", comma: true },
  ingesp: { currency: "USD", amount: 6 },
  mint,
  mint_extra: { ...mint, not: /^Date,/ },
  mint_headerless: { ...mint, header: false },
  "n26-fr": { currency: "EUR", amount: 7 },
  outbank: { currency: "EUR", amount: 4, delimiter: ";", comma: true },
  payoneer: { currency: "USD", in: 5, out: 6 },
  pcmastercard: { currency: "USD", out: 4 },
  "schwab-checking": schwab,
  ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [`schwab-checking-baltest-case${n}`, schwab])),
  "stripe-all": stripe,
  "stripe-default": stripe,
  "ubs-ch-fr_trimmed": { currency: "CHF", delimiter: ";", out: 8, in: 9 },
  xero: { currency: "USD", amount: 3 }
}

const opposite = (amount: string) => (amount.startsWith("-") ? amount.slice(1) : `-${amount}`)

const csvMovements = (text: string, layout: Layout): ReadonlyArray<Movement> => {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "")
  const number = (cell: string | undefined) => {
    const digits = (cell ?? "").replaceAll(layout.comma ? /[.\s]/g : /[$,'\s]/g, "")
    return layout.comma ? digits.replace(",", ".") : digits
  }
  return lines.slice(layout.header === false ? 0 : 1).flatMap((line): ReadonlyArray<Movement> => {
    if (layout.not?.test(line) === true) return []
    const cells =
      layout.delimiter === ";" ? line.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/) : (cellsOf(`${line}\r\n`)[0] ?? [])
    const at = (column: number | undefined) => (column === undefined ? "" : number(cells[column]))
    const leaves = layout.debit !== undefined && cells[layout.debit] === "debit"
    const stated = [
      at(layout.amount) === "" ? [] : [leaves ? opposite(at(layout.amount)) : at(layout.amount)],
      at(layout.out) === "" ? [] : [opposite(at(layout.out))],
      at(layout.in) === "" ? [] : [at(layout.in)]
    ].flat()
    return stated.map((amount) => [layout.currency, amount])
  })
}

const refusedOfx: ReadonlyArray<readonly [name: string, message: string]> = [
  [
    "fail_nice__date_missing",
    "line 33, column 5, STMTTRN.DTPOSTED: the row has no date; none of the 3 rows can be read"
  ],
  ["fail_nice__decimal_error", "line 36, column 21, STMTTRN.DTPOSTED"],
  ["signon_fail", "line 11, column 29, STATUS"],
  ["error_message", "line 22, column 13, STATUS"]
]

interface Sample {
  readonly name: string
  readonly bytes: Uint8Array
  readonly expected: Booked
}

const namesIn = (folder: string, form: RegExp): ReadonlyArray<readonly [file: string, name: string]> =>
  present
    ? readdirSync(folder).flatMap((file) => {
        const name = form.exec(file)?.[1]
        return name === undefined ? [] : [[file, name] as const]
      })
    : []

const ofxNames = namesIn(ofxFolder, /^tests__fixtures__(.+)\.ofx$/)
const csvNames = namesIn(csvFolder, /^data__test__(.+)\.csv$/)
const ofxBytes = (name: string) => readFileSync(join(ofxFolder, `tests__fixtures__${name}.ofx`))

const samples: ReadonlyArray<Sample> = [
  ...ofxNames
    .filter(([, name]) => !refusedOfx.some(([refused]) => refused === name))
    .map(([file, name]): Sample => {
      const bytes = ofxBytes(name)
      return { name: file, bytes, expected: booked(ofxMovements(bytes.toString("latin1"))) }
    }),
  ...csvNames.map(([file, name]): Sample => {
    const bytes = readFileSync(join(csvFolder, file))
    const layout = layouts[name]
    return {
      name: file,
      bytes,
      expected: booked(layout === undefined ? [] : csvMovements(bytes.toString("latin1"), layout))
    }
  })
]

const secret = Buffer.alloc(32, 3).toString("base64")
let folder: DataFolder
let files: string
let database: ServerDatabase
let caller: Caller
let apiKey: string

const kernelOf = () =>
  ManagedRuntime.make(
    layerKernel({
      dataFolder: folder.path,
      databaseUrl: Redacted.make(database.url),
      host: "127.0.0.1",
      port: 0,
      filesFolder: files,
      secretKey: Redacted.make(secret),
      demo: false,
      slots: 4,
      jobLease: 6
    })
  )
let kernel: ReturnType<typeof kernelOf>

beforeAll(async () => {
  folder = await makeDataFolder()
  files = join(folder.path, "files")
  await mkdir(files)
  database = await makeServerDatabase(inject("postgres"), "migrated")
  kernel = kernelOf()
  const {
    owner,
    secret: key,
    workspace
  } = await kernel.runPromise(
    Effect.gen(function* () {
      return yield* (yield* Workspaces).create({
        name: "Files",
        plan: "enterprise",
        timezone: "UTC",
        baseCurrency: Currency.make("USD"),
        ownerEmail: "owner@localhost"
      })
    })
  )
  apiKey = Redacted.value(key)
  caller = asOwner(workspace, owner)
})

afterAll(async () => {
  await killServers()
  await kernel.dispose()
  await database.drop()
  await folder.remove()
})

interface Place {
  readonly feeds: ReadonlyArray<Feed>
  readonly tableId: string
  readonly fileName: string
}

const makePlace = (name: string): Promise<Place> =>
  kernel.runPromise(
    Effect.gen(function* () {
      const feeds = yield* Feeds
      const table = yield* (yield* Tables).create(caller, { name, fields: [] })
      const create = (destinationConfig: unknown) =>
        feeds.create(caller, {
          name,
          source: "upload",
          dataType: "transactions",
          sourceConfig: { type: "upload" },
          destinationConfig
        })
      const fileName = `${name}.delivered.csv`
      const toTable = yield* create({ type: "table", tableId: table.id })
      const toFile = yield* create({ type: "file", path: fileName, format: "csv" })
      return { feeds: [toTable.feed, toFile.feed], tableId: table.id, fileName }
    })
  )

const add = (feed: Feed, name: string, bytes: Uint8Array) =>
  Effect.gen(function* () {
    const contentType = "application/octet-stream"
    return yield* (yield* Uploads).add(caller, feed.id, { fileName: name, contentType, bytes })
  })

/** The newest job of the feed, once it is over. */
const lastJob = Effect.fnUntraced(function* (feed: Feed) {
  const jobs = yield* Jobs
  for (;;) {
    const job = (yield* jobs.list(caller, feed.id, { limit: 1 })).rows[0]
    if (job !== undefined && !isActive(job.status)) return job
    yield* Effect.sleep("20 millis")
  }
})

const tableNow = async (place: Place): Promise<Booked> => {
  const rows = await database.query(
    `select field_values->>'amount' as amount, field_values->>'currency' as currency from table_row
     where table_id = '${place.tableId}'`
  )
  return booked(rows.map((row) => [String(row["currency"]), String(row["amount"])] as const))
}

const pathOf = (place: Place) => join(files, caller.principal.workspace.id, place.fileName)

const fileNow = async (place: Place) => {
  const text = await readFile(pathOf(place), "utf8")
  const movements = recordsOf(text).map((record): Movement => [record["Currency"] ?? "", record["Amount"] ?? ""])
  return { text, booked: booked(movements) }
}

const count = async (table: string): Promise<unknown> =>
  (await database.query(`select count(*)::int as n from ${table}`))[0]?.["n"]

const everything = () => Promise.all(["upload", "account", "record", "table_row", "job", "delivery"].map(count))

/** Uploads a file to a table and to a file, and then once more. */
const arriveWhole = async (sample: Sample) => {
  const { bytes, expected, name } = sample
  const place = await makePlace(name)
  const first = await kernel.runPromise(
    Effect.forEach(place.feeds, (feed) => Effect.zip(add(feed, name, bytes), lastJob(feed)), { concurrency: 2 })
  )
  for (const [{ created }, job] of first) {
    expect(created).toBe(true)
    const told = JSON.stringify(job)
    expect([job.status, job.counts.created, job.counts.quarantined], told).toEqual(["completed", expected.rows, 0])
    expect(
      job.errors.filter((error) => error.severity !== "warning"),
      told
    ).toEqual([])
  }
  const file = await fileNow(place)
  expect(await tableNow(place)).toEqual(expected)
  expect(file.booked).toEqual(expected)

  const second = await kernel.runPromise(
    Effect.gen(function* () {
      const jobs = yield* Jobs
      return yield* Effect.forEach(place.feeds, (feed) =>
        Effect.gen(function* () {
          const again = yield* add(feed, name, bytes)
          yield* jobs.trigger(caller, feed.id, {})
          return [again, yield* lastJob(feed)] as const
        })
      )
    })
  )
  expect(second.map(([again]) => [again.created, again.upload.id])).toEqual(
    first.map(([{ upload }]) => [false, upload.id])
  )
  for (const [, job] of second) {
    expect([job.status, job.counts.created, job.counts.updated, job.counts.removed]).toEqual(["completed", 0, 0, 0])
  }
  expect(await tableNow(place)).toEqual(expected)
  expect((await fileNow(place)).text).toBe(file.text)
}

suite(`files of real banks${note}`, () => {
  it("are all known here", () => {
    expect([ofxNames.length, csvNames.length]).toEqual([24, 25])
    expect(csvNames.map(([, name]) => name).toSorted()).toEqual(Object.keys(layouts).toSorted())
    expect(samples.filter(({ expected }) => expected.rows === 0).map(({ name }) => name.slice(17, -4))).toEqual([
      "account_listing_aggregation",
      "bank_small",
      "multiple_accounts",
      "multiple_accounts2",
      "signon_success",
      "signon_success_no_message",
      "td_ameritrade",
      "tiaacref"
    ])
  })

  it.each(samples)("arrive whole in a table and a file, and change nothing the second time: $name", arriveWhole)

  it.each(refusedOfx)("are refused by line and element, and leave nothing behind: %s", async (name, message) => {
    const place = await makePlace(name)
    const before = await everything()
    for (const feed of place.feeds) {
      const error = await kernel.runPromise(Effect.flip(add(feed, name, ofxBytes(name))))
      expect(error).toMatchObject({
        _tag: "Unprocessable",
        code: "VALIDATION_FAILED",
        details: [{ field: "file", message: expect.stringContaining(message) as string }]
      })
    }
    expect(await everything()).toEqual(before)
    expect(existsSync(pathOf(place))).toBe(false)
  })
})

const labelled = join(data, "labelled/personal-finance-kaggle/data__personal_transactions.csv")
const isLabelledPresent = existsSync(labelled)

describe.skipIf(!isLabelledPresent)(
  `labelled movements of a person${isLabelledPresent ? "" : ` (skipped: ${labelled} is missing)`}`,
  () => {
    it("arrive whole in a table and a file, and change nothing the second time", async () => {
      const bytes = readFileSync(labelled)
      const expected = booked(csvMovements(bytes.toString("utf8"), { currency: "USD", amount: 2, debit: 3 }))
      expect(expected).toEqual({ rows: 806, sums: { USD: "28185.98" } })
      await arriveWhole({ name: "labelled.csv", bytes, expected })
    })
  }
)

suite(`a file of a real bank over HTTP${note}`, () => {
  let server: ServerProcess
  const post = (path: string, name: string) =>
    call(server.url, apiKey, path, { file: { name: `${name}.ofx`, type: "application/x-ofx", bytes: ofxBytes(name) } })

  beforeAll(async () => {
    server = await startServer({
      environment: {
        MILLRACE_DATA: folder.path,
        MILLRACE_FILES: files,
        DATABASE_URL: database.url,
        MILLRACE_SECRET: secret
      }
    })
    await server.line(/Serving/)
  })

  it("is taken as a form, and the same file again is the same upload", async () => {
    const place = await makePlace("over-http")
    const path = `/v1/feeds/${place.feeds[0]?.id}/uploads`
    const first = await post(path, "checking")
    expect(first.status, first.body).toBe(201)
    expect(first.json()).toMatchObject({ data: { fileName: "checking.ofx", format: "ofx", statements: [{ rows: 3 }] } })
    if (place.feeds[0] !== undefined) await kernel.runPromise(lastJob(place.feeds[0]))
    const rows = await call(server.url, apiKey, `/v1/tables/${place.tableId}/rows`)
    expect(sumOf(numbersIn(rows.body, "amount"))).toBe("-59.5")
    expect(numbersIn(rows.body, "amount")).toHaveLength(3)

    const again = await post(path, "checking")
    const idOf = (answer: typeof first) => (answer.json() as { readonly data: { readonly id: string } }).data.id
    expect([again.status, idOf(again)]).toEqual([201, idOf(first)])
    const list = await call(server.url, apiKey, path)
    expect((list.json() as { readonly data: ReadonlyArray<unknown> }).data).toHaveLength(1)
  })

  it.each(refusedOfx)("is refused with 422 when it cannot be read: %s", async (name, message) => {
    const place = await makePlace(`refused-${name}`)
    const before = await everything()
    const answer = await post(`/v1/feeds/${place.feeds[0]?.id}/uploads`, name)
    expect(answer.status, answer.body).toBe(422)
    expect(answer.body).toContain(message)
    expect(await everything()).toEqual(before)
  })
})
