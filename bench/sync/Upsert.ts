/** Rows written without asking what is there: `unnest` and an update of every row that exists, changed or not. */
import * as Effect from "effect/Effect"
import type { Client } from "pg"

const rowsInStatement = 5_000

interface Column {
  readonly name: string
  readonly type: string
  readonly key: boolean
}

export interface Upsert {
  readonly statement: string
  /** For each run of the statement, a list of values for each column. */
  readonly parameters: ReadonlyArray<ReadonlyArray<ReadonlyArray<string | null>>>
  readonly rows: ReadonlyArray<Readonly<Record<string, string | null>>>
}

const columnsOf = async (connection: Client, table: string): Promise<ReadonlyArray<Column>> => {
  const { rows } = await connection.query(
    `select attname as name, format_type(atttypid, atttypmod) as type, attnum = any(indkey) as key
     from pg_attribute join pg_index on indrelid = attrelid and indisprimary
     where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
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
    const all = rows as Upsert["rows"]
    const parameters: Array<ReadonlyArray<ReadonlyArray<string | null>>> = []
    for (let at = 0; at < all.length; at += rowsInStatement) {
      const chunk = all.slice(at, at + rowsInStatement)
      parameters.push(columns.map(({ name }) => chunk.map((row) => row[name]!)))
    }
    return { statement: statementOf(table, columns), parameters, rows: all }
  })

/** Writes them all in one transaction. */
export const put = (connection: Client, upserts: ReadonlyArray<Upsert>) =>
  Effect.promise(async () => {
    await connection.query("begin")
    for (const { parameters, statement } of upserts) {
      for (const values of parameters) await connection.query(statement, [...values])
    }
    await connection.query("commit")
  })
