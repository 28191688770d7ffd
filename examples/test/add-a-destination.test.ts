import { Ids } from "@millrace/core"
import { destinationOf } from "@millrace/core/destination"
import { Outbound } from "@millrace/core/outbound"
import { makeFeed, makeWorkspace } from "@millrace/testing/fixture"
import { suite } from "@millrace/testing/suite/destination"
import * as Effect from "effect/Effect"
import { rowStore } from "../add-a-destination.ts"
import { outbound, serve } from "../LocalUpstream.ts"

type Values = Readonly<Record<string, unknown>>

interface Sent {
  readonly key: string
  readonly op: "create" | "update" | "remove"
  readonly values: Values
}

const refused = "a text that is refused"

/** The row store: rows by key, and notes of people beside them. */
class Store {
  readonly rows = new Map<string, Values>()
  readonly notes = new Map<string, string>()

  write({ key, op, values }: Sent) {
    if (op === "remove") this.rows.delete(key)
    else if (values["Description"] === refused) return { key, outcome: "refused" }
    else if (op === "update" && !this.rows.has(key)) return { key, outcome: "gone" }
    else this.rows.set(key, values)
    return { key, outcome: "kept" }
  }
}

suite("add a destination", {
  write: "upsertByKey",
  cells: "typed",
  make: Effect.gen(function* () {
    const store = new Store()
    const url = yield* serve(({ body, path }) =>
      path === "/write"
        ? [200, (JSON.parse(body) as ReadonlyArray<Sent>).map((row) => store.write(row))]
        : [200, (JSON.parse(body) as ReadonlyArray<string>).filter((key) => store.rows.has(key))]
    )
    const driver = destinationOf(yield* Effect.provideService(rowStore, Outbound, yield* outbound))
    const config = { type: "row_store", url }
    return {
      driver,
      config,
      feed: yield* makeFeed(yield* makeWorkspace(), { destinationConfig: config }),
      read: Effect.sync(() =>
        Array.from(store.rows.values(), (values) =>
          Object.fromEntries(
            ["ID", "Date", "Amount", "Description", "Merchant", "Pending", "At"].map((name) => [
              name,
              String(values[name] ?? "")
            ])
          )
        )
      ),
      people: {
        note: (key: string, text: string) =>
          Effect.sync(() => {
            store.notes.set(key, text)
            return Effect.sync(() => store.notes)
          }),
        deleteRow: (key: string) => Effect.sync(() => void store.rows.delete(key))
      },
      refused: { Description: refused }
    }
  }).pipe(Effect.provide(Ids.layer))
})
