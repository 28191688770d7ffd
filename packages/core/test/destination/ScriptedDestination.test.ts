/** The destination that the simulations write to keeps what every destination has to keep. */
import type { WriteModel } from "../../src/destination/Destination.ts"
import { destinationOf } from "../../src/destination/Destinations.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { makeScriptedDestination } from "@millrace/testing/fake"
import { makeFeed, makeWorkspace } from "@millrace/testing/fixture"
import { columns, suite } from "@millrace/testing/suite/destination"
import * as Effect from "effect/Effect"

const refused = "a text that is refused"
const config = { type: "file", path: "rows.csv", format: "csv" } as const

for (const write of ["upsertByKey", "readBack", "idempotencyKey"] satisfies ReadonlyArray<WriteModel>) {
  suite(`scripted destination, ${write}`, {
    write,
    cells: "typed",
    make: Effect.gen(function* () {
      const { at, driver } = makeScriptedDestination(write, 100)
      const place = at(config.path)
      const notes = new Map<string, string>()
      place.refuses = (values) => values["Description"] === refused
      const feed = yield* makeFeed(yield* makeWorkspace(), { destinationConfig: config })
      return {
        driver: destinationOf(driver),
        config,
        feed,
        read: Effect.sync(() =>
          place.rows.map(({ values }) =>
            Object.fromEntries(columns.map(({ name }) => [name, String(values[name] ?? "")]))
          )
        ),
        people: {
          note: (key: string, text: string) =>
            Effect.sync(() => {
              notes.set(key, text)
              return Effect.sync(() => notes)
            }),
          deleteRow: (key: string) => Effect.sync(() => place.remove(key))
        },
        refused: { Description: refused }
      }
    }).pipe(Effect.provide(Ids.layer))
  })
}
