/** What syncs cost as an account grows: the same steps for each size, on one server that goes on from size to size. */
import type { PostgresAddress } from "@millrace/verification/postgres/PostgresServer"
import * as Effect from "effect/Effect"
import { median } from "../harness/Measure.ts"
import * as RowLog from "../sync/RowLog.ts"
import { type Books, booksOf, connect } from "./Books.ts"
import type { Destination, Ended } from "./Messages.ts"
import { type ServerUnderTest, startServer } from "./ServerUnderTest.ts"

export const steps = ["first sync", "unchanged re-sync", "1 % changed"] as const
type StepName = (typeof steps)[number]

/** What a step took; infinite where it was refused. */
export interface Cost {
  readonly seconds: number
  /** Of the server and of the database: the machine may do other things meanwhile. */
  readonly processorSeconds: number
  /** Most that the server held. */
  readonly peakMegabytes: number
  /** Growth of database and files. */
  readonly diskMegabytes: number
  readonly logMegabytes: number
  readonly statements: number
}

export interface SizeCosts {
  readonly rows: number
  readonly steps: Readonly<Record<StepName, Cost>>
  /** Rows that an unchanged re-sync has written. */
  readonly rewritten: number
  /** Why not all of it could be measured. */
  readonly refusal: string | undefined
}

const accounts = 10
const megabyte = 1_048_576
const refused: Cost = {
  seconds: Infinity,
  processorSeconds: Infinity,
  peakMegabytes: Infinity,
  diskMegabytes: Infinity,
  logMegabytes: Infinity,
  statements: Infinity
}

/** Written row by row. */
const tables: ReadonlyArray<string> = ["record", "delivery", "table_row"]

const costOf = async (server: ServerUnderTest, books: Books, work: () => Promise<Ended>) => {
  const disk = (await books.disk()) + (await server.fileBytes())
  await server.forgetPeak()
  const processor = async () => (await server.processorSeconds()) + (await books.processorSeconds())
  const before = await processor()
  const [log, statements, from] = [await books.log(), await books.statements(), performance.now()]
  const ended = await work()
  const cost: Cost = {
    seconds: (performance.now() - from) / 1_000,
    processorSeconds: (await processor()) - before,
    statements: (await books.statements()) - statements,
    logMegabytes: ((await books.log()) - log) / megabyte,
    peakMegabytes: (await server.peakMemory()) / megabyte,
    diskMegabytes: ((await books.disk()) + (await server.fileBytes()) - disk) / megabyte
  }
  return { cost, ended }
}

interface Round {
  readonly steps: Readonly<Record<StepName, Cost>>
  readonly rewritten: number
  readonly refusal: string | undefined
}

/** A first sync of a bank that nobody has read yet, and two more of it. */
const round = async (
  server: ServerUnderTest,
  books: Books,
  { address, database }: { readonly address: PostgresAddress; readonly database: string },
  rows: number,
  destination: Destination
): Promise<Round> => {
  const feedId = (await server.ask({ kind: "connect", rows, accounts, destination })) as string
  const sync = () => server.ask({ kind: "sync", feedId }) as Promise<Ended>
  const expected = (ended: Ended, changed: number): void => {
    if (ended.status !== "completed" || ended.read !== rows || ended.changed !== changed) {
      throw new Error(`a sync of ${rows} rows, ${changed} of them changed, ended as ${JSON.stringify(ended)}`)
    }
  }
  const first = await costOf(server, books, sync)
  if (first.ended.status === "failed") {
    const refusal = first.ended.errors.join("; ")
    return {
      steps: { "first sync": refused, "unchanged re-sync": refused, "1 % changed": refused },
      rewritten: Infinity,
      refusal
    }
  }
  expected(first.ended, rows)
  const connection = await connect(address, database)
  try {
    await Effect.runPromise(RowLog.prepare(connection))
    let unchanged: Awaited<ReturnType<typeof costOf>> | undefined
    const written = await Effect.runPromise(
      RowLog.during(
        connection,
        tables,
        Effect.promise(async () => void (unchanged = await costOf(server, books, sync)))
      )
    )
    expected(unchanged!.ended, 0)
    await server.ask({ kind: "correct" })
    const changed = await costOf(server, books, sync)
    expected(changed.ended, rows / 100)
    return {
      steps: { "first sync": first.cost, "unchanged re-sync": unchanged!.cost, "1 % changed": changed.cost },
      rewritten: written.rows,
      refusal: undefined
    }
  } finally {
    await connection.end()
  }
}

const medianOf = (costs: ReadonlyArray<Cost>): Cost => {
  const of = (value: (cost: Cost) => number) => median(costs.map(value))
  return {
    seconds: of((cost) => cost.seconds),
    processorSeconds: of((cost) => cost.processorSeconds),
    // The first of several meets the smallest heap.
    peakMegabytes: Math.max(...costs.map((cost) => cost.peakMegabytes)),
    diskMegabytes: of((cost) => cost.diskMegabytes),
    logMegabytes: of((cost) => cost.logMegabytes),
    statements: of((cost) => cost.statements)
  }
}

/** Small sizes are over in a moment, so they are measured several times. */
const roundsOf = (rows: number): number => (rows <= 10_000 ? 5 : rows <= 100_000 ? 2 : 1)

/** From the smallest size to the largest. */
export const growth = async (
  address: PostgresAddress,
  destination: Destination,
  sizes: ReadonlyArray<number>
): Promise<ReadonlyArray<SizeCosts>> => {
  const database = `rows_${destination}`
  const admin = await connect(address, "postgres")
  await admin.query(`create database ${database}`).finally(() => admin.end())
  const books = await booksOf(address, database)
  const server = await startServer(address, database)
  const place = { address, database }
  try {
    // Everything compiles, connects and plans before it counts.
    await round(server, books, place, sizes[0]!, destination)
    const found: Array<SizeCosts> = []
    for (const rows of sizes) {
      const rounds: Array<Round> = []
      for (let n = 0; n < roundsOf(rows); n++) rounds.push(await round(server, books, place, rows, destination))
      found.push({
        rows,
        steps: {
          "first sync": medianOf(rounds.map((each) => each.steps["first sync"])),
          "unchanged re-sync": medianOf(rounds.map((each) => each.steps["unchanged re-sync"])),
          "1 % changed": medianOf(rounds.map((each) => each.steps["1 % changed"]))
        },
        rewritten: Math.max(...rounds.map((each) => each.rewritten)),
        refusal: rounds.map((each) => each.refusal).find((refusal) => refusal !== undefined)
      })
    }
    return found
  } finally {
    await server.end()
    await books.close()
  }
}
