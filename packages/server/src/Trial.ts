/**
 * A provider that is tried without credentials: `npm start -- --provider plaid` starts a stand-in of its upstream on this
 * machine, which ends with the server and forgets everything then. Wherever it is seen it says that it is a trial.
 */
import { privateHosts } from "@millrace/adapters"
import { bundledProviders } from "@millrace/adapters/provider"
import { configured } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Configuration } from "./Configuration.ts"
import * as Terminal from "./Terminal.ts"

class NoTrial extends Schema.TaggedError<NoTrial>()("NoTrial", { message: Schema.String }) {}

/** A configuration with a provider that is tried. */
export interface TrialConfiguration extends Configuration {
  /** The page on which a person breaks its banks on purpose. */
  readonly trialPage: string
}

/** The configuration with an instance `<kind>:trial`, whose stand-in works until the scope ends. */
export const withTrial = Effect.fn("Trial.withTrial")(function* (configuration: Configuration, kind: string) {
  // Loaded where it is asked for: nobody else pays for it.
  const { deskPath, trials } = yield* Effect.promise(() => import("@millrace/testing/upstream"))
  const trial = trials.get(kind)
  const factory = bundledProviders.find((one) => one.kind === kind)
  if (trial === undefined || factory === undefined) {
    return yield* new NoTrial({
      message: `--provider names ${kind}, which has no trial; there are ${[...trials.keys()].join(", ")}. The demo provider needs none.`
    })
  }
  const id = `${kind}:trial`
  if (configuration.instances.includes(id)) {
    return yield* new NoTrial({ message: `The configuration file has ${id} already, which a trial is called.` })
  }
  const upstream = yield* trial
  const config = Object.fromEntries(
    Object.entries(upstream.config).map(([key, value]) => [
      key,
      typeof value === "string" && upstream.secrets.includes(value) ? Redacted.make(value) : value
    ])
  )
  const made = configured(bundledProviders, [{ id, name: `${factory.label} (trial)`, config }])
  if (Result.isFailure(made))
    return yield* Effect.die(new Error("the stand-in does not fit the settings of its provider"))
  const tried: TrialConfiguration = {
    ...configuration,
    trialPage: upstream.server.url + deskPath,
    providers: [...configuration.providers, ...made.success],
    instances: [...configuration.instances, id],
    privateHosts: {
      ...configuration.privateHosts,
      [id]: Result.getOrThrow(privateHosts([new URL(upstream.server.url).host]))
    }
  }
  return tried
})

/** Told where the server says what it serves. */
export const tellTrial = Effect.fnUntraced(function* (kind: string, page: string) {
  yield* Terminal.field(
    "Trial",
    `${kind}:trial is a stand-in on this machine: no real bank, no real money. It forgets its banks when the server stops.`
  )
  yield* Terminal.field(
    "Break it",
    `${page} breaks its banks on purpose: a new sign-in, a consent that ends, a row with faults.`
  )
})
