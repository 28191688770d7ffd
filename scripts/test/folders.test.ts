import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import { againstOrder, faultsOf, importsOf, ringsOf } from "../folders.ts"

const order = ["shared", "record", "rule"]
const made: Array<string> = []

/** A `src` folder with these files. */
const plant = (files: Readonly<Record<string, string>>) => {
  const src = mkdtempSync(join(tmpdir(), "folders-"))
  made.push(src)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(src, path)), { recursive: true })
    writeFileSync(join(src, path), text)
  }
  return importsOf(src)
}

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true })
})

const down = 'import { a } from "../shared/A.ts"\nimport type { B } from "./B.ts"\n'

describe("the order of folders", () => {
  it("holds in this repository", () => {
    expect(faultsOf(fileURLToPath(new URL("../..", import.meta.url)))).toEqual([])
  })

  it("lets a folder import from those before it", () => {
    const imports = plant({
      "rule/R.ts": down,
      "record/R.ts": down,
      "shared/A.ts": "",
      "Top.ts": 'import "./rule/R.ts"\n'
    })
    expect([againstOrder(imports, order), ringsOf(imports)]).toEqual([[], []])
  })

  it.each([
    ["a value", 'import { r } from "../rule/R.ts"\n'],
    ["a type", 'import type { R } from "../rule/R.ts"\n'],
    ["several lines", 'import {\n  type R,\n  r\n} from "../rule/R.ts"\n'],
    ["for its effects", 'import "../rule/R.ts"\n'],
    ["from a folder inside", 'import { l } from "../rule/lint/L.ts"\n'],
    ["a file beside the folders", 'import { k } from "../Kernel.ts"\n'],
    ["an export", 'export * from "../rule/R.ts"\n'],
    ["a late import", 'const rule = () => import("../rule/R.ts")\n'],
    ["the type of an import", 'let r: import("../rule/R.ts").R\n']
  ])("finds an import back up the order: %s", (_, text) => {
    const faults = againstOrder(plant({ "record/R.ts": text }), order)
    expect(faults).toEqual([expect.stringMatching(/^record\/R\.ts imports (rule|Kernel)/)])
  })

  it("finds a folder without a place", () => {
    expect(againstOrder(plant({ "stray/S.ts": down }), order)).toEqual([expect.stringContaining('"stray"')])
  })

  it("lets an exception name types, and says when it is not needed", () => {
    const exception = { from: "record/R.ts", to: "rule/R.ts", reason: "nothing else serves" }
    const types = plant({ "record/R.ts": 'import { type R } from "../rule/R.ts"\n' })
    expect(againstOrder(types, order, [exception])).toEqual([])
    const values = plant({ "record/R.ts": 'import { r } from "../rule/R.ts"\n' })
    expect(againstOrder(values, order, [exception])).toEqual([
      expect.stringContaining("record/R.ts imports rule/R.ts"),
      expect.stringContaining("is not needed")
    ])
  })
})

describe("rings of folders", () => {
  it("finds a ring over several folders and names each step once", () => {
    const imports = plant({
      "a/A.ts": 'import type { B } from "../b/B.ts"\n',
      "b/B.ts": 'import { c } from "./inner/C.ts"\n',
      "b/inner/C.ts": 'import { a } from "../../a/A.ts"\n',
      "d/D.ts": 'import { a } from "../a/A.ts"\n'
    })
    expect(ringsOf(imports)).toEqual([
      "folders on a ring: a/A.ts imports b/B.ts; b/B.ts imports b/inner/C.ts; b/inner/C.ts imports a/A.ts"
    ])
  })

  it("finds a folder and its own inner one on a ring", () => {
    const imports = plant({
      "rule/R.ts": 'import { l } from "./lint/L.ts"\n',
      "rule/lint/L.ts": 'import type { R } from "../R.ts"\n'
    })
    expect(ringsOf(imports)).toHaveLength(1)
  })
})
