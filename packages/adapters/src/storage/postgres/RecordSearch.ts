/** Searches of the ledger through its blocks (`SearchBlock.ts`), and what keeps the blocks in shape. */
import type { AccountId } from "@millrace/core/bank"
import type { RecordScope } from "@millrace/core/storage"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { fieldsOf, type PackedRow } from "./RecordFields.ts"
import { inLedger, inScope } from "./RecordRows.ts"
import {
  type BlockSearch,
  blockRows,
  blocksOf,
  groupSignatureOf,
  type SearchBlocks,
  signatureOf
} from "./SearchBlock.ts"
import { groupBlocks, placeOf } from "./SearchGroup.ts"
import { recordDay } from "./migrations/lateIndex.ts"
import { inTransaction, stored } from "./SqlFailure.ts"
import { textColumns } from "./TextColumns.ts"

/** Types of records that are searched. */
const searchedTypes: ReadonlySet<RecordScope["dataType"]> = new Set(["transactions"])
export const isSearched = (dataType: RecordScope["dataType"]): boolean => searchedTypes.has(dataType)

/** Blocks and groups as parameters of a statement: the separator and twelve texts, read again by `givenBlocks` and `givenGroups`. */
export const blockParameters = ({ blocks, groups }: SearchBlocks) =>
  Effect.map(
    textColumns(
      [
        blocks.map(({ rows }) => String(rows)),
        blocks.map(({ texts }) => texts),
        blocks.map(({ starts }) => starts),
        blocks.map(({ isFolded }) => String(isFolded)),
        blocks.map(({ signature }) => signature),
        blocks.map(({ isGrouped }) => (isGrouped ? "true" : "")),
        blocks.map(({ amounts }) => amounts),
        blocks.map(({ amountRows }) => amountRows),
        groups.map(({ ends }) => ends),
        groups.map(({ signature }) => signature),
        groups.map(({ least }) => least),
        groups.map(({ most }) => most)
      ],
      []
    ),
    ({ separator, texts }): ReadonlyArray<string> => [separator, ...texts]
  )

const columnsFrom = (from: number, first: number, last: number): string =>
  Array.from({ length: last - first + 1 }, (_, n) => `string_to_array($${from + first + n}, $${from}, '')`).join(", ")

/** `from`: the number of the first of the parameters. */
export const givenBlocks = (from: number): string =>
  `(select p.*, p.amounts[1] as least, p.amounts[cardinality(p.amounts)] as most from (select b.rows::int as rows, case when b.in_bytes::boolean then b.texts else lower(b.texts collate "pg_c_utf8") end as texts, b.starts::int[] as starts,
      b.in_bytes::boolean as in_bytes, decode(b.signature, 'base64') as signature, b.grouped::boolean as grouped, b.amounts::real[] as amounts, b.amount_rows::smallint[] as amount_rows,
      (sum(b.rows::int) over (order by b.n))::int as up_to, b.n
    from unnest(${columnsFrom(from, 1, 8)}) with ordinality
      as b(rows, texts, starts, in_bytes, signature, grouped, amounts, amount_rows, n)) p)`

/** Of the same parameters. */
export const givenGroups = (from: number): string =>
  `(select g.ends::int[] as ends, decode(g.signature, 'base64') as signature, g.least::real as least, g.most::real as most
    from unnest(${columnsFrom(from, 9, 12)}) as g(ends, signature, least, most))`

/** Rows that are looked at one by one. Where blocks show more, the newest are found sooner by walking through them all. */
const mostFound = 2_000

/** The least floating number of four bytes above which all are that are not less than it. */
const below = (value: number): string => {
  if (value === -Infinity) return "-Infinity"
  const float = new Float32Array([value])
  const bits = new Int32Array(float.buffer)
  if (float[0] === 0) return "-1e-45"
  bits[0]! += float[0]! > 0 ? -1 : 1
  return String(float[0])
}

// Blocks of earlier versions count characters, for which all of a text has to be gone through.
const lengthOf = (text: string): string =>
  `case when s.in_bytes then octet_length(${text}) else char_length(${text}) end`

