/**
 * JSON as RFC 8259 has it, and stricter: no duplicate keys, no NUL, no lone surrogates, limited depth
 * (decisions 1.11). No digit of a number is lost: those that a double cannot hold exactly are raw JSON, which is
 * written again as it came.
 */
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { isRawNumber, numberOf, type RawNumber } from "../shared/RawNumber.ts"

export class JsonFault extends Data.TaggedError("JsonFault")<{
  readonly code: "INVALID_JSON" | "INVALID_ENCODING" | "BODY_TOO_DEEP"
  readonly message: string
}> {}

export type Json = string | number | boolean | null | RawNumber | ReadonlyArray<Json> | { readonly [key: string]: Json }

const numberForm = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// JSON forbids exactly these characters inside text.
// oxlint-disable-next-line no-control-regex
const plainText = /[^"\\\u0000-\u001f]*/y
const blank = /[ \t\n\r]*/y
const hexForm = /[0-9a-fA-F]{4}/y
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t"
}
const words: ReadonlyArray<readonly [string, Json]> = [
  ["true", true],
  ["false", false],
  ["null", null]
]

class Reader {
  readonly text: string
  readonly maxDepth: number
  at = 0

  constructor(text: string, maxDepth: number) {
    this.text = text
    this.maxDepth = maxDepth
  }

  fault(what: string): JsonFault {
    return new JsonFault({ code: "INVALID_JSON", message: `Body is not valid JSON: ${what} at character ${this.at}` })
  }

  take(form: RegExp): string | undefined {
    form.lastIndex = this.at
    const found = form.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  skipBlank(): void {
    this.take(blank)
  }

  eat(character: string): boolean {
    if (this.text[this.at] !== character) return false
    this.at++
    return true
  }

  value(depth: number): Json {
    this.skipBlank()
    const first = this.text[this.at]
    if (first === "{" || first === "[") {
      if (depth >= this.maxDepth) {
        throw new JsonFault({ code: "BODY_TOO_DEEP", message: `Body is nested deeper than ${this.maxDepth} levels` })
      }
      this.at++
      return first === "{" ? this.object(depth + 1) : this.array(depth + 1)
    }
    if (first === '"') return this.string()
    for (const [word, meaning] of words) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length
        return meaning
      }
    }
    const number = this.take(numberForm)
    if (number === undefined) throw this.fault(first === undefined ? "unexpected end" : "unexpected character")
    return numberOf(number)
  }

  object(depth: number): Json {
    const result: Record<string, Json> = {}
    this.skipBlank()
    if (this.eat("}")) return result
    for (;;) {
      this.skipBlank()
      if (this.text[this.at] !== '"') throw this.fault("expected a property name")
      const key = this.string()
      if (Object.hasOwn(result, key)) throw this.fault("duplicate property")
      this.skipBlank()
      if (!this.eat(":")) throw this.fault("expected a colon")
      // Defined, not assigned: `__proto__` is a name like any other.
      Object.defineProperty(result, key, {
        value: this.value(depth),
        enumerable: true,
        configurable: true,
        writable: true
      })
      this.skipBlank()
      if (this.eat("}")) return result
      if (!this.eat(",")) throw this.fault("expected a comma or a closing brace")
    }
  }

  array(depth: number): Json {
    const result: Array<Json> = []
    this.skipBlank()
    if (this.eat("]")) return result
    for (;;) {
      result.push(this.value(depth))
      this.skipBlank()
      if (this.eat("]")) return result
      if (!this.eat(",")) throw this.fault("expected a comma or a closing bracket")
    }
  }

  string(): string {
    this.at++
    let result = ""
    for (;;) {
      result += this.take(plainText) ?? ""
      if (this.eat('"')) break
      if (!this.eat("\\")) throw this.fault("unterminated text or control character")
      result += this.escape()
    }
    if (result.includes("\u0000") || !result.isWellFormed()) {
      throw new JsonFault({
        code: "INVALID_ENCODING",
        message: "Body holds text with a NUL character or half a surrogate pair"
      })
    }
    return result
  }

  escape(): string {
    const letter = this.text[this.at] ?? ""
    this.at++
    if (letter === "u") {
      const hex = this.take(hexForm)
      if (hex === undefined) throw this.fault("bad escape")
      return String.fromCharCode(Number.parseInt(hex, 16))
    }
    const plain = escapes[letter]
    if (plain === undefined) throw this.fault("bad escape")
    return plain
  }
}

const asFault = (cause: unknown): JsonFault =>
  cause instanceof JsonFault ? cause : new JsonFault({ code: "INVALID_JSON", message: "Body is not valid JSON" })

/** Reads a whole document. */
export const parse = (text: string, maxDepth: number): Result.Result<Json, JsonFault> =>
  Result.try({
    try: () => {
      const reader = new Reader(text, maxDepth)
      const value = reader.value(0)
      reader.skipBlank()
      if (reader.at < text.length) throw reader.fault("something follows the document")
      return value
    },
    catch: asFault
  })

/** JSON text in which every number is one that a double holds, nearly: for readers that have doubles only. */
export const withDoubles = (json: Json): string =>
  JSON.stringify(json, (_, value: unknown) => {
    if (!isRawNumber(value)) return value
    const double = Number(value.rawJSON)
    return Number.isFinite(double) ? double : Math.sign(double) * Number.MAX_VALUE
  })

const decoder = new TextDecoder("utf-8", { fatal: true })

/** Reads UTF-8 bytes. */
export const parseBytes = (bytes: Uint8Array, maxDepth: number): Result.Result<Json, JsonFault> =>
  Result.flatMap(
    Result.try({
      try: () => decoder.decode(bytes),
      catch: () => new JsonFault({ code: "INVALID_ENCODING", message: "Body is not valid UTF-8" })
    }),
    (text) => parse(text, maxDepth)
  )
