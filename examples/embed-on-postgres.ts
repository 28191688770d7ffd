/**
 * The program of `embed.ts` on a PostgreSQL database, which keeps what it did.
 *
 * Run it with `DATABASE_URL=postgres://... node --conditions=@millrace/source examples/embed-on-postgres.ts`.
 */
import { DemoProvider } from "@millrace/adapters/provider"
import { Millrace } from "@millrace/embed"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { program } from "./embed.ts"

// A program of yours takes it from where it keeps its secrets: what is stored opens with this one only.
const secret = Redacted.make("a secret of at least thirty-two characters")

export const layer = Layer.unwrap(
  Effect.map(Config.Redacted("DATABASE_URL"), (url) =>
    Millrace.layer({ providers: [DemoProvider.make()], storage: Millrace.postgres({ url, secret }) })
  )
)

export { program } from "./embed.ts"

if (import.meta.main) {
  const { bank, job } = await Effect.runPromise(program.pipe(Effect.provide(layer)))
  process.stdout.write(`${bank.name}: ${job.status}, ${job.counts.read} read, ${job.counts.created} written\n`)
}
