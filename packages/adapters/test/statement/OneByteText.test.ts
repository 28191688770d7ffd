import { Buffer } from "node:buffer"
import { describe, expect, it } from "vitest"
import { oneByteText } from "../../src/statement/OneByteText.ts"
import { randomFrom } from "./reading.ts"

const parts = [
  "a",
  "bc",
  "ü",
  "ß",
  "é\n",
  "plain text that is longer than a word or two, and than what is copied",
  "ÿ",
  "\u0080",
  "1"
]

describe("the text of UTF-8 with a byte for each letter", () => {
  it("is the text, of every length and with letters at every place", () => {
    for (let seed = 1; seed <= 4_000; seed++) {
      const random = randomFrom(seed)
      const count = Math.floor(random() * 12)
      const text = Array.from({ length: count }, () => parts[Math.floor(random() * parts.length)]!).join("")
      const read = oneByteText(Buffer.from(text, "utf8"))
      expect(read?.text, `seed ${seed}`).toBe(text)
      expect([...(read?.codes.subarray(0, text.length + 1) ?? [])]).toEqual([...Buffer.from(text, "latin1"), 10])
    }
  })

  it("is none where a letter needs more than a byte", () => {
    for (const text of ["Ā", "aaaa€", "ü and Ж", "😀"]) expect(oneByteText(Buffer.from(text, "utf8"))).toBeUndefined()
  })
})