/** Rows of a block whose text has the needle, by the places where it is found: what stands before it tells where it is. */
const rowsWith = (sql: SqlClient, needle: string): Fragment => {
  const wanted = sql`(select lower(${needle}::text collate "pg_c_utf8") collate "C")`
  const [firstLength, length] = [sql.literal(lengthOf("p.pieces[1]")), sql.literal(lengthOf("piece"))]
  // Mostly it is there once.
  return sql`select unnest(case when cardinality(p.pieces) = 2
        then array[width_bucket((${firstLength}) + 1, s.starts)]
        else array(select width_bucket(f.place::int, s.starts) from (
          select sum(${length}) over (order by k) + (k - 1) * n.length + 1 as place, k
          from unnest(p.pieces) with ordinality as u(piece, k),
            (select ${sql.literal(lengthOf("w"))} as length from ${wanted} w(w) offset 0) n
        ) f where f.k < cardinality(p.pieces)) end)
    from (select string_to_array(s.texts, ${wanted}) as pieces offset 0) p where cardinality(p.pieces) > 1 offset 0`
}

const ownRows = (sql: SqlClient, table: "s" | "g", { accountId, dataType, workspaceId }: RecordScope): Fragment => {
  const column = (name: string) => sql.literal(`${table}.${name}`)
  return sql`(${column("account_id")} = ${accountId}::text and ${column("data_type")} = ${dataType}::text
    and ${column("workspace_id")} = ${workspaceId}::text)`
}

interface Range {
  readonly below: Fragment
  readonly least: Fragment
  readonly most: Fragment
}

const within = (sql: SqlClient, table: "s" | "g", range: Range | undefined): ReadonlyArray<Fragment> =>
  range === undefined
    ? []
    : [sql`${sql.literal(table)}.least <= ${range.most} and ${sql.literal(table)}.most >= ${range.least}`]

/** For each block of a group a bit, which is set where the block can have all of the grams. */
const bitsOf = (sql: SqlClient, grams: ReadonlyArray<number>): Fragment => {
  const each = (byte: number) =>
    sql.join(" & ", false)(grams.map((gram) => sql`get_byte(g.signature, ${2 * placeOf(gram) + byte}::int)`))
  return sql`(${each(0)}) | ((${each(1)}) << 8)`
}

const ofEachBlock = (block: (n: number) => string): string =>
  Array.from({ length: groupBlocks }, (_, n) => block(n)).join(", ")

/** Blocks that groups have, by what they say of each at once. */
const groupedNos = (
  sql: SqlClient,
  scope: RecordScope,
  grams: ReadonlyArray<number>,
  range: Range | undefined
): Fragment => {
  const inGroup = sql.and([ownRows(sql, "g", scope), ...within(sql, "g", range)])
  if (grams.length === 0) return sql`select unnest(g.blocks) from search_group g where ${inGroup}`
  const chosen = ofEachBlock((n) => `case when g.bits & ${1 << n} <> 0 then g.blocks[${n + 1}] end`)
  return sql`select unnest(array[${sql.literal(chosen)}])
    from (select g.blocks, ${bitsOf(sql, grams)} as bits from search_group g where ${inGroup} offset 0) g where g.bits <> 0`
}

/** Change numbers of the rows of which blocks say that they can match. */
const numbersOf = (sql: SqlClient, scope: RecordScope, { amounts, grams, needles }: BlockSearch): Fragment => {
  const real = (value: number | string) => sql`${String(value)}::text::real`
  const range =
    amounts === undefined
      ? undefined
      : { below: real(below(amounts.least)), least: real(amounts.least), most: real(amounts.most) }
  const bits = grams.map((n) => sql`get_bit(s.signature, ${n}::int & (octet_length(s.signature) * 8 - 1)) = 1`)
  const own = ownRows(sql, "s", scope)
  const isAlone = sql.and([
    own,
    sql`s.texts is not null and s.grouped is not true`,
    ...(bits.length === 0 ? [] : [sql`(s.signature is null or ${sql.and(bits)})`]),
    ...within(sql, "s", range)
  ])
  const isGrouped = sql.and([
    own,
    sql`s.grouped and s.last_no = any(array(${groupedNos(sql, scope, grams, range)}))`,
    ...within(sql, "s", range)
  ])
  const byAmount =
    range === undefined
      ? []
      : [
          sql`select unnest(s.amount_rows[width_bucket(${range.below}, s.amounts) + 1 : width_bucket(${range.most}, s.amounts)])`
        ]
  const [first, ...others] = [...needles.map((needle) => rowsWith(sql, needle)), ...byAmount]
  const lists = others.map(
    (other, at) => sql`cross join lateral (select array(${other}) as n offset 0) ${sql.literal(`o${at}`)}`
  )
  const inLists = ["true", ...others.map((_, at) => `r.n = any(o${at}.n)`)].join(" and ")
  // Blocks are chosen first, by what is at hand; their texts are elsewhere.
  return sql`select case when s.nos is null then s.first_no + r.n - 1 else s.nos[r.n] end as no
    from (select * from (select * from record_search s where ${isAlone}
        union all select * from record_search s where ${isGrouped}) s offset 0) s
      ${sql.join(" ", false)(lists)} cross join lateral (${first!}) r(n)
    where ${sql.literal(inLists)} limit ${sql.literal(String(mostFound + 1))}`
}

