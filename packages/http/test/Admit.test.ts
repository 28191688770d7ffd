/** Checks that no operation of today needs: of those that prove themselves, and that read their bytes themselves. */
import * as Effect from "effect/Effect"
import { fromWeb } from "effect/http/HttpServerRequest"
import { operations, type Operation } from "@millrace/core/access"
import { describe, expect, it } from "vitest"
import * as BodyMemory from "../src/middleware/BodyMemory.ts"
import { admit } from "../src/middleware/Gate.ts"
import { begin } from "../src/request/CurrentRequest.ts"

const never = () => Effect.die("nobody asked for a credential")

const admitted = (operation: Operation) =>
  Effect.gen(function* () {
    const state = begin("req_1", "/v1/webhooks/demo")
    const services = {
      audit: { refused: never },
      authenticator: { arrival: never },
      sessions: undefined,
      agreedRate: 1,
      routes: [
        {
          id: operation.id,
          method: "POST",
          segments: ["v1", "webhooks", ":instance"],
          operation,
          paged: { query: false, body: false }
        }
      ],
      bodies: BodyMemory.make(10_000_000)
    }
    const request = fromWeb(new Request("http://test/v1/webhooks/demo", { method: "POST", body: "signed bytes" }))
    const passed = yield* admit(services, request, state, (part) => part)
    return { state, passed }
  })

describe("an operation that needs no credential", () => {
  it("is neither authenticated nor counted, and gets the bytes as they came", async () => {
    const raw = { ...operations.createFeed, credential: "none", body: "raw" } as const
    const { state } = await Effect.runPromise(admitted(raw))
    expect(new TextDecoder().decode(state.raw)).toBe("signed bytes")
    expect([state.principal, state.rateLimit, state.route?.id]).toEqual([undefined, undefined, "createFeed"])
  })
})
