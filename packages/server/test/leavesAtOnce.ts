/** Starts the built-in PostgreSQL in the folder it is given, says which process that is, and ends without stopping it, or stays. */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { start } from "../src/postgres/EmbeddedPostgres.ts"

const { pid } = await Effect.runPromise(
  start({ folder: process.argv[2]!, durable: false }).pipe(Scope.provide(Scope.makeUnsafe()))
)
if (process.argv[3] === "stay") setInterval(() => undefined, 1_000)
process.stdout.write(`\n${pid}`, () => process.argv[3] === "stay" || process.exit(0))
