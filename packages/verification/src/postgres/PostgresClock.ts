/** Time that passes for a database of tests alone: its clock is a function, which runs ahead from now on. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as SqlClient from "effect/sql/SqlClient"
import { StoreClock } from "@millrace/testing/suite/storage"

export const layer: Layer.Layer<StoreClock, never, SqlClient.SqlClient> = Layer.effect(
  StoreClock,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ahead = yield* Ref.make(0)
    return StoreClock.of({
      pass: Effect.fnUntraced(function* (seconds) {
        const total = yield* Ref.updateAndGet(ahead, (before) => before + seconds)
        yield* sql.unsafe(`create or replace function store_now() returns timestamptz language sql stable
          as 'select statement_timestamp() + make_interval(secs => ${total})'`)
      }, Effect.orDie)
    })
  })
)
