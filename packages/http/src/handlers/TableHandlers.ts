import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { ActorRef } from "@millrace/core/access/ActorRef"
import type { Table } from "@millrace/core/table/Table"
import { Tables } from "@millrace/core/table/Tables"
import { Api } from "../api/Api.ts"
import { deleted, many, one } from "../api/Envelope.ts"
import { answering } from "../errors.ts"
import { exactBody, principal, target } from "../middleware/CurrentRequest.ts"
import { exactAt } from "./Cells.ts"
import { fieldToWire, newField } from "./FieldHandlers.ts"
import { identified } from "./Identified.ts"
import { demanded, versioned } from "./Versions.ts"

const sourceOf = (createdBy: ActorRef) =>
  createdBy.kind === "sync" || createdBy.kind === "extractor"
    ? { kind: "feed" as const, id: createdBy.feedId }
    : { kind: "manual" as const, id: null }

/** A table as it is sent. Names every field, so that nothing internal can slip through. */
const toWire = (table: Table) => ({
  id: table.id,
  name: table.name,
  icon: table.icon ?? null,
  ...(table.description === undefined ? {} : { description: table.description }),
  folderId: table.folderId ?? null,
  fields: table.fields.map(fieldToWire),
  keyFields: table.keyFields,
  rowCount: table.rowCount,
  source: sourceOf(table.createdBy),
  createdBy: table.createdBy,
  version: table.version,
  createdAt: table.createdAt,
  updatedAt: table.updatedAt,
  trashedAt: table.trashedAt ?? null,
  purgeAt: table.purgeAt ?? null
})

export const layer = HttpApiBuilder.group(
  Api,
  "tables",
  Effect.fnUntraced(function* (handlers) {
    const tables = yield* Tables
    return handlers
      .handle("listTables", ({ query }) =>
        answering(
          Effect.gen(function* () {
            const found = yield* tables.list(yield* principal, query)
            return many(yield* target, found.map(toWire))
          })
        )
      )
      .handle("createTable", ({ payload: { description, fields, icon, ...payload } }) =>
        answering(
          Effect.gen(function* () {
            const exact = yield* exactBody
            const table = yield* tables.create(yield* principal, {
              ...payload,
              ...(typeof icon === "string" ? { icon } : {}),
              ...(typeof description === "string" ? { description } : {}),
              fields: fields.map((field, at) => newField(field, exactAt(exact, ["fields", at, "default"])))
            })
            return one(toWire(table))
          })
        )
      )
      .handle("getTable", ({ params, headers }) =>
        answering(
          Effect.gen(function* () {
            const table = yield* tables.get(yield* principal, yield* identified("table", params.table_id))
            return yield* versioned(table.version, headers["if-none-match"], one(toWire(table)))
          })
        )
      )
      .handle("updateTable", ({ params, headers, payload }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            return one(toWire(yield* tables.update(yield* principal, id, payload, demanded(headers["if-match"]))))
          })
        )
      )
      .handle("deleteTable", ({ params, query, headers }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            yield* tables.trash(yield* principal, id, {
              permanent: query.permanent ?? false,
              ifVersion: demanded(headers["if-match"])
            })
            return deleted
          })
        )
      )
      .handle("restoreTable", ({ params }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            return one(toWire(yield* tables.restore(yield* principal, id)))
          })
        )
      )
  })
)
