import { spawnSync } from "node:child_process"
import { appendFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { copyRepository, root } from "./repositoryCopy.ts"

let copy = ""
beforeAll(() => {
  copy = copyRepository()
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

it("finds a file that nobody imports and an export that nobody uses, and nothing else", () => {
  writeFileSync(join(copy, "packages/core/src/shared/Planted.ts"), "export const planted = 1\n")
  appendFileSync(join(copy, "packages/core/src/shared/Jitter.ts"), "\nexport const plantedName = 1\n")
  const found = spawnSync(process.execPath, [join(root, "node_modules/knip/bin/knip.js"), "--no-progress"], {
    cwd: copy,
    encoding: "utf8"
  })
  expect(found.status).toBe(1)
  // Headings with their counts, and one line for each finding.
  const lines = found.stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s{2,}/)[0])
  expect(lines).toEqual([
    "Unused files (1)",
    "packages/core/src/shared/Planted.ts",
    "Unused exports (1)",
    "plantedName"
  ])
})
