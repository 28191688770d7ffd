/** What providers ask of us by themselves (decisions 5.9). */
import { entriesOf } from "./Operation.ts"

const byProvider = { absent: "a provider calls it, with its signature" } as const

export const callbackOperations = entriesOf("callbacks", {
  receiveProviderWebhook: {
    summary: "Take in a callback of a provider",
    scopes: { allOf: [] },
    role: "viewer",
    credential: "none",
    idempotency: "inherent",
    waits: true,
    body: "raw",
    tool: byProvider,
    command: byProvider
  }
})