/** A page of records: the columns, the conditions that all rows have to meet, and how many of the newest. */
export interface Wanted {
  readonly columns: string
  readonly conditions: ReadonlyArray<Fragment>
  readonly limit: number
  /** How large the table is. Plans are kept, and made anew as it grows. */
  readonly size: number
}

/**
 * The newest records that blocks find and that meet the conditions, or `undefined` where so many rows can match that blocks
 * are of no use, or where not all records are in blocks yet. Blocks and records are those of one moment: a block is written
 * with its rows. The records are planned apart from the order, which would have the planner walk through the account.
 */
export const searched = Effect.fnUntraced(function* <Row extends { readonly id: string }>(
  sql: SqlClient,
  scope: RecordScope,
  search: BlockSearch,
  { columns, conditions, limit, size }: Wanted
) {
  const day = sql.literal(recordDay)
  const rows = yield* stored(sql<Row & { readonly is_known: boolean }>`
    with found as materialized (${numbersOf(sql, scope, search)}),
      known as materialized (select (select count(*) from found) <= ${sql.literal(String(mostFound))} and not exists (
        select from record_search s where ${ownRows(sql, "s", scope)} and s.texts is null) as is_known)
    select is_known, ${sql.literal(columns)} from known left join (
        select * from record where ${inLedger(sql, scope)} and change_no = any(array(select no from found))
          and (select is_known from known) offset 0
      ) as record on ${sql.and(conditions)}
    order by ${day} desc, id desc limit ${limit} ${sql.literal(`/* ${size} */`)}`)
  // Where no record is found there is one row without one.
  return rows[0]?.is_known === true ? rows.filter(({ id }) => id !== null) : undefined
})

interface Ledger {
  readonly workspace_id: WorkspaceId
  readonly account_id: AccountId
  readonly data_type: RecordScope["dataType"]
}

interface NumberedRow extends PackedRow {
  readonly change_no: bigint
}

/** Rows that go into blocks in one go: a group of them. */
const most = groupBlocks * blockRows
/** Blocks with fewer rows are put together once there are so many of them. */
const fewRows = blockRows / 2
const manyBlocks = 64
/** Groups with so many blocks or fewer left are not worth their page. */
const fewLeft = groupBlocks / 4
/** Accounts with fewer rows in blocks are not worth a look at what of that has changed since. */
const worthALook = 4 * blockRows

const scopeOf = ({ account_id, data_type, workspace_id }: Ledger): RecordScope => ({
  workspaceId: workspace_id,
  accountId: account_id,
  dataType: data_type
})

/** Writes blocks with the rows of these change numbers, which are in ascending order. */
const insertBlocks = Effect.fnUntraced(function* (sql: SqlClient, ledger: Ledger, rows: ReadonlyArray<NumberedRow>) {
  if (rows.length === 0) return
  const parameters = yield* blockParameters(
    blocksOf(rows.map((row) => ({ fields: fieldsOf(row), pending: row.pending })))
  )
  const nos = `{${rows.map(({ change_no }) => change_no).join(",")}}`
  yield* sql.unsafe(
    `with groups as (
        insert into search_group (workspace_id, account_id, data_type, blocks, signature, least, most)
        select $1, $2, $3, array(select ($4::bigint[])[e] from unnest(g.ends) e), g.signature, g.least, g.most
        from ${givenGroups(5)} g
      )
      insert into record_search (workspace_id, account_id, data_type, first_no, last_no, nos, rows, texts, starts,
        in_bytes, signature, grouped, amounts, amount_rows, least, most)
      select $1, $2, $3, g.nos[g.up_to - g.rows + 1], g.nos[g.up_to], g.nos[g.up_to - g.rows + 1 : g.up_to], g.rows,
        g.texts, g.starts, g.in_bytes, g.signature, g.grouped, g.amounts, g.amount_rows, g.least, g.most
      from (select b.*, $4::bigint[] as nos from ${givenBlocks(5)} b) g`,
    [ledger.workspace_id, ledger.account_id, ledger.data_type, nos, ...parameters]
  ).unprepared
})

