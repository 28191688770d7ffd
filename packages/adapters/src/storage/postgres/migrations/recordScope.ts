/**
 * A number for the account and the type of a record. Indexes of records begin with it: it takes 4 bytes, where the two texts
 * take 45 in each entry. Other accounts can have the same number, so whoever looks it up names account and type as well.
 *
 * Statements ask `in_scope` (`in_scopes` of whole accounts), in whose place PostgreSQL puts its text: the number, then the texts.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type LateIndex, recordDay } from "./lateIndex.ts"

/** Of the same text the same number on every machine, since backups and copies hold it. */
const numbering = `create function record_scope(account text, type text) returns int language sql immutable parallel safe
  return ('x' || left(md5(account || ' ' || type), 8))::bit(32)::int`

/**
 * The texts are compared in a `case`, of which PostgreSQL guesses half. Taken for conditions of their own they would count
 * once more, and it would sort an account of which it expects a row or two, where it is to walk through an index.
 */
const asking = (one: string, some: string): ReadonlyArray<string> => [
  `create or replace function in_scope(no int, account text, type text, workspace text, own_account text, own_type text,
      own_workspace text) returns boolean language sql immutable parallel safe return ${one}`,
  `create or replace function in_scopes(no int, wanted int[]) returns boolean
    language sql immutable parallel safe return ${some}`
]

const before = asking("account = own_account and type = own_type and workspace = own_workspace", "true")
const after = asking(
  `no = record_scope(own_account, own_type)
    and case when account = own_account and type = own_type and workspace = own_workspace then true else false end`,
  "no = any(wanted)"
)

/** As the constraint `record_pkey` is afterwards; statements name it, so they do not say of which columns it is. */
export const recordKey: LateIndex = {
  name: "record_scope_id",
  table: "record",
  definition: "(scope_no, id)",
  unique: true
}

export const scopedIndexes: ReadonlyArray<LateIndex> = [
  {
    name: "record_scope_day",
    table: "record",
    definition: `(scope_no, ${recordDay}, id)`,
    replaces: ["record_dated", "record_day", "record_page"]
  },
  {
    name: "record_scope_gone",
    table: "record",
    definition: `(scope_no, ${recordDay}, id) where state <> 'live'`,
    replaces: ["record_gone", "record_tombstone"]
  },
  { name: "record_scope_change", table: "record", definition: "(scope_no, change_no)", replaces: ["record_change"] },
  {
    name: "record_scope_provider",
    table: "record",
    definition: "(scope_no, provider_id) where provider_id <> ''",
    replaces: ["record_provider"]
  }
]

/** The column, and the functions as they are while records lack their number. */
export const addScopes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table record add column scope_no int`
  yield* sql.unsafe(numbering)
  for (const statement of before) yield* sql.unsafe(statement)
})

/** All records have their number, and the indexes are there: from now on they are looked up by it. */
export const useScopes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`alter table record alter column scope_no set not null, drop constraint record_pkey,
    add constraint record_pkey primary key using index ${recordKey.name}`)
  for (const statement of after) yield* sql.unsafe(statement)
})

/**
 * The key with the id first. Ids come in their order, so new ones are put at the end of the index, and its pages fill. Behind a
 * number each account has its own end in the middle, and PostgreSQL leaves half of a page empty wherever a text is added there:
 * 97 bytes a row, and 66 now.
 */
export const recordIdKey: LateIndex = {
  name: "record_id_scope",
  table: "record",
  definition: "(id, scope_no)",
  unique: true
}

/** The index of the key is there, and takes the place of the one with the number first. */
export const useIdKey = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`alter table record drop constraint record_pkey,
    add constraint record_pkey primary key using index ${recordIdKey.name}`)
})
