import { expect, it } from "vitest"
import { attemptCookie, attemptInCookie } from "../src/connect/AttemptCookie.ts"

const state = "a-state_of-twenty-four-0"

it("is sent by https alone where browsers reach the server by https", () => {
  expect(attemptCookie(state, true)).toMatch(/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/)
  expect(attemptCookie(state, false)).not.toContain("Secure")
})

it("is found among others, and only where it has its form", () => {
  const [pair] = attemptCookie(state, true).split(";")
  expect(attemptInCookie(`a=b; ${pair}; c=d`)).toBe(state)
  for (const other of [undefined, "", "a=b", `x${pair}`, "millrace_connect=short", `${pair}!`]) {
    expect(attemptInCookie(other)).toBeUndefined()
  }
})
