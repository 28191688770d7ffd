/** `npm run smoke -- plaid`: drivers against the sandboxes of their providers, where keys are set. Never part of `npm test`. */
import { OutboundClient } from "@millrace/adapters"
import { Outbound } from "@millrace/core/outbound"
import * as Effect from "effect/Effect"
import { smoke, smokeKinds } from "./Smoke.ts"

const asked = process.argv.slice(2)

const say = (kind: string) => (line: string) => void process.stdout.write(`${kind.padEnd(12)}${line}\n`)

const program = Effect.gen(function* () {
  const outbound = yield* OutboundClient.make()
  for (const kind of asked) {
    yield* Effect.provideService(smoke(kind, process.env, say(kind)), Outbound, outbound).pipe(
      Effect.catch((error) =>
        Effect.sync(() => {
          say(kind)(`failed: ${error._tag}: ${error.message}`)
          process.exitCode = 1
        })
      )
    )
  }
}).pipe(Effect.scoped)

if (asked.length === 0) {
  process.stdout.write(`Usage: npm run smoke -- <kind>...; there are ${smokeKinds.join(", ")}\n`)
  process.exitCode = 1
} else await Effect.runPromise(program)
