/** JSON Web Tokens signed with ES256 (RFC 7515, RFC 7518 section 3.4): read first, believed once the signature is right. */
import { createPublicKey, verify } from "node:crypto"
import type { JsonWebKeyInput } from "node:crypto"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as Result from "effect/Result"

const part = /^[\w-]{1,8000}$/

export interface SignedToken {
  readonly algorithm: string
  readonly keyId: string | undefined
  /** What is signed. */
  readonly signed: string
  readonly signature: Uint8Array
  /** JSON text; not to be believed before the signature was checked. */
  readonly claims: string
}

const Header = SchemaParser.decodeUnknownResult(
  Schema.fromJsonString(Schema.Struct({ alg: Schema.String, kid: Schema.optionalKey(Schema.String) }))
)

const textOf = (encoded: string): string => Buffer.from(encoded, "base64url").toString("utf8")

/** `undefined` for what is no token of three parts with a header. */
export const readSignedToken = (token: string): SignedToken | undefined => {
  const [header = "", claims = "", signature = "", ...rest] = token.split(".")
  if (rest.length > 0 || ![header, claims, signature].every((one) => part.test(one))) return undefined
  const decoded = Header(textOf(header))
  if (Result.isFailure(decoded)) return undefined
  return {
    algorithm: decoded.success.alg,
    keyId: decoded.success.kid,
    signed: `${header}.${claims}`,
    signature: Buffer.from(signature, "base64url"),
    claims: textOf(claims)
  }
}

/** Whether the token was signed by the key; false for keys and tokens of any other sort. */
export const isSignedBy = (
  token: SignedToken,
  key: { readonly kty: string; readonly crv: string; readonly x: string; readonly y: string }
): boolean => {
  const { crv, kty, x, y } = key
  if (token.algorithm !== "ES256" || kty !== "EC" || crv !== "P-256" || token.signature.length !== 64) return false
  const made = Result.try(() => createPublicKey({ key: { kty, crv, x, y }, format: "jwk" } satisfies JsonWebKeyInput))
  return (
    Result.isSuccess(made) &&
    verify("sha256", Buffer.from(token.signed), { key: made.success, dsaEncoding: "ieee-p1363" }, token.signature)
  )
}
