import * as Schema from "effect/Schema"
import { ActorRef } from "../../access/ActorRef.ts"
import { Text } from "../../operation/Parameters.ts"
import { Id } from "../../shared/Ids.ts"
import { limits } from "../../shared/Limits.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import type { RowView } from "../RowRequest.ts"
import type { Row, Table } from "../Table.ts"
import { valuesToWire } from "./Cells.ts"

const Values = Schema.Record(Schema.String, Schema.Unknown).annotate({
  description: "Field key -> value. Numbers keep all their digits; fields of type json hold JSON."
})

export const RowRecord = Schema.Struct({
  id: Id("row"),
  tableId: Id("table"),
  values: Values,
  externalKey: Schema.NullOr(Schema.String),
  held: Schema.Array(Schema.String).annotate({
    description: "Keys of fields that a person or a program wrote in a row of a feed: the feed leaves them alone."
  }),
  createdBy: ActorRef,
  updatedBy: ActorRef,
  version: Schema.Int,
  createdAt: Timestamp.Timestamp,
  updatedAt: Timestamp.Timestamp,
  trashedAt: Schema.NullOr(Timestamp.Timestamp)
}).annotate({ identifier: "Row" })

export const bulk = [Schema.isMinLength(1), Schema.isMaxLength(limits.bulkRows)] as const

export const CreateRows = Schema.Struct({
  rows: Schema.Array(
    Schema.Struct({
      values: Values,
      externalKey: Schema.optionalKey(
        Schema.NullOr(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.externalKeyLength)))
      )
    })
  ).check(...bulk),
  mode: Schema.optionalKey(
    Schema.Literals(["insert", "upsert"]).annotate({
      description: "upsert finds rows by the key fields of the table, or by externalKey when it has none."
    })
  )
}).annotate({ identifier: "CreateRows" })

export const change = {
  values: Values.annotate({ description: "Merged by field key; null clears. Numbers keep all their digits." }),
  version: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limits.largestInteger })).annotate({
      description: "The version that was read; a stale one is refused."
    })
  ),
  release: Schema.optionalKey(
    Schema.Array(Text).annotate({ description: "Keys of fields that follow the feed again." })
  )
}

/** Rows of a table as they are sent. Names every field, so that nothing internal can slip through. */
export const rowsOf = (table: Table) => {
  const values = valuesToWire(table.fields)
  return (row: Row) => ({
    id: row.id,
    tableId: row.tableId,
    values: values(row.values),
    externalKey: row.externalKey ?? null,
    held: row.held,
    createdBy: row.createdBy,
    updatedBy: row.updatedBy,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    trashedAt: row.trashedAt ?? null
  })
}

const rowToWire = ({ row, table }: RowView) => rowsOf(table)(row)

export const shown = (view: RowView) => rowToWire(view)
