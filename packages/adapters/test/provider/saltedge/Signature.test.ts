import { expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { publishedCallbackKey } from "../../../src/provider/saltedge/Settings.ts"
import {
  isSignedCallback,
  privateKeyOf,
  publicKeyOf,
  requestSignature
} from "../../../src/provider/saltedge/Signature.ts"

/** Made for this test alone, and short so that it is quick; signatures below are those of `openssl dgst -sha256 -sign`. */
const privatePem = `-----BEGIN RSA PRIVATE KEY-----
MIICXgIBAAKBgQChwVLEkwREndhTHSc0ABSdA5w39lrPbWmwgBBfThXEx8soKz76
I8kvrEadV3nk3cf074fpdjygEcUtCXP4Mm/4WXSto3WF+d5J0XZEiyHRfaDzdpis
xysVNY7JV/+ZGoFS4HAYFORKBasQiTDHgMNh/VTRzBFDLEJxOYIN/ixp+QIDAQAB
AoGBAKCRZ7f6uKHkjnjy15em/M9gZhKnWj3OPrwWZCo3OSS9r82QIFPucigAu5g0
3aty/KsHm8MEu+mpujGa0KPwbXRmJrPEk/ewjnl1/J6ziMOwD+WF7ehvASBSyP4T
+s9B2scyd39+kpnxI0YXXGSY0rqbsEryhdtKDAGlu4HbkeABAkEA0dRNh59dAKaW
QDWNWJEWZ6LMc+69LDvdzFEaCao+5LZORvfyE1F/7EbSRPLF2kkI0E+WPlUUU+nj
Sx9IjNxEWQJBAMVZAF0Iq2lDn+ftJdHT4cW0Bm/DEFtuluhiw/gaySkpTFK0xbb0
yVQ1TwkMiO7q2K2rjMMvmXBOLspB4CxbHqECQQCfkoUjjt57kDTTv+YuZKhVSEmU
IQtciGq05ziWARKzfLEq54UBjAls9q8SIE63IrPBN8Vawfkjl8tzZecWuKyBAkEA
t0d2J/ECSKuuWZYMNrgiCRutkqRFj7TAYChBui0eP6UEJhePO+BRDmzH7y5+Ce1/
uKMHAss1JHDn0Z2mlWs2oQJAE/duzo8aHOWor+WfNkgWHwZQn/ecB7+FBd7R+Jxt
Gdsuf8UZVrDTHMz57j/htdzrXcTRvKme56jgjLMAME64uA==
-----END RSA PRIVATE KEY-----`
const publicPem = `-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQChwVLEkwREndhTHSc0ABSdA5w3
9lrPbWmwgBBfThXEx8soKz76I8kvrEadV3nk3cf074fpdjygEcUtCXP4Mm/4WXSt
o3WF+d5J0XZEiyHRfaDzdpisxysVNY7JV/+ZGoFS4HAYFORKBasQiTDHgMNh/VTR
zBFDLEJxOYIN/ixp+QIDAQAB
-----END PUBLIC KEY-----`

const key = Result.getOrThrow(privateKeyOf(Redacted.make(privatePem)))
const publicKey = Result.getOrThrow(publicKeyOf(publicPem))

it("Salt Edge: signs end, method, address and body as openssl does", () => {
  expect(
    requestSignature(key, {
      expiresAt: 1715123456,
      method: "POST",
      url: "https://www.saltedge.com/api/v6/customers?x=1",
      body: '{"data":{"identifier":"ws_1"}}'
    })
  ).toBe(
    "aqJ5QJDqC9Od5h9NwMRIJpWSiQXwLN3hN6TDxjBqErMWPVG6w7yD8GTqww1DsO9uB7JpfJ9P+70DVp3IDGbIs4XqUFM+cYdREYKpheiK+3pcGHsOIAXwgQryT80uLc3n7eZg0FUnE1bkDgryo3lovuQsyMb0zdPzGifHiyOiW+g="
  )
})

it("Salt Edge: a callback is proven by the address that is configured and the raw body", () => {
  const url = "https://millrace.example/webhooks/saltedge"
  const text =
    '{"data":{"connection_id":"111111111111111111","customer_id":"222222222222222222",' +
    '"custom_fields":{"key":"value"},"stage":"finish"}}'
  const signature =
    "JTuu1yn+faTEvLVHCA/NHEgKYWMIjSjpqHYbQoYOqEEvcf0EfjJSNbXqC7WqwcRvwC9QRVyz+SkD+zl/YTqrKVyGQP55mCQpALXHKB1EkVn1dYG6PxVEVWFp1ifglpQFeepbVcsGKdrmxyhkeVQ76taKcuKZDEGHAH7yjfxpjnM="
  const proven = (over: { readonly url?: string; readonly text?: string; readonly signature?: string } = {}) =>
    isSignedCallback(publicKey, {
      url: over.url ?? url,
      rawBody: new TextEncoder().encode(over.text ?? text),
      signature: over.signature ?? signature
    })
  expect(proven()).toBe(true)
  // Some sign the body alone: that is another message.
  expect(proven({ url: "" })).toBe(false)
  expect(proven({ url: `${url}/` })).toBe(false)
  expect(proven({ text: text.replace("finish", "start") })).toBe(false)
  expect(proven({ text: JSON.stringify(JSON.parse(text), undefined, 1) })).toBe(false)
  for (const wrong of ["", "x", "????", signature.slice(4), "A".repeat(5_000)]) {
    expect(proven({ signature: wrong })).toBe(false)
  }
})

it("Salt Edge: keys are RSA in PEM, also with written line breaks; anything else is none", () => {
  expect(Result.isSuccess(privateKeyOf(Redacted.make(privatePem.replaceAll("\n", "\\n"))))).toBe(true)
  expect(Result.isSuccess(publicKeyOf(publishedCallbackKey))).toBe(true)
  for (const text of [
    "",
    "secret",
    publicPem.slice(0, 80),
    "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"
  ]) {
    expect(Result.isFailure(privateKeyOf(Redacted.make(text)))).toBe(true)
    expect(Result.isFailure(publicKeyOf(text))).toBe(true)
  }
})
