import * as Effect from "effect/Effect"
import type { ActorRef } from "@millrace/core/access"
import type { Table } from "@millrace/core/table"
import { Tables } from "@millrace/core/kernel"
import { deleted, many, one } from "../api/Envelope.ts"
import { exactBody } from "../request/CurrentRequest.ts"
import { exactAt } from "./Cells.ts"
import { fieldToWire, newField } from "./FieldHandlers.ts"
import { demanded, versioned } from "./Versions.ts"
import { serve } from "./Serve.ts"

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

const shown = (table: Table) => one(toWire(table))

export const layer = serve(
  "tables",
  Effect.gen(function* () {
    const tables = yield* Tables
    return {
      listTables: ({ caller, query, self }) =>
        Effect.map(tables.list(caller, query), (found) => many(self, found.map(toWire))),
      createTable: Effect.fnUntraced(function* ({ caller, payload: { description, fields, icon, ...payload } }) {
        const exact = yield* exactBody
        const table = yield* tables.create(caller, {
          ...payload,
          ...(typeof icon === "string" ? { icon } : {}),
          ...(typeof description === "string" ? { description } : {}),
          fields: fields.map((field, at) => newField(field, exactAt(exact, ["fields", at, "default"])))
        })
        return shown(table)
      }),
      getTable: Effect.fnUntraced(function* ({ caller, headers, ids }) {
        const table = yield* tables.get(caller, ids.table)
        return yield* versioned(table.version, headers["if-none-match"], shown(table))
      }),
      updateTable: ({ caller, headers, ids, payload }) =>
        Effect.map(tables.update(caller, ids.table, payload, demanded(headers["if-match"])), shown),
      deleteTable: ({ caller, headers, ids, query }) =>
        Effect.as(
          tables.trash(caller, ids.table, {
            permanent: query.permanent ?? false,
            ifVersion: demanded(headers["if-match"])
          }),
          deleted
        ),
      restoreTable: ({ caller, ids }) => Effect.map(tables.restore(caller, ids.table), shown)
    }
  })
)
