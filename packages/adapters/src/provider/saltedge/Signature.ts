/** Signatures of Salt Edge: RSA with SHA-256 over the address and the body, both ways. */
import { createPrivateKey, createPublicKey, createSign, createVerify, type KeyObject } from "node:crypto"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

/** The key of PEM text; its lines may be told by `\n`, as in environment variables. */
const pem = (text: string): string => text.replaceAll("\\n", "\n").trim()

const isRsa = (key: KeyObject): Result.Result<KeyObject, undefined> =>
  key.asymmetricKeyType === "rsa" ? Result.succeed(key) : Result.fail(undefined)

export const privateKeyOf = (text: Redacted.Redacted): Result.Result<KeyObject, undefined> =>
  Result.flatMap(Result.try({ try: () => createPrivateKey(pem(Redacted.value(text))), catch: () => undefined }), isRsa)

export const publicKeyOf = (text: string): Result.Result<KeyObject, undefined> =>
  Result.flatMap(Result.try({ try: () => createPublicKey(pem(text)), catch: () => undefined }), isRsa)

export interface SignedRequest {
  /** Unix seconds after which the request is not accepted. */
  readonly expiresAt: number
  readonly method: string
  /** With its query, as it is sent. */
  readonly url: string
  /** As it is sent; `""` without one. */
  readonly body: string
}

/** The header `Signature` of a request. */
export const requestSignature = (key: KeyObject, { body, expiresAt, method, url }: SignedRequest): string =>
  createSign("sha256").update(`${expiresAt}|${method}|${url}|${body}`).sign(key, "base64")

/** Whether Salt Edge signed a callback to this address. */
export const isSignedCallback = (
  key: KeyObject,
  { rawBody, signature, url }: { readonly url: string; readonly rawBody: Uint8Array; readonly signature: string }
): boolean =>
  /^[\w+/=\s-]{1,2000}$/.test(signature) &&
  createVerify("sha256").update(`${url}|`).update(rawBody).verify(key, signature, "base64")
