/** The conformance suite over whatever storage `arranged` puts the table in. */
import type { CellValue } from "@millrace/core/filter"
import { Ids } from "@millrace/core"
import { makeTableField } from "@millrace/testing/fixture"
import { suite } from "@millrace/testing/suite/destination"
import * as Effect from "effect/Effect"
import type { arrangeIn } from "./TableWorld.ts"

type World = Effect.Success<ReturnType<typeof arrangeIn>>

const print = (value: CellValue | undefined): string => String(value ?? "")

export const tableSuite = (title: string, arranged: Effect.Effect<World, unknown>): void =>
  suite(title, {
    write: "transactional",
    cells: "typed",
    make: Effect.map(arranged, ({ driver, config, feed, store, table, rows, writeAsPerson, deleteAsPerson }) => ({
      driver,
      config,
      feed,
      read: Effect.gen(function* () {
        const fields = (yield* table).fields.filter((field) => field.origin === "feed")
        return (yield* rows).map(({ values }) =>
          Object.fromEntries(fields.map(({ key, name }) => [name, print(values[key])]))
        )
      }).pipe(Effect.orDie),
      people: {
        note: (key: string, text: string) =>
          Effect.gen(function* () {
            const field = yield* makeTableField("note", { name: "Note", origin: "user", position: 99 })
            yield* store.addFields((yield* table).id, [field])
            yield* writeAsPerson(key, { note: text })
            return Effect.orDie(
              Effect.map(
                rows,
                (found) =>
                  new Map(
                    found.flatMap((row) =>
                      "note" in row.values ? [[print(row.externalKey), print(row.values["note"])] as const] : []
                    )
                  )
              )
            )
          }).pipe(Effect.provide(Ids.layer), Effect.orDie),
        deleteRow: (key: string) => Effect.orDie(deleteAsPerson(key)),
        edit: (key: string, column: string, text: string) =>
          Effect.gen(function* () {
            const { fields, id } = yield* table
            const cell = fields.find(({ name }) => name === column)!.key
            const [row] = yield* store.rowsByKey(id, [key])
            const values = { ...row!.values, [cell]: text }
            const edited = { ...row!, values, held: [...row!.held, cell], version: row!.version + 1 }
            yield* store.putRows(id, [{ row: edited, folded: {}, entries: [] }], 0)
          }).pipe(Effect.orDie)
      },
      refused: { Description: "x".repeat(70_000) }
    })).pipe(Effect.orDie)
  })
