/** Which records each uploaded file showed: some thousands in one row. */
import type { ShownAt, StorageUnavailable, UploadStore } from "@millrace/core/storage"
import type { ShownScope, Upload } from "@millrace/core/upload"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { inTransaction, stored } from "./SqlFailure.ts"

/** So that no row comes near the largest message of the client. */
const idsPerRow = 5_000

interface ShownRow {
  readonly upload_id: Upload["id"]
  readonly account_id: ShownScope["accountId"]
  readonly data_type: ShownScope["dataType"]
  readonly kind: "record" | "row"
  readonly part: number
  readonly ids: ReadonlyArray<string>
}

const gathered = (rows: ReadonlyArray<ShownRow>): ReadonlyArray<ShownAt> => {
  const places = new Map<string, ShownAt & { readonly recordIds: Array<string>; readonly rowIds: Array<string> }>()
  for (const { account_id, data_type, ids, kind, upload_id } of rows) {
    const key = `${upload_id} ${account_id} ${data_type}`
    const place = places.get(key) ?? { accountId: account_id, dataType: data_type, recordIds: [], rowIds: [] }
    places.set(key, place)
    const list = kind === "record" ? place.recordIds : place.rowIds
    for (const id of ids) list.push(id)
  }
  return [...places.values()]
}

export const uploadShown = (
  sql: SqlClient,
  uploadsOf: (ids: Fragment) => Effect.Effect<ReadonlyArray<Upload>, StorageUnavailable>
): Pick<UploadStore["Service"], "beginShowing" | "setShown" | "shown" | "shownElsewhere" | "showing"> => {
  /** A place that showed nothing has a row, too. */
  const insert = Effect.fnUntraced(function* (
    id: Upload["id"],
    { accountId, dataType }: ShownScope,
    kind: ShownRow["kind"],
    ids: ReadonlyArray<string>,
    from: number
  ) {
    for (let at = 0; at === 0 || at < ids.length; at += idsPerRow) {
      yield* stored(sql`insert into upload_shown (upload_id, workspace_id, account_id, data_type, kind, part, ids)
        select id, workspace_id, ${accountId}, ${dataType}, ${kind}, ${from + at / idsPerRow}::int,
          ${ids.slice(at, at + idsPerRow)}::text[]
        from upload where id = ${id}`)
    }
  })

  /** Piece by piece, as there is no end to how much that can be. */
  const read = Effect.fnUntraced(function* (where: Fragment) {
    const keys = yield* stored(
      sql<Omit<ShownRow, "ids">>`select upload_id, account_id, data_type, kind, part from upload_shown where ${where}
        order by account_id, data_type, upload_id, kind, part`
    )
    const rows: Array<ShownRow> = []
    for (const key of keys) {
      const [row] = yield* stored(sql<ShownRow>`select * from upload_shown where upload_id = ${key.upload_id}
        and account_id = ${key.account_id} and data_type = ${key.data_type} and kind = ${key.kind}
        and part = ${key.part}`)
      if (row !== undefined) rows.push(row)
    }
    return gathered(rows)
  })

  return {
    beginShowing: Effect.fn("UploadStore.beginShowing")(function* (id, place, rowIds) {
      yield* Effect.gen(function* () {
        const noted = yield* stored(sql<ShownRow>`select * from upload_shown where upload_id = ${id}
          and account_id = ${place.accountId} and data_type = ${place.dataType} and kind = 'row' for update`)
        const known = new Set(noted.flatMap(({ ids }) => ids))
        const news = [...new Set(rowIds)].filter((rowId) => !known.has(rowId))
        if (noted.length > 0 && news.length === 0) return
        yield* insert(id, place, "row", news, Math.max(-1, ...noted.map(({ part }) => part)) + 1)
      }).pipe(inTransaction(sql))
    }),
    setShown: Effect.fn("UploadStore.setShown")(function* (id, shown) {
      yield* Effect.gen(function* () {
        yield* stored(sql`delete from upload_shown where upload_id = ${id}`)
        for (const one of shown) yield* insert(id, one, "record", one.recordIds, 0)
      }).pipe(inTransaction(sql))
    }),
    shown: Effect.fn("UploadStore.shown")((id) => read(sql`upload_id = ${id}`)),
    shownElsewhere: Effect.fn("UploadStore.shownElsewhere")(({ accountId, dataType }, except) =>
      read(sql`account_id = ${accountId} and data_type = ${dataType} and upload_id <> ${except}`)
    ),
    showing: Effect.fn("UploadStore.showing")((accountId) =>
      uploadsOf(sql`select upload_id from upload_shown where account_id = ${accountId}`)
    )
  }
}
