/** Callbacks of providers on the wire: no credential, the bytes as they came, and answers that tell guessers nothing. */
import { describe, expect, it } from "vitest"
import * as Server from "./fakes/Server.ts"

const path = "/v1/webhooks/plaid:us"
const signed = { "x-signature": "good" }

describe("POST webhooks/{provider_instance_id}", () => {
  it("takes any body from whoever signed it, without a credential and uncounted", async () => {
    const server = Server.make({ metered: true, workspace: { plan: "free" } })
    for (const body of ['{"a":1e400,"a":2}', "no JSON at all", "", "\u0000\uffff"]) {
      for (const url of [path, "/v1/webhooks/plaid%3Aus"]) {
        const answer = await server.call("POST", url, { anonymous: true, body, headers: signed })
        expect([answer.status, answer.body]).toEqual([200, { success: true }])
        expect(answer.headers.get("x-ratelimit-limit")).toBeNull()
        const { instanceId, rawBody } = server.calls["receiveProviderWebhook"]!.at(-1) as {
          readonly instanceId: string
          readonly rawBody: Uint8Array
        }
        expect([instanceId, new TextDecoder().decode(rawBody)]).toEqual(["plaid:us", body])
      }
    }
    expect(server.counted).toEqual([])
  })

  it("hands on the attempt that the address names, and nothing that is too long to be one", async () => {
    const server = Server.make()
    for (const [query, attemptId] of [
      ["?attempt=cat_7&x=1", "cat_7"],
      [`?attempt=${"x".repeat(1_025)}`, undefined],
      ["", undefined]
    ]) {
      await server.call("POST", `${path}${query}`, { anonymous: true, body: "{}", headers: signed })
      expect(server.calls["receiveProviderWebhook"]!.at(-1)).toMatchObject({ instanceId: "plaid:us", attemptId })
    }
  })

  it("refuses what is not signed, and does not say why", async () => {
    const server = Server.make()
    const answer = await server.call("POST", path, { anonymous: true, body: "{}", headers: { "x-signature": "bad" } })
    expect(answer.status).toBe(401)
    expect(answer.body).toMatchObject({ success: false, code: "INVALID_SIGNATURE" })
    expect(answer.text).not.toContain("SECRET")
    expect(answer.headers.get("www-authenticate")).toContain("Signature")
  })

  it("does not know other instances, and reads no body that is too large", async () => {
    const server = Server.make()
    const unknown = await server.call("POST", "/v1/webhooks/nobody:us", {
      anonymous: true,
      body: "{}",
      headers: signed
    })
    expect([unknown.status, unknown.body.code]).toEqual([404, "NOT_FOUND"])
    const large = await server.call("POST", path, {
      anonymous: true,
      body: new Uint8Array(1_048_577),
      headers: signed
    })
    expect([large.status, large.body.code]).toEqual([413, "BODY_TOO_LARGE"])
    const whole = await server.call("POST", path, { anonymous: true, body: new Uint8Array(1_048_576), headers: signed })
    expect(whole.status).toBe(200)
    const read = await server.call("GET", path)
    expect([read.status, read.body.code]).toEqual([405, "METHOD_NOT_ALLOWED"])
  })
})
