import { displayName } from "../../src/upload/DisplayName.ts"
import { expect, it } from "vitest"

it.each([
  ["march.csv", "march.csv"],
  ["  Auszug  März\t2026 .csv ", "Auszug März2026 .csv"],
  ["../../etc/passwd", "passwd"],
  ["C:\\Users\\Ada\\march.ofx", "march.ofx"],
  ["folder/", "folder"],
  ["", "statement"],
  ["   ", "statement"],
  ["..", "statement"],
  ["\u0000\u001b[31m", "[31m"],
  // Shown as "stateexe.csv" by whoever obeys the mark.
  ["state\u202evsc.exe", "statevsc.exe"],
  ["a\u2066b\u2069\u200fc\u200b.csv", "abc.csv"],
  ["two\r\nlines.csv", "twolines.csv"],
  ["half \ud800.csv", "half \ufffd.csv"],
  ["👨‍👩‍👧.csv", "👨‍👩‍👧.csv"]
])("shows %j as %j", (name, shown) => expect(displayName(name)).toBe(shown))

it("cuts by code points, before the extension", () => {
  const long = displayName(`${"😀".repeat(300)}.ofx`)
  expect([...long]).toHaveLength(200)
  expect(long.endsWith("😀.ofx")).toBe(true)
  expect([...displayName("a".repeat(201))]).toHaveLength(200)
  expect(displayName("a".repeat(200))).toBe("a".repeat(200))
})
