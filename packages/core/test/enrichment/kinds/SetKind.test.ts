import { globSync } from "node:fs"
import { join } from "node:path"
import { NodeDigest } from "@millrace/adapters"
import { setSuite } from "@millrace/testing/suite/enrichment"
import { expect, it } from "vitest"
import { bundledKinds } from "../../../src/enrichment/Kinds.ts"
import { provenPatterns } from "../../../src/pattern/Pattern.ts"
import type { SetTrial } from "./Trial.ts"

const kinds = bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 }).filter(
  ({ family }) => family === "set"
)

const files = await Promise.all(
  globSync("**/*.setTrial.ts", { cwd: import.meta.dirname })
    .toSorted()
    .map(
      async (file) => (await import(join(import.meta.dirname, file))) as { readonly trials: ReadonlyArray<SetTrial> }
    )
)
const trials = files.flatMap((file) => file.trials)

it("holds every bundled set kind to the suite", () => {
  expect([...new Set(trials.map(({ kind }) => kind.type))].toSorted()).toEqual(kinds.map(({ type }) => type).toSorted())
})

for (const trial of trials) setSuite(`the kind ${trial.kind.type} of ${trial.dataType}`, trial)
