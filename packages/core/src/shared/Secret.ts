/** Secrets in the configuration of drivers. */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/**
 * A secret text, such as the key of a provider. A program gives it as `Redacted`. A configuration file names the
 * environment variable that has it, `{ "env": "NAME" }`: plain text in its place is refused.
 */
export const Secret = Schema.declare((value): value is Redacted.Redacted => Redacted.isRedacted(value), {
  expected: 'must be given as { "env": "NAME" }, the environment variable that has it: it is a secret',
  description: "a secret"
})