/** Brings rows into blocks that were stored before there were any: a part of one account. */
const takeUp = Effect.fnUntraced(function* (sql: SqlClient) {
  const [unknown] = yield* sql<Ledger & { readonly first_no: bigint; readonly last_no: bigint }>`
    select workspace_id, account_id, data_type, first_no, last_no from record_search where texts is null
    order by account_id, data_type, last_no limit 1 for update skip locked`
  if (unknown === undefined) return 0
  const own = sql`${inScope(sql, scopeOf(unknown))} and last_no = ${unknown.last_no}`
  const rows = yield* sql<NumberedRow>`select change_no, date, fields, pending from record
    where ${inLedger(sql, scopeOf(unknown))} and change_no between ${unknown.first_no} and ${unknown.last_no}
    order by change_no limit ${most}`.unprepared
  // The rest of it is unknown still. Numbers are taken in their order, so none below it comes to light later.
  const upTo = rows.at(-1)?.change_no
  const whole = rows.length < most || upTo === undefined || upTo === unknown.last_no
  yield* whole
    ? sql`delete from record_search where ${own}`
    : sql`update record_search set first_no = ${upTo + 1n} where ${own}`
  yield* insertBlocks(sql, unknown, rows)
  return 1
})

/** Blocks whose places are counted anew in one go. */
const counted = 64

/** Counts places in bytes where they are counted in characters: in blocks of earlier versions, and of rare letters. */
const countBytes = (sql: SqlClient) =>
  Effect.map(
    sql`with chosen as (
        select account_id, data_type, last_no from record_search where texts is not null and in_bytes is not true
        limit ${counted} for update skip locked
      )
      update record_search s set in_bytes = true, starts = array(
          select (sum(octet_length(piece) + 1) over (order by k) - octet_length(piece))::int
          from unnest(string_to_array(s.texts, chr(30))) with ordinality u(piece, k) order by k)
      from chosen c where s.account_id = c.account_id and s.data_type = c.data_type and s.last_no = c.last_no
      returning 1 as done`.unprepared,
    ({ length }) => length
  )

interface Texts {
  readonly last_no: bigint
  readonly texts: string
}

const numbers = (some: ReadonlyArray<{ readonly last_no: bigint }>): ReadonlyArray<string> =>
  some.map(({ last_no }) => String(last_no))

/**
 * Groups that have hardly any block left of those that are gone now. What is left gets a signature of its own: a group takes as much
 * room and time as if it were full.
 */
const loosen = Effect.fnUntraced(function* (sql: SqlClient, ledger: Ledger, gone: ReadonlyArray<string>) {
  const scope = inScope(sql, scopeOf(ledger))
  const groups = yield* sql<{ readonly id: bigint; readonly left: ReadonlyArray<bigint> }>`
    select g.id, array(select s.last_no from record_search s
      where ${ownRows(sql, "s", scopeOf(ledger))} and s.grouped and s.last_no = any(g.blocks)) as left
    from search_group g where ${scope} and g.blocks && ${[...gone]}::text[]::bigint[]`.unprepared
  for (const { id, left } of groups) {
    if (left.length > fewLeft) continue
    // One that was replaced meanwhile is told by what it says now.
    const blocks = yield* sql<Texts>`select last_no, texts from record_search
      where ${scope} and grouped and last_no = any(${left.map(String)}::text[]::bigint[]) for update`.unprepared
    yield* sql`update record_search s set grouped = null, signature = decode(g.signature, 'base64')
      from unnest(${numbers(blocks)}::text[], ${blocks.map(({ texts }) => signatureOf(texts))}::text[]) g(no, signature)
      where ${ownRows(sql, "s", scopeOf(ledger))} and s.last_no = g.no::bigint`.unprepared
    yield* sql`delete from search_group where id = ${String(id)}::bigint and ${scope}`.unprepared
  }
})

