import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import type { FieldOptions, TableField } from "@millrace/core/table/Table"
import type { NewField } from "@millrace/core/table/TableRequest"
import { Tables } from "@millrace/core/table/Tables"
import { Api } from "../api/Api.ts"
import { deleted, one } from "../api/Envelope.ts"
import type { CreateField } from "../api/FieldApi.ts"
import { answering } from "../errors.ts"
import { exactBody, principal } from "../middleware/CurrentRequest.ts"
import { cellToWire, exactAt } from "./Cells.ts"
import { identified } from "./Identified.ts"
import { demanded } from "./Versions.ts"

const optionsToWire = ({ choices, currency, relation, scale }: FieldOptions) => ({
  ...(choices === undefined
    ? {}
    : {
        choices: choices.map(({ color, id, label }) => ({ id, label, ...(color === undefined ? {} : { color }) }))
      }),
  ...(currency === undefined ? {} : { currency }),
  ...(scale === undefined ? {} : { scale }),
  ...(relation === undefined ? {} : { relation: { tableId: relation.tableId, many: relation.many } })
})

/** A field as it is sent. Names everything, so that nothing internal can slip through. */
export const fieldToWire = (field: TableField) => ({
  id: field.id,
  key: field.key,
  name: field.name,
  type: field.type,
  ...(field.options === undefined ? {} : { options: optionsToWire(field.options) }),
  required: field.required,
  unique: field.unique,
  indexed: field.indexed,
  ...(field.default === undefined ? {} : { default: cellToWire(field.type, field.default) }),
  ...(field.description === undefined ? {} : { description: field.description }),
  origin: field.origin,
  position: field.position
})

/** What is asked for with a new field; `exactDefault` has the digits that the payload lost. */
export const newField = (asked: typeof CreateField.Type, exactDefault: unknown): NewField => {
  const { default: _, description, options, ...field } = asked
  return {
    ...field,
    ...(options === undefined || options === null ? {} : { options }),
    ...(exactDefault === undefined || exactDefault === null ? {} : { default: exactDefault }),
    ...(typeof description === "string" ? { description } : {})
  }
}

export const layer = HttpApiBuilder.group(
  Api,
  "fields",
  Effect.fnUntraced(function* (handlers) {
    const tables = yield* Tables
    return handlers
      .handle("createField", ({ params, payload }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            const asked = newField(payload, exactAt(yield* exactBody, ["default"]))
            const { field } = yield* tables.createField(yield* principal, id, asked)
            return one(fieldToWire(field))
          })
        )
      )
      .handle("updateField", ({ headers, params, payload }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            const fieldId = yield* identified("field", params.field_id)
            const exact = exactAt(yield* exactBody, ["default"])
            const change = exact === undefined ? payload : { ...payload, default: exact }
            const ifVersion = demanded(headers["if-match"])
            const { field } = yield* tables.updateField(yield* principal, id, fieldId, change, ifVersion)
            return one(fieldToWire(field))
          })
        )
      )
      .handle("deleteField", ({ headers, params }) =>
        answering(
          Effect.gen(function* () {
            const id = yield* identified("table", params.table_id)
            const fieldId = yield* identified("field", params.field_id)
            yield* tables.deleteField(yield* principal, id, fieldId, demanded(headers["if-match"]))
            return deleted
          })
        )
      )
  })
)
