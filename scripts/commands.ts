/**
 * Writes what the command line knows of the bundled operations, from the API's own document: a new operation has a command
 * without an edit of the command line, which loads data and none of the use cases.
 *
 * `node --conditions=@millrace/source scripts/commands.ts` writes it; with `--check` it ends with 1 where it is out of date.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as OpenApi from "effect/http-api/OpenApi"
import { starters } from "@millrace/core/enrichment"
import { Api } from "@millrace/http/client"
import type { DerivedOperation } from "../packages/cli/src/commands/Derived.ts"
import { groupsOf } from "../packages/cli/src/commands/FromDocument.ts"

const path = fileURLToPath(new URL("../packages/cli/src/commands/operations.generated.ts", import.meta.url))

/** Prepared bodies, by the operation that takes them. */
const prepared: Readonly<Record<string, ReadonlyArray<string>>> = { createEnrichment: starters.map(({ name }) => name) }

const withStarters = (operation: DerivedOperation): DerivedOperation => {
  const names = prepared[operation.id]
  return names === undefined ? operation : { ...operation, starters: names }
}

const groups = groupsOf(OpenApi.fromApi(Api)).map(({ description, name, operations }) =>
  [
    `  { name: ${JSON.stringify(name)}, description: ${JSON.stringify(description)}, operations: [`,
    operations.map((operation) => `    ${JSON.stringify(withStarters(operation))}`).join(",\n"),
    "  ] }"
  ].join("\n")
)

const text = [
  "// Written by `npm run generate` from the definitions in */operations of the kernel. Do not edit.",
  'import type { Group } from "./Derived.ts"',
  "",
  "/** The bundled operations that have commands, in groups by their first words. */",
  "export const groups: ReadonlyArray<Group> = [",
  groups.join(",\n"),
  "]",
  ""
].join("\n")

if (!existsSync(path) || readFileSync(path, "utf8") !== text) {
  if (process.argv.includes("--check")) {
    process.stderr.write(`Out of date: ${path}. Run npm run generate.\n`)
    process.exitCode = 1
  } else writeFileSync(path, text)
}
