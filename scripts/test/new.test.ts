import { spawnSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { copied } from "../new.ts"
import { copyRepository, root } from "./repositoryCopy.ts"

let copy = ""
beforeAll(() => {
  copy = copyRepository()
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const run = (...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8" })
  expect(status, stdout + stderr).toBe(0)
  return stdout
}

const source = "--conditions=@millrace/source"

describe("npm run new", () => {
  it("makes an operation in three files, which is served, documented and tested", () => {
    const made = run(source, "scripts/new.ts", "operation", "countIdle", "--noun", "feeds")
    expect(made.split("\n").filter((line) => line.endsWith(".ts") && line.startsWith("packages/"))).toHaveLength(3)
    run(source, "scripts/operations.ts")
    run("node_modules/typescript/bin/tsc", "-p", "packages/core/tsconfig.build.json", "--noEmit")
    run("node_modules/vitest/vitest.mjs", "run", "packages/core/test/feed/CountIdle.test.ts")
    expect(readFileSync(join(copy, "packages/core/src/access/catalogue.generated.ts"), "utf8")).toContain("countIdle")
  })

  // The examples that are copied have tests of their own.
  it.each(["provider", "kind", "destination", "collection"])(
    "makes a %s of the example, under its own name",
    (what) => {
      const made = copied(root, [what, "villageRecords"])
      if (typeof made === "string") throw new Error(made)
      expect(made.files.map(([path]) => path)).toEqual(
        expect.arrayContaining(["examples/village-records.ts", "examples/test/village-records.test.ts"])
      )
      const texts = made.files.map(([, text]) => text).join("\n")
      expect(texts).toMatch(/village_?records|villageRecords/i)
      expect(texts).not.toMatch(/\b(?:listbank|firstWord|first_word|rowStore|row_store|createNote)\b/)
    }
  )

  it("says what it takes, and names the nouns that there are", () => {
    expect(copied(root, ["thing", "a"])).toContain("npm run new -- operation <id> --noun <noun>")
    expect(copied(root, ["operation", "countIdle", "--noun", "nothing"])).toContain("there are identity, workspaces")
    expect(copied(root, ["operation", "listFeeds", "--noun", "feeds"])).toContain("already")
  })
})
