/** Texts that only this installation can have made: readable by anyone who holds them, and refused once a letter differs. */
import type * as Arr from "effect/Array"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Digest } from "./Digest.ts"

// oxlint-disable-next-line no-control-regex -- all of ASCII
const isAscii = /^[\u0000-\u007f]*$/

/** Each byte of UTF-8 as a letter. */
const lettersOf = (text: string): string =>
  isAscii.test(text) ? text : Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("")

const toUrlSafe = (text: string): string =>
  btoa(lettersOf(text)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

const fromUrlSafe = (text: string): Option.Option<string> =>
  Result.getSuccess(
    Result.try(() =>
      new TextDecoder("utf-8", { fatal: true }).decode(
        Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0))
      )
    )
  )

export interface SignedText {
  /** The text in letters that an address may hold, with its signature behind a dot. */
  readonly seal: (purpose: string, text: string) => string
  /** The text, where it was sealed for that purpose by one of the keys. */
  readonly open: (purpose: string, sealed: string) => Option.Option<string>
}

/**
 * The first key signs; the others are former ones that still count. `purpose` is signed with the text: what was made for one
 * purpose is good for no other.
 */
export const signedText = (
  digest: Digest["Service"],
  keys: Arr.NonEmptyReadonlyArray<Redacted.Redacted>
): SignedText => {
  const sign = (purpose: string, body: string, key: Redacted.Redacted) =>
    digest.sign(`${purpose}\n${body}`, Redacted.value(key))
  return {
    seal: (purpose, text) => {
      const body = toUrlSafe(text)
      return `${body}.${sign(purpose, body, keys[0])}`
    },
    open: (purpose, sealed) => {
      const dot = sealed.indexOf(".")
      if (dot < 0) return Option.none()
      const [body, signature] = [sealed.slice(0, dot), sealed.slice(dot + 1)]
      const isOurs = keys.some((key) => digest.equal(sign(purpose, body, key), signature))
      return isOurs ? fromUrlSafe(body) : Option.none()
    }
  }
}
