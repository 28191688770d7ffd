/** A provider whose payloads work once: `<connection>#<n>`. Each exchange gives another secret, and the former ones die. */
import { InvalidConnectPayload } from "../../src/provider/ProviderError.ts"
import type { ProviderDriver } from "../../src/provider/Provider.ts"
import { makeScriptedProvider } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"

export const makeOneUseProvider = () => {
  const { bank, driver } = makeScriptedProvider({
    instance: "one-use",
    changeModel: "snapshotFull",
    scope: "account",
    idTrust: "stable",
    pageSize: 10,
    overlapDays: 0,
    historyDays: 90
  })
  /** Tokens in the order in which they were used up, also by exchanges that were refused afterwards. */
  const used: Array<string> = []
  /** The secret that works, by connection. */
  const working = new Map<string, string>()
  const provider: ProviderDriver = {
    ...driver,
    capabilities: { ...driver.capabilities, connectFlow: "link" },
    completeConnect: ({ payload }) =>
      Effect.suspend(() => {
        const token = payload.kind === "plaid_public_token" ? payload.publicToken : payload.connectionId
        if (used.includes(token)) return Effect.fail(new InvalidConnectPayload({ message: "the token was used" }))
        used.push(token)
        const ref = token.split("#")[0]!
        bank(ref, [`${ref} a`, `${ref} b`])
        working.set(ref, `secret of ${token}`)
        return Effect.succeed({
          connection: { ref, secrets: { accessToken: `secret of ${token}` } },
          institution: { id: "demo:one-use", name: ref, countryCodes: ["CH"], status: "ok" },
          bankType: "bank"
        } as const)
      }),
    open: (request) =>
      Effect.map(driver.open(request), (session) => ({
        ...session,
        inspect: Effect.sync(() =>
          request.connection.secrets.accessToken === working.get(request.connection.ref)
            ? ({ status: "connected" } as const)
            : ({ status: "reauth_required", errorCode: "REAUTH_REQUIRED" } as const)
        )
      }))
  }
  return { driver: provider, used, working }
}
