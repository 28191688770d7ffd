/** Checks that no operation of today needs: of those that prove themselves, and that read their bytes themselves. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { fromWeb } from "effect/http/HttpServerRequest"
import { operations, type Operation } from "@millrace/core/access"
import { Audit } from "@millrace/core/audit"
import { Authenticator } from "@millrace/core/kernel"
import { describe, expect, it } from "vitest"
import * as BodyMemory from "../src/middleware/BodyMemory.ts"
import { makeAdmission } from "../src/middleware/Gate.ts"
import { begin } from "../src/request/CurrentRequest.ts"

const admitted = (operation: Operation) =>
  Effect.gen(function* () {
    const state = begin("req_1", "/v1/webhooks/demo")
    const route = {
      id: operation.id,
      method: "POST",
      segments: ["v1", "webhooks", ":instance"],
      operation,
      paged: { query: false, body: false }
    }
    const admit = yield* makeAdmission([route], BodyMemory.make(10_000_000))
    const request = fromWeb(new Request("http://test/v1/webhooks/demo", { method: "POST", body: "signed bytes" }))
    const passed = yield* admit(request, state, (part) => part)
    return { state, passed }
  }).pipe(Effect.provide([Layer.mock(Audit, {}), Layer.mock(Authenticator, {})]))

describe("an operation that needs no credential", () => {
  it("is neither authenticated nor counted, and gets the bytes as they came", async () => {
    const raw = { ...operations.createFeed, credential: "none", body: "raw" } as const
    const { state } = await Effect.runPromise(admitted(raw))
    expect(new TextDecoder().decode(state.raw)).toBe("signed bytes")
    expect([state.principal, state.rateLimit, state.route?.id]).toEqual([undefined, undefined, "createFeed"])
  })
})
