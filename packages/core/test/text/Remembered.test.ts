import { describe, expect, it } from "@effect/vitest"
import { remembered } from "../../src/text/Remembered.ts"

describe("remembered", () => {
  it("reads texts once that come again before thousands of others", () => {
    const read: Array<string> = []
    const length = remembered((text) => {
      read.push(text)
      return text.length
    })
    const texts = Array.from({ length: 5_000 }, (_, n) => `text ${n}`)
    for (let slice = 0; slice < 4; slice++) {
      const own = texts.map((text) => `${slice} ${text}`)
      for (let times = 0; times < 2; times++) for (const text of own) expect(length(text)).toBe(text.length)
    }
    expect(read.length).toBe(new Set(read).size)
  })

  it("forgets what was read long before", () => {
    let count = 0
    const read = remembered(() => ++count)
    read("first")
    for (let n = 0; n < 20_000; n++) read(`${n}`)
    const before = count
    read("first")
    expect(count).toBe(before + 1)
  })
})
