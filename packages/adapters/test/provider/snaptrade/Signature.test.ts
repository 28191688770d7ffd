import { expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { canonicalJson, isSignedBody, requestSignature } from "../../../src/provider/snaptrade/Signature.ts"

const key = Redacted.make("YOUR_CONSUMER_KEY")
const bytes = (text: string) => new TextEncoder().encode(text)

it("SnapTrade: signs requests as the examples of its documentation are signed", () => {
  expect(
    requestSignature(key, {
      path: "/symbols",
      query: "clientId=YOUR_CLIENT_ID&timestamp=1715123456",
      body: { substring: "AAPL" }
    })
  ).toBe("TIrAXRIywVDtud68tti2kh1fDmzi/2aNdmhABjvabMw=")
  expect(
    requestSignature(key, {
      path: "/accounts",
      query: "clientId=CID&timestamp=1715123456&userId=u1&userSecret=s1",
      body: undefined
    })
  ).toBe("nxuBHSKsB7mGOltIeDMdI5ITyYm16rcfukb9GQKczOs=")
})

it("SnapTrade: an empty body is signed as none, keys in order at every level", () => {
  const asked = { path: "/a", query: "x=1" }
  expect(requestSignature(key, { ...asked, body: {} })).toBe(requestSignature(key, { ...asked, body: undefined }))
  expect(canonicalJson({ b: [{ d: 1, c: null }], a: { z: true, y: "é\n" } })).toBe(
    '{"a":{"y":"é\\n","z":true},"b":[{"c":null,"d":1}]}'
  )
})

const event =
  '{"brokerageAuthorizationId":"b1","clientId":"c1","eventTimestamp":"2026-01-05T10:00:00.000000+00:00",' +
  '"eventType":"CONNECTION_BROKEN","userId":"u1","webhookId":"w1"}'
const signature = "iMh/5IZCXY/qjVkW+3+7ojiMnz9CxrfYn2pJCJqxdPI="

it("SnapTrade: knows its webhooks by the documented signature, in whatever order and spacing they come", () => {
  expect(isSignedBody(key, bytes(event), signature)).toBe(true)
  const { webhookId, ...others } = JSON.parse(event) as Record<string, string>
  expect(isSignedBody(key, bytes(JSON.stringify({ webhookId, ...others }, undefined, 2)), signature)).toBe(true)
  expect(isSignedBody(key, bytes(event.replace("BROKEN", "FIXED")), signature)).toBe(false)
  expect(isSignedBody(Redacted.make("another"), bytes(event), signature)).toBe(false)
  for (const wrong of ["", "x", `${signature}=`, signature.toLowerCase()]) {
    expect(isSignedBody(key, bytes(event), wrong)).toBe(false)
  }
})

it("SnapTrade: text beyond ASCII and numbers are signed as Python writes them", () => {
  // json.dumps(..., separators=(",", ":"), sort_keys=True) of Python 3.12, signed there.
  const body = '{"note": "Caf\u00e9 \u2713 \ud83d\ude00 \u007f", "n": 1.0, "big": 12345678901234567890}'
  expect(isSignedBody(key, bytes(body), "qE6HM07PJv0N+Q1941JlRBSwLzNAY8imDLXa6Ei9EG8=")).toBe(true)
})

it("SnapTrade: a body that is no JSON is refused unless it was signed as it is", () => {
  for (const body of ["", "{", "\u0000", "[".repeat(200_000)]) {
    expect(isSignedBody(key, bytes(body), signature)).toBe(false)
  }
  expect(isSignedBody(key, new Uint8Array([0xff, 0xfe]), signature)).toBe(false)
})