/** Makes a group of the blocks of an account that have signatures of their own, where there are enough of them. */
const group = Effect.fnUntraced(function* (sql: SqlClient) {
  const isReady = sql`grouped is not true and texts is not null and rows >= ${fewRows}`
  const [ledger] = yield* sql<Ledger>`select workspace_id, account_id, data_type from record_search where ${isReady}
    group by workspace_id, account_id, data_type having count(*) >= ${groupBlocks} limit 1`
  if (ledger === undefined) return 0
  const scope = inScope(sql, scopeOf(ledger))
  const blocks = yield* sql<Texts>`select last_no, texts from record_search where ${scope} and ${isReady}
    order by last_no limit ${groupBlocks} for update skip locked`.unprepared
  if (blocks.length < groupBlocks) return 0
  yield* sql`with taken as (
      update record_search set grouped = true, signature = null
      where ${scope} and last_no = any(${numbers(blocks)}::text[]::bigint[]) returning last_no, least, most
    )
    insert into search_group (workspace_id, account_id, data_type, blocks, signature, least, most)
    select ${ledger.workspace_id}, ${ledger.account_id}, ${ledger.data_type}, array_agg(last_no order by last_no),
      decode(${groupSignatureOf(blocks.map(({ texts }) => texts))}, 'base64'), min(least), max(most)
    from taken`.unprepared
  return blocks.length
})

/**
 * Puts small blocks together, and leaves out rows that are in later ones. Rows only ever leave the numbers of a block, so
 * nobody who writes has to wait for it.
 */
const putTogether = Effect.fnUntraced(function* (
  sql: SqlClient,
  ledger: Ledger,
  blocks: ReadonlyArray<{ readonly last_no: bigint }>
) {
  if (blocks.length === 0) return 0
  const scope = inScope(sql, scopeOf(ledger))
  const taken = yield* sql<{ readonly no: bigint }>`
    with taken as (
      delete from record_search where ${scope} and last_no = any(${numbers(blocks)}::text[]::bigint[])
        and texts is not null returning *
    )
    select case when t.nos is null then t.first_no + n - 1 else t.nos[n] end as no
    from taken t cross join lateral generate_series(1, t.rows) n`.unprepared
  const rows = yield* sql<NumberedRow>`select change_no, date, fields, pending from (
      select * from record where ${inLedger(sql, scopeOf(ledger))} and change_no = any(${taken.map(({ no }) => String(no))}::text[]::bigint[]) offset 0
    ) r order by change_no`.unprepared
  yield* loosen(sql, ledger, numbers(blocks))
  yield* insertBlocks(sql, ledger, rows)
  return blocks.length
})

/** What has become of the blocks of an account: those of which half or more has changed since, or that are small. */
const tendAccount = Effect.fnUntraced(function* (sql: SqlClient, ledger: Ledger) {
  const blocks = yield* sql<{ readonly last_no: bigint; readonly rows: number; readonly held: number }>`
    select s.last_no, s.rows, (
      select count(*)::int from record r where ${inLedger(sql, scopeOf(ledger))}
        and r.change_no = any(case when s.nos is null
          then array(select generate_series(s.first_no, s.last_no)) else s.nos end)) as held
    from record_search s where ${inScope(sql, scopeOf(ledger))} and s.texts is not null order by s.last_no`.unprepared
  const small = blocks.filter(({ rows }) => rows < fewRows)
  const chosen = new Set(small.length >= manyBlocks / 2 ? small : [])
  for (const block of blocks) if (2 * block.held < block.rows) chosen.add(block)
  const some: Array<(typeof blocks)[number]> = []
  let rows = 0
  for (const block of blocks) {
    if (!chosen.has(block)) continue
    rows += block.held
    if (rows > most && some.length > 0) break
    some.push(block)
  }
  // One block alone comes out as it was where nothing of it has changed.
  return yield* putTogether(sql, ledger, some.length === 1 && 2 * some[0]!.held >= some[0]!.rows ? [] : some)
})

/**
 * Brings a part of the blocks into shape: records from before there were blocks first, then blocks that count characters, then those
 * that are in no group, then an account with many small ones, then any account. Returns how much there was to do; when it is 0, the next call may still find something.
 */
export const tend = (sql: SqlClient) =>
  Effect.gen(function* () {
    const taken = yield* takeUp(sql)
    if (taken > 0) return taken
    const anew = yield* countBytes(sql)
    if (anew > 0) return anew
    const grouped = yield* group(sql)
    if (grouped > 0) return grouped
    const [crowded] = yield* sql<Ledger>`select workspace_id, account_id, data_type from record_search
      where rows < ${fewRows} and texts is not null group by workspace_id, account_id, data_type
      having count(*) >= ${manyBlocks} limit 1`
    if (crowded !== undefined) return yield* tendAccount(sql, crowded)
    const [any] = yield* sql<Ledger>`select workspace_id, account_id, data_type from record_search
      group by workspace_id, account_id, data_type having sum(rows) >= ${worthALook} order by random() limit 1`
    return any === undefined ? 0 : yield* tendAccount(sql, any)
  }).pipe(inTransaction(sql))
