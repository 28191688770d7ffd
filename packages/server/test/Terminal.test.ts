import { describe, expect, it } from "vitest"
import { logFormOf } from "../src/LogForm.ts"
import { wrapped } from "../src/WrappedText.ts"

describe("text for a terminal", () => {
  it("is broken between words and loses nothing, and no line is wider than the screen but for a single word", () => {
    const letters = "abcdefghij0123456789:/ß"
    for (let width = 1; width <= 80; width++) {
      const words = Array.from({ length: width }, (_, at) => letters.repeat(2).slice(0, (at * width + at) % 31))
      const text = words.join(" ")
      const lines = wrapped(text, width)
      expect(lines.join(" ")).toBe(text)
      for (const line of lines) expect(line.length <= width || !line.includes(" ")).toBe(true)
    }
  })

  it("counts no colours", () => {
    expect(wrapped("\u001b[1mone\u001b[0m two", 7)).toEqual(["\u001b[1mone\u001b[0m two"])
    expect(wrapped("\u001b[1mone\u001b[0m two", 6)).toEqual(["\u001b[1mone\u001b[0m", "two"])
  })
})

it("writes the log for people, and for programs where that is asked for or in production", () => {
  expect(logFormOf({})).toBe("text")
  expect(logFormOf({ NODE_ENV: "production" })).toBe("json")
  expect(logFormOf({ MILLRACE_LOG: "text", NODE_ENV: "production" })).toBe("text")
  expect(logFormOf({ MILLRACE_LOG: " JSON " })).toBe("json")
  expect(logFormOf({ MILLRACE_LOG: "xml" })).toBeUndefined()
})
