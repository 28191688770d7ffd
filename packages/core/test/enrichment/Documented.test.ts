/** The examples of the recipes, as people copy them. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { plainEnrichment } from "@millrace/testing/fixture"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Option from "effect/Option"
import { expect, it } from "vitest"
import { judge, noFindings } from "../../src/enrichment/EnrichmentCheck.ts"
import { bundledKinds, kindsOf } from "../../src/enrichment/Kinds.ts"
import { ModelUse } from "../../src/enrichment/kinds/ai/ModelUse.ts"
import { EnrichmentType } from "../../src/enrichment/kinds/EnrichmentType.ts"
import type { DecisionModel } from "../../src/model/DecisionModel.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import { DataType } from "../../src/record/DataType.ts"

const recipes = join(import.meta.dirname, "../../../../docs/recipes")
/** An example may need that the server names a model. */
const model: DecisionModel = { id: "none", decide: () => Effect.succeed({ decisions: [], tokens: 0 }) }
const models = ModelUse.of({
  models: new Map([["own", model]]),
  asking: {
    keyOf: () => () => "",
    ask: () => Effect.succeed({ found: new Map(), exhausted: undefined, failures: [], pending: [] })
  },
  words: { read: () => Effect.succeed({ values: [], facts: [] }) },
  told: { begins: () => Effect.succeed(true), tell: () => Effect.void }
})
const all = bundledKinds({ patterns: provenPatterns, sha256: (text) => text, models })
const kinds = kindsOf(all)

const Example = Schema.fromJsonString(
  Schema.StructWithRest(Schema.Struct({ name: Schema.String, type: EnrichmentType, dataType: DataType }), [
    Schema.Record(Schema.String, Schema.Json)
  ])
)
const readExample = Schema.decodeUnknownOption(Example)

/** Objects that are written out in a text, of any depth. */
const objectsIn = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const open: Array<number> = []
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "{") open.push(at)
    else if (text[at] === "}") {
      const from = open.pop()
      if (from !== undefined) found.push(text.slice(from, at + 1))
    }
  }
  return found
}

const examples = readdirSync(recipes).flatMap((file) =>
  objectsIn(readFileSync(join(recipes, file), "utf8")).flatMap((text) => {
    const example = Option.getOrUndefined(readExample(text))
    return example === undefined ? [] : [{ file, example }]
  })
)

it("are there for each kind", () => {
  const shown = new Set<string>(examples.map(({ example }) => example.type))
  expect(all.map(({ type }) => type).filter((type) => !shown.has(type))).toEqual([])
})

it.each(examples.map(({ example, file }) => [example.name, file, example] as const))(
  "%s (%s) can be saved as it is",
  (_name, _file, { dataType, type, ...rest }) => {
    const found = noFindings()
    const block = `${type.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())}Config`
    expect(Object.keys(rest)).toContain(block)
    const config = (rest as { readonly [key: string]: Schema.Json })[block]!
    judge({ ...plainEnrichment(type, config), dataType }, kinds, { has: () => false }, found)
    expect([found.top, found.inside]).toEqual([[], []])
  }
)
