/**
 * A look at a real upstream, with keys of its sandbox: only where they are set. Nothing is recorded of what comes.
 *
 * `MILLRACE_SMOKE_<KIND>` is the configuration of an instance as JSON, `MILLRACE_SMOKE_<KIND>_SECRETS` its secrets, and
 * `MILLRACE_SMOKE_<KIND>_CONNECTION` a connection that was made there, `{"ref": "...", "secrets": {...}}`, which is read whole.
 */
import { expect, it } from "@effect/vitest"
import { CalendarDate, Timestamp } from "@millrace/core"
import { Outbound } from "@millrace/core/outbound"
import type { Connection, ProviderFactory } from "@millrace/core/provider"
import { beginOf, openFor } from "@millrace/testing/fake"
import { run } from "@millrace/testing/suite/provider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as OutboundClient from "../../src/outbound/OutboundClient.ts"

const read = (name: string): Readonly<Record<string, unknown>> | undefined => {
  const text = process.env[name]
  return text === undefined || text === "" ? undefined : (JSON.parse(text) as Readonly<Record<string, unknown>>)
}

const dataTypes = ["transactions", "trades", "holdings", "orders", "loans"] as const

/** Registers the look; without keys it says that it did not look. */
export const smoke = <C>(factory: ProviderFactory<C>): void => {
  const name = `MILLRACE_SMOKE_${factory.kind.toUpperCase()}`
  const config = read(name)
  if (config === undefined) {
    it.skip(`${factory.label}: nobody looked at the real one, since ${name} is not set`, () => undefined)
    return
  }
  const secrets = Object.entries(read(`${name}_SECRETS`) ?? {}).map(([key, value]) => [
    key,
    Redacted.make(String(value))
  ])
  const driver = Effect.gen(function* () {
    const client = yield* OutboundClient.make()
    const settings = Schema.decodeUnknownSync(factory.Config)({ ...config, ...Object.fromEntries(secrets) })
    const making = factory.make({ instanceId: `${factory.kind}:smoke`, config: settings })
    return yield* Effect.provideService(making, Outbound, client)
  })

  it.live(`${factory.label}: the real one has institutions, and a step to connect one`, () =>
    Effect.gen(function* () {
      const made = yield* driver
      const found = yield* made.listInstitutions({ text: "", countryCodes: [], limit: 5 })
      expect(found.length).toBeGreaterThan(0)
      const subject = { ref: `smoke-${Timestamp.toMillis(yield* Timestamp.now)}`, secrets: {} }
      const step = yield* made.beginConnect(beginOf({ subject, redirectUri: "https://example.com/back" }))
      expect(step.expiresAt > (yield* Timestamp.now)).toBe(true)
    }).pipe(Effect.scoped)
  )

  const connection = read(`${name}_CONNECTION`) as Connection | undefined
  it.live.skipIf(connection === undefined)(`${factory.label}: a connection of the sandbox is read whole`, () =>
    Effect.gen(function* () {
      const made = yield* driver
      const session = yield* openFor(made, connection!)
      expect((yield* session.inspect).status).toBe("connected")
      const to = CalendarDate.make((yield* Timestamp.now).slice(0, 10))
      for (const { providerAccountId, supports } of yield* session.listAccounts) {
        for (const dataType of dataTypes.filter((one) => supports.includes(one))) {
          const request = {
            dataType,
            providerAccountIds: [providerAccountId],
            from: CalendarDate.addDays(to, -365),
            to
          }
          const { quarantined } = yield* run(made, connection!, request)
          expect(quarantined.map(({ reason }) => reason)).toEqual([])
        }
      }
    }).pipe(Effect.scoped)
  )
}
