import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { expect, it } from "vitest"
import { settingNames } from "../src/Settings.ts"

it("names only settings that there are in the compose file of the docs", async () => {
  const text = await readFile(resolve(import.meta.dirname, "../../../docs/operating/compose.yaml"), "utf8")
  const named = [...new Set(text.match(/\b(?:MILLRACE_[A-Z_]+|DATABASE_URL)\b/g))]
  expect(named.length).toBeGreaterThan(5)
  for (const name of named) expect(Object.keys(settingNames)).toContain(name)
})
