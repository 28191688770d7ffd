/** `npm run smoke`: drivers against their real providers, where keys are set; `-- plaid` looks at that one alone. Never part of `npm test`. */
import { OutboundClient } from "@millrace/adapters"
import { Outbound } from "@millrace/core/outbound"
import * as Effect from "effect/Effect"
import { smoke, smokeKinds } from "./Smoke.ts"

const named = process.argv.slice(2)
const asked = named.length === 0 ? smokeKinds : named

const say = (kind: string) => (line: string) => void process.stdout.write(`${kind.padEnd(12)}${line}\n`)

const program = Effect.gen(function* () {
  const outbound = yield* OutboundClient.make()
  for (const kind of asked) {
    yield* Effect.provideService(smoke(kind, process.env, say(kind)), Outbound, outbound).pipe(
      Effect.catch((error) =>
        Effect.sync(() => {
          const isSkipped = error._tag === "SmokeSkipped"
          say(kind)(isSkipped ? `SKIPPED: ${error.message}` : `failed: ${error._tag}: ${error.message}`)
          // Who names a provider wants it looked at.
          if (!isSkipped || named.length > 0) process.exitCode = 1
        })
      )
    )
  }
}).pipe(Effect.scoped)

await Effect.runPromise(program)
