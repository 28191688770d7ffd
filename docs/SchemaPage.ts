/** The page of reference of the tables, read from a database that the baseline made. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { startPostgres } from "@millrace/verification/postgres/PostgresServer"
import { client } from "@millrace/verification/postgres/TestPostgres"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

interface Table {
  readonly name: string
  readonly comment: string
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: string; readonly required: boolean }>
  readonly constraints: ReadonlyArray<string>
  readonly indexes: ReadonlyArray<string>
  readonly rules: ReadonlyArray<string>
}

const readTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Table>`select relname as name, obj_description(c.oid, 'pg_class') as comment,
      (select json_agg(json_build_object(
          'name', attname, 'required', attnotnull,
          'type', format_type(atttypid, atttypmod) || case attgenerated when 's' then ', computed' else '' end) order by attnum)
        from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
      (select coalesce(json_agg(pg_get_constraintdef(oid) order by contype desc, conname), '[]')
        from pg_constraint where conrelid = c.oid and contype <> 'n') as constraints,
      (select coalesce(json_agg(regexp_replace(pg_get_indexdef(indexrelid), '^.*? USING btree ',
            case when indisunique then 'unique ' else '' end) order by indexrelid::regclass::text), '[]')
        from pg_index where indrelid = c.oid
          and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))) as indexes,
      (select coalesce(json_agg(pg_get_expr(polqual, polrelid)), '[]') from pg_policy where polrelid = c.oid) as rules
    from pg_class c where relnamespace = 'millrace'::regnamespace and relkind = 'r' order by relname`
})

/** What the rule of a table says, for those that all tables of workspaces have; any other as PostgreSQL writes it. */
const ruleOf = ({ name, rules }: Table): string => {
  const [rule] = rules
  if (rule === undefined) return "none: rows are of the installation"
  const usual =
    /^\(\( SELECT reaches_every_workspace\(\) [^)]*\) OR \(\((\w+)\)::text = ANY \(\( SELECT reached_workspaces/.exec(
      rule
    )
  if (usual === null) return `\`${rule.replaceAll(/\s+/g, " ")}\``
  return name === "workspace" ? "the workspaces of the transaction" : `rows whose \`${usual[1]}\` the transaction names`
}

const plain = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|")

const listOf = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [`${title}:`, lines.map((line) => `- \`${plain(line)}\``).join("\n")]

const sectionOf = (table: Table): string =>
  [
    `### ${table.name}`,
    table.comment,
    `Row-level rule: ${ruleOf(table)}.`,
    [
      "| column | type | |",
      "| --- | --- | --- |",
      ...table.columns.map(({ name, required, type }) => `| \`${name}\` | ${type} | ${required ? "" : "optional"} |`)
    ].join("\n"),
    ...listOf("Keys and checks", table.constraints),
    ...listOf("Indexes", table.indexes)
  ].join("\n\n")

const folder = join(import.meta.dirname, "../packages/adapters/src/storage/postgres/schema")

/** Starts a PostgreSQL of its own for the time of the call. */
export const schemaPage = async (): Promise<string> => {
  const server = await startPostgres({ durable: false })
  try {
    const tables = await Effect.runPromise(
      Effect.andThen(PostgresStorage.migrate, readTables).pipe(Effect.provide(client(server, "postgres", 1)))
    )
    const byName = new Map(tables.map((table) => [table.name, table]))
    const chapters = readdirSync(folder)
      .toSorted()
      .map((file) => {
        const text = readFileSync(join(folder, file), "utf8")
        const about = /\/\*\s*(.*?)\s*\*\//s.exec(text)?.[1] ?? ""
        const names = Array.from(text.matchAll(/^create (?:unlogged )?table (\w+)/gm), ([, name]) => name!)
        const title = file.replace(/^\d+_|\.sql$/g, "")
        return [`## ${title}`, plain(about), ...names.map((name) => sectionOf(byName.get(name)!))].join("\n\n")
      })
    return `# Tables\n\nFrom \`packages/adapters/src/storage/postgres/schema/\`, as PostgreSQL has them. Collections that programs add have tables\nof the same form as \`enrichment\`: an id, a workspace, the columns that they are looked up by, and a body.\n\n${chapters.join("\n\n")}\n`
  } finally {
    await server.stop()
  }
}
