import { execFileSync, spawnSync } from "node:child_process"
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")
let copy = ""

/** The repository as it is on disk, with the same dependencies, to plant things in. */
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "millrace-unused-"))
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024
  })
  for (const file of files.split("\0")) {
    if (file !== "" && !file.startsWith("docs/reference/")) {
      cpSync(join(root, file), join(copy, file), { force: true, recursive: true })
    }
  }
  mkdirSync(join(copy, "node_modules/@millrace"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== "@millrace" && name !== ".cache") {
      symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name))
    }
  }
  for (const name of readdirSync(join(copy, "packages"))) {
    symlinkSync(join(copy, "packages", name), join(copy, "node_modules/@millrace", name))
  }
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
