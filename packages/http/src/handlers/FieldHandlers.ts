import * as Effect from "effect/Effect"
import type { FieldOptions, NewField, TableField } from "@millrace/core/table"
import { type FieldView, Tables } from "@millrace/core/kernel"
import { deleted, one } from "../api/Envelope.ts"
import type { CreateField } from "../api/FieldApi.ts"
import { exactBody } from "../request/CurrentRequest.ts"
import { cellToWire, exactAt } from "./Cells.ts"
import { demanded } from "./Versions.ts"
import { serve } from "./Serve.ts"

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

const shown = ({ field }: FieldView) => one(fieldToWire(field))

export const layer = serve(
  "fields",
  Effect.gen(function* () {
    const tables = yield* Tables
    return {
      createField: Effect.fnUntraced(function* ({ caller, ids, payload }) {
        const asked = newField(payload, exactAt(yield* exactBody, ["default"]))
        return shown(yield* tables.createField(caller, ids.table, asked))
      }),
      updateField: Effect.fnUntraced(function* ({ caller, headers, ids, payload }) {
        const exact = exactAt(yield* exactBody, ["default"])
        const change = exact === undefined ? payload : { ...payload, default: exact }
        return shown(yield* tables.updateField(caller, ids.table, ids.field, change, demanded(headers["if-match"])))
      }),
      deleteField: ({ caller, headers, ids }) =>
        Effect.as(tables.deleteField(caller, ids.table, ids.field, demanded(headers["if-match"])), deleted)
    }
  })
)
