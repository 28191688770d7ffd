/**
 * Rows written without asking what is there: `unnest` and an update of every row that exists, changed or not.
 *
 * They are held as bytes until it is their turn: as millions of texts they would be looked through whenever others that run
 * in this process collect their garbage.
 */
import * as Effect from "effect/Effect"
import type { Client } from "pg"

const rowsInStatement = 5_000

interface Column {
  readonly name: string
  readonly type: string
  readonly key: boolean
}

/** For each column a list of values. */
type Values = ReadonlyArray<ReadonlyArray<string | null>>

export interface Upsert {
  readonly statement: string
  readonly columns: ReadonlyArray<string>
  /** Rows that it writes. */
  readonly count: number
  /** For each run of the statement, its values in JSON. */
  readonly packed: ReadonlyArray<Buffer>
}

/** An upsert that begins with the rows as the driver takes them. */
interface ReadyUpsert {
  readonly statement: string
  readonly parameters: ReadonlyArray<Values>
}

export type Row = Readonly<Record<string, string | null>>

const valuesIn = (packed: Buffer): Values => JSON.parse(packed.toString()) as Values

export const unpacked = (upserts: ReadonlyArray<Upsert>): ReadonlyArray<ReadyUpsert> =>
  upserts.map(({ packed, statement }) => ({ statement, parameters: packed.map(valuesIn) }))

/** The first rows of an upsert, `most` of them. */
export const rowsOf = ({ columns, packed }: Upsert, most = Infinity): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  for (const one of packed) {
    if (rows.length >= most) break
    const values = valuesIn(one)
    for (let at = 0; at < values[0]!.length && rows.length < most; at++) {
      rows.push(Object.fromEntries(columns.map((name, n) => [name, values[n]![at]!])))
    }
  }
  return rows
}

const columnsOf = async (connection: Client, table: string): Promise<ReadonlyArray<Column>> => {
  const { rows } = await connection.query(
    `select attname as name, format_type(atttypid, atttypmod) as type, attnum = any(indkey) as key
     from pg_attribute join pg_index on indrelid = attrelid and indisprimary
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table]
  )
  return rows as ReadonlyArray<Column>
}

const statementOf = (table: string, columns: ReadonlyArray<Column>): string => {
  const names = columns.map(({ name }) => name)
  const set = columns.filter(({ key }) => !key).map(({ name }) => `${name} = excluded.${name}`)
  return `insert into ${table} (${names.join(", ")})
    select ${columns.map(({ name, type }) => `r.${name}::${type}`).join(", ")}
    from unnest(${columns.map((_, n) => `$${n + 1}::text[]`).join(", ")}) as r(${names.join(", ")})
    on conflict (${columns
      .filter(({ key }) => key)
      .map(({ name }) => name)
      .join(", ")}) do update set ${set.join(", ")}`
}

/** The rows that a table has now, ready to be written again. `where` is a condition of SQL. */
export const take = (connection: Client, table: string, where = "true") =>
  Effect.promise(async (): Promise<Upsert> => {
    const columns = await columnsOf(connection, table)
    const texts = columns.map(({ name }) => `${name}::text as ${name}`)
    const { rows } = await connection.query(`select ${texts.join(", ")} from ${table} where ${where}`)
    const all = rows as ReadonlyArray<Row>
    const packed: Array<Buffer> = []
    for (let at = 0; at < all.length; at += rowsInStatement) {
      const chunk = all.slice(at, at + rowsInStatement)
      packed.push(Buffer.from(JSON.stringify(columns.map(({ name }) => chunk.map((row) => row[name]!)))))
    }
    const names = columns.map(({ name }) => name)
    return { statement: statementOf(table, columns), columns: names, count: all.length, packed }
  })

/** Writes them all in one transaction. */
export const put = (connection: Client, upserts: ReadonlyArray<ReadyUpsert>) =>
  Effect.promise(async () => {
    await connection.query("begin")
    for (const { parameters, statement } of upserts) {
      for (const values of parameters) await connection.query(statement, [...values])
    }
    await connection.query("commit")
  })
