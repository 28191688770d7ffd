/** Several store calls in one transaction of PostgreSQL. */
import { Transactor } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { inTransaction } from "./SqlFailure.ts"

export const layer: Layer.Layer<Transactor, never, SqlClient.SqlClient> = Layer.effect(
  Transactor,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Transactor.of({
      // A nested call is a savepoint, so that what fails inside and is caught undoes no more than itself.
      atomically: inTransaction(sql)
    })
  )
)
