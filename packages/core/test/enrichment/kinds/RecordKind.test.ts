import { globSync } from "node:fs"
import { join } from "node:path"
import { NodeDigest } from "@millrace/adapters"
import { bundledKinds } from "../../../src/enrichment/Kinds.ts"
import * as bundled from "../../../src/enrichment/bundled.ts"
import { provenPatterns } from "../../../src/pattern/Pattern.ts"
import { suite } from "@millrace/testing/suite/enrichment"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import type { RecordKind } from "../../../src/enrichment/kinds/Kind.ts"
import { makeMemory, withPatterns } from "../../../src/enrichment/kinds/memory/memory.ts"
import type { MemoryConfig } from "../../../src/enrichment/kinds/memory/MemoryConfig.ts"
import { acts, idOf, learn } from "./memory/Acts.ts"
import type { Trial } from "./Trial.ts"

const noPatterns = { list: () => Effect.succeed([]), keep: () => Effect.void, idOf, versionOf: () => "" }
const remembering: RecordKind["prepare"] = (config, catalog) =>
  withPatterns(
    makeMemory({ memory: noPatterns }).prepare(config as MemoryConfig, catalog),
    learn(acts(3, "Transport", { merchantName: "TRAM TOURS" }))
  )

const every = bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 })
const kinds = every.filter((kind) => kind.family === "record")
const records = [
  { description: "TRAM TOURS", amount: "-61.2", category: "", date: "2026-05-30" },
  { description: "STARBUCKS STORE 00231 SEATTLE WA", amount: "-6.45", category: "", date: "2026-05-29" },
  { description: "Salary", amount: "2100", category: "INCOME", date: "2026-04-01" }
]

const trials: ReadonlyArray<Trial> = await Promise.all(
  globSync("**/*.trial.ts", { cwd: import.meta.dirname })
    .toSorted()
    .map(async (file) => ((await import(join(import.meta.dirname, file))) as { readonly trial: Trial }).trial)
)

it("lists every bundled kind under its type", () => {
  expect(every.map(({ type }) => type)).toEqual(Object.keys(bundled))
})

it("holds every bundled record kind to the suite", () => {
  expect(trials.map(({ type }) => type).toSorted()).toEqual(kinds.map(({ type }) => type).toSorted())
})

/** What a memory does follows from what it has learnt. */
const learnt = { ...makeMemory({ memory: noPatterns }), prepare: remembering }

for (const { type, records: more = [], ...trial } of trials) {
  const kind = type === "memory" ? learnt : kinds.find((one) => one.type === type)
  if (kind === undefined) continue
  suite(`the kind ${type}`, { ...trial, kind, dataType: "transactions", records: [...records, ...more] })
}
