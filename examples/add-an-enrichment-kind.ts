/**
 * An enrichment kind of your own: one object in one file.
 *
 * This one writes a category by the first word of the description. Its default export is an extension, so the bundled
 * server has it by a line in its configuration file, `"modules": ["./add-an-enrichment-kind.ts"]`; a program that embeds the
 * kernel gives it to `Adapters.layer({ enrichments: [firstWord] })`. The suite in `@millrace/testing/suite/enrichment` checks
 * a kind, and `test/add-an-enrichment-kind.test.ts` runs it
 * against this one. Run the example with `node --conditions=@millrace/source examples/add-an-enrichment-kind.ts`.
 */
import { NodeDigest } from "@millrace/adapters"
import { Re2Patterns } from "@millrace/adapters/pattern"
import { bundledKinds, kindsOf, Pipeline, type RecordKind, RunWork } from "@millrace/core/enrichment"
import { Patterns } from "@millrace/core/pattern"
import { CalendarDate, Ids, Timestamp } from "@millrace/core"
import { extension } from "@millrace/core/extension"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const Config = Schema.Struct({ categories: Schema.Record(Schema.String, Schema.String) })

export const firstWord: RecordKind<typeof Config.Type, ReadonlyMap<string, string>> = {
  type: "first_word",
  label: "First words",
  family: "record",
  // After the rules that clean text, before those that read categories.
  stage: () => 30,
  capabilities: { authority: "lookup", dataTypes: ["transactions"], writes: ["category"], perWorkspace: 200 },
  Config,
  // What the schema cannot find, with the path of each fault.
  check: ({ categories }) => {
    const words = Object.keys(categories).map((word) => word.toLowerCase())
    const errors = Object.keys(categories).flatMap((word, n) => {
      const field = `categories.${word}`
      if (!/^\S+$/u.test(word)) return [{ field, message: "must be a single word" }]
      return words.indexOf(words[n]!) < n ? [{ field, message: "is there twice: capital letters do not count" }] : []
    })
    return { errors, lints: [] }
  },
  declares: () => new Map(),
  prepare: (config) => new Map(Object.entries(config.categories).map(([word, name]) => [word.toLowerCase(), name])),
  // Pure: the same record gives the same claims, whenever and wherever it runs.
  plan: (categories, { fields }) => {
    const word = String(fields["description"] ?? "")
      .trim()
      .split(/\s+/u)[0]!
      .toLowerCase()
    const value = categories.get(word)
    return { claims: value === undefined ? [] : [{ field: "category", value, path: word }] }
  },
  explain: (_, claim) => `The description begins with "${claim.path}"`
}

export default extension({ enrichments: [firstWord] })

export const program = Effect.gen(function* () {
  const ids = yield* Ids
  const now = yield* Timestamp.now
  const pipeline = Pipeline.compile(
    [
      {
        id: yield* ids.next("enrichment"),
        workspaceId: yield* ids.next("workspace"),
        name: "First words",
        type: "first_word",
        enabled: true,
        order: 10,
        dataType: "transactions",
        feedIds: [],
        allFeeds: true,
        config: { categories: { bakery: "Food" } },
        createdBy: "usr_example",
        createdAt: now,
        updatedAt: now,
        version: 1,
        revision: 1
      }
    ],
    "transactions",
    kindsOf([...bundledKinds({ patterns: yield* Patterns, sha256: NodeDigest.sha256 }), firstWord])
  )
  const view = { recordId: "txn_1", fields: { description: "BAKERY 12", amount: "-4.8", category: "UNCATEGORIZED" } }
  return Pipeline.run(pipeline, view, { today: CalendarDate.make("2026-01-06"), work: new RunWork() })
}).pipe(Effect.provide([Ids.layer, Re2Patterns.layer]))

if (import.meta.main) {
  const { changes } = await Effect.runPromise(program)
  for (const { after, before, field, path } of changes) {
    process.stdout.write(`${field}: ${String(before)} -> ${String(after)} (because of "${path}")\n`)
  }
}
