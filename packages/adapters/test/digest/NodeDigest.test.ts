import * as NodeDigest from "../../src/digest/NodeDigest.ts"
import { Digest } from "@millrace/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"

layer(NodeDigest.layer)("NodeDigest", (it) => {
  it.effect("gives the published SHA-256 of text and of bytes", () =>
    Effect.gen(function* () {
      const { sha256 } = yield* Digest
      const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      expect(sha256("abc")).toBe(abc)
      expect(sha256(new TextEncoder().encode("abc"))).toBe(abc)
      expect(sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
      expect(sha256("Zürich 😀")).toBe(sha256(new TextEncoder().encode("Zürich 😀")))
    })
  )

  it.effect("cuts content hashes to the first 22 characters of the same", () =>
    Effect.gen(function* () {
      const { contentHash, sha256 } = yield* Digest
      const first = Buffer.from(sha256("abc"), "hex").toString("base64url").slice(0, 22)
      expect(contentHash("abc")).toBe(first)
      expect(contentHash("abc")).toHaveLength(22)
      expect(contentHash("abd")).not.toBe(first)
    })
  )

  it.effect("signs as RFC 4231 says", () =>
    Effect.gen(function* () {
      const { sign } = yield* Digest
      const signature = Buffer.from(sign("what do ya want for nothing?", "Jefe"), "base64url").toString("hex")
      expect(signature).toBe("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    })
  )

  it.effect("compares texts of any length", () =>
    Effect.gen(function* () {
      const { equal } = yield* Digest
      expect([equal("a", "a"), equal("", ""), equal("a", "b"), equal("a", "aa"), equal("", "a")]).toEqual([
        true,
        true,
        false,
        false,
        false
      ])
    })
  )

  it.effect("makes random text of every letter and digit", () =>
    Effect.gen(function* () {
      const { randomText } = yield* Digest
      const text = randomText(20_000)
      expect(text).toMatch(/^[0-9A-Za-z]{20000}$/)
      expect(new Set(text).size).toBe(62)
      expect(randomText(44)).not.toBe(randomText(44))
      expect(randomText(0)).toBe("")
    })
  )
})
