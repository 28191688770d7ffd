import { derivedId } from "../../src/shared/DerivedId.ts"
import { expect, it } from "@effect/vitest"
import { createHash } from "node:crypto"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** The same, bit by bit. */
const reference = (...parts: ReadonlyArray<string>): string => {
  const bits = Array.from(createHash("sha256").update(JSON.stringify(parts)).digest(), (byte) =>
    byte.toString(2).padStart(8, "0")
  ).join("")
  return Array.from({ length: 26 }, (_, n) => alphabet[Number.parseInt(bits.slice(n * 5, n * 5 + 5), 2)]).join("")
}

it("derives ids from the first 130 bits of the hash", () => {
  for (let n = 0; n < 500; n++) {
    const parts = ["txn_1", `rule_${n}`, "é"]
    expect(derivedId(sha256, ...parts)).toBe(reference(...parts))
  }
})

it("tells parts apart, wherever one ends", () => {
  expect(derivedId(sha256, "ab", "c")).not.toBe(derivedId(sha256, "a", "bc"))
})
