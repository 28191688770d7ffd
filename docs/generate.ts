/**
 * Writes the pages of `docs/reference` from the code, so that they cannot differ from it.
 * `npm run docs` writes them, `npm run check:docs` fails where one is out of date.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { accessMatrix } from "@millrace/core/access"
import { scopes } from "../packages/core/src/access/Scope.ts"
import { bankTransitions } from "@millrace/core/bank"
import { deliveryTransitions } from "../packages/core/src/destination/Delivery.ts"
import { eventCatalogue } from "../packages/core/src/EventCatalogue.ts"
import { answerCodes, jobCodes, providerCodes } from "../packages/core/src/failure/ErrorCode.ts"
import { filterOperators } from "../packages/core/src/filter/FilterOperator.ts"
import { bundledKinds, starters } from "@millrace/core/enrichment"
import { jobTransitions } from "@millrace/core/job"
import { fieldsOf } from "@millrace/core/record"
import { provenPatterns } from "@millrace/core/pattern"
import { Ids, limits } from "@millrace/core"
import { plans } from "@millrace/core/workspace"
import { NodeDigest } from "@millrace/adapters"
import { bundledProviders } from "@millrace/adapters/provider"
import { Outbound } from "@millrace/core/outbound"
import { bundledDestinations, made } from "../packages/adapters/src/destination/registry.ts"
import { TableStore } from "../packages/core/src/table/TableStore.ts"
import { WorkspaceStore } from "../packages/core/src/workspace/WorkspaceStore.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { bundledCollections } from "@millrace/core/collection"
import { servedWith } from "../packages/http/src/App.ts"
import { settingNames } from "@millrace/server"
import { datesOf, Report, tableMarkdown } from "@millrace/verification/quality/Report"
import { scenes } from "@millrace/verification/quality/Scenes"
import { schemaPage } from "./SchemaPage.ts"
import { type Answer, filterTruth, groupTruth, notTruth, truthNow, truthZone } from "@millrace/testing/model"

const notice = "<!-- Written by `npm run docs`; change the code it names instead. -->\n"

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

const words = (name: string): string => name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)

const limitText = (value: number | { readonly max: number; readonly default: number }): string =>
  typeof value === "number" ? value.toLocaleString("en-US") : `${value.max}, default ${value.default}`

const diagram = (
  transitions: ReadonlyArray<{ readonly from: string; readonly event: string; readonly to: string }>
): string =>
  [
    "```mermaid",
    "stateDiagram-v2",
    ...transitions.map((row) => `  ${row.from} --> ${row.to}: ${row.event}`),
    "```"
  ].join("\n")

const codes = (title: string, list: ReadonlyArray<string>): string =>
  `## ${title}\n\n${list.map((code) => `- \`${code}\``).join("\n")}\n`

const cell = (value: unknown): string => (value === null ? "no value" : `\`${JSON.stringify(value)}\``)

const answerWord = (answer: Answer): string => (answer === null ? "unknown" : String(answer))

const truthOf = (op: string): string =>
  table(
    ["field", "clause", "value in the row: answer"],
    filterTruth
      .filter(({ clause }) => clause.op === op)
      .map(({ type, clause, answers }) => [
        type,
        `\`${JSON.stringify(clause)}\``,
        answers.map(([x, answer]) => `${cell(x)}: ${answerWord(answer)}`).join("; ")
      ])
  )

// Documents ask nothing of the use cases of collections.
const served = servedWith(
  bundledCollections.map((contract) => ({ contract, useCases: Effect.die("not served") as never }))
)
const entries = served.operations
const routes = new Map(
  Object.values(entries).map(({ id, method, path }) => [id, `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`])
)

/** The keys of a configuration, those that may be absent in brackets, with what is said of them. */
const keysOf = (config: Schema.Top): string => {
  const { schema } = Schema.toJsonSchemaDocument(config)
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : [])
  return Object.entries((schema["properties"] ?? {}) as Record<string, { readonly description?: string }>)
    .map(([key, { description }]) => {
      const name = required.has(key) ? `\`${key}\`` : `[\`${key}\`]`
      return description === undefined ? name : `${name}: ${description}`
    })
    .join("; ")
}

const destinations = await Effect.runPromise(
  Effect.provide(
    made(bundledDestinations),
    Layer.mergeAll(
      Ids.layer,
      NodeDigest.layer,
      Layer.mock(TableStore, {}),
      Layer.mock(WorkspaceStore, {}),
      Layer.mock(Outbound, {})
    )
  )
)

const quality = Schema.decodeUnknownSync(Report)(
  JSON.parse(await readFile(join(import.meta.dirname, "quality.json"), "utf8"))
)

const pages: Readonly<Record<string, string>> = {
  quality: [
    "# Quality",
    [
      "Measured by `npm run quality -- --record`, which keeps the figures in `docs/quality.json`. Each scene is played on made up",
      "accounts of which the truth is known, and everything in it follows from its seed, unless it says that its data is real.",
      "Beside what is to be reached stands the best that is known of others. The scenes are in",
      "`packages/verification/src/quality`; the tests play a small form of each."
    ].join("\n"),
    table(
      ["scene", "what happens", "measured on"],
      scenes.map(({ name, title }) => [name, title, datesOf(quality).get(name) ?? "not measured"])
    ),
    `${tableMarkdown(quality.rows)}\n`
  ].join("\n\n"),
  limits: `# Limits\n\nFrom \`packages/core/src/shared/Limits.ts\`. All are inclusive.\n\n${table(
    ["limit", "value"],
    Object.entries(limits).map(([name, value]) => [words(name), limitText(value)])
  )}\n`,
  plans: `# Plans\n\nFrom \`packages/core/src/workspace/Plan.ts\`. A dash means no limit. A first start makes a workspace on \`enterprise\`,\nwhose requests a minute are what \`MILLRACE_REQUESTS_PER_MINUTE\` says.\n\n${table(
    ["plan", "API", "requests a minute", "banks", "feeds", "fastest schedule", "history days", "rows", "MiB of files"],
    Object.entries(plans).map(([name, plan]) => [
      name,
      plan.apiAccess ? "yes" : "whoami only",
      String(plan.requestsPerMinute),
      ...[plan.banks, plan.feeds].map((limit) => String(limit ?? "-")),
      plan.fastestSchedule,
      ...[plan.historyDays, plan.rows, plan.fileBytes === undefined ? undefined : plan.fileBytes / 1_048_576].map(
        (limit) => limit?.toLocaleString("en-US") ?? "-"
      )
    ])
  )}\n`,
  scopes: `# Scopes\n\nFrom \`packages/core/src/access/Scope.ts\`. No scope implies another.\n\n${table(
    ["scope", "grants"],
    Object.entries(scopes).map(([name, grants]) => [`\`${name}\``, grants])
  )}\n`,
  operations:
    [
      "# Operations",
      [
        "From `packages/core/src/access/Operations.ts`, and `collection/bundled.ts` beside it: everything that can be asked, and",
        "who may. *Role* is the weakest role of a signed-in person; an app needs the role of the person who consented as well as its",
        "scopes. *Apps* are those of third parties: they reach all resources, their own, or none. *Tool* is the name for the Model",
        "Context Protocol."
      ].join("\n"),
      accessMatrix(Object.values(entries), served.nouns, (id) => routes.get(id))
    ].join("\n\n") + "\n",
  states:
    [
      "# States",
      "A pair of state and event that is not drawn here is refused.",
      "## Sync job",
      "From `packages/core/src/job/JobLifecycle.ts`; PostgreSQL refuses every other change as well.",
      diagram(jobTransitions),
      "## Delivery of one record",
      "From `packages/core/src/destination/Delivery.ts`.",
      diagram(deliveryTransitions),
      "## Bank",
      "From `packages/core/src/bank/BankRemoval.ts`.",
      diagram(bankTransitions)
    ].join("\n\n") + "\n",
  events: `# Events\n\nFrom \`packages/core/src/EventCatalogue.ts\`. Each workspace has one log of them, in the order in which they took effect;\nan embedding program follows it with \`Events.follow\`. Those marked as outbound are for webhook endpoints as well.\n\n${table(
    ["type", "about", "tells", "outbound"],
    eventCatalogue.map(({ outbound, subject, summary, type }) => [
      `\`${type}\``,
      subject,
      summary,
      outbound ? "yes" : ""
    ])
  )}\n`,
  errors: [
    "# Error codes",
    "From `packages/core/src/failure/ErrorCode.ts`. Which status and which recovery goes with a code is in",
    "`packages/http/src/answer/errors.ts`.",
    "",
    codes("Of answers", answerCodes),
    codes("Of providers, on answers (503) and on jobs", providerCodes),
    codes("Of jobs", jobCodes)
  ].join("\n"),
  "data-types": [
    "# Data types\n",
    "From `packages/core/src/record/BankFields.ts` and `DocumentFields.ts`. `num` is an exact decimal, written as a JSON number.\n",
    ...Object.entries(fieldsOf).map(
      ([name, fields]) =>
        `## ${name}\n\n${table(
          ["source field", "type", "label", "meaning", "always there"],
          Object.entries(fields).map(([key, spec]) => [
            `\`${key}\``,
            spec.type,
            spec.label,
            spec.item === true ? `${spec.description}; of each item` : spec.description,
            spec.required ? "yes" : ""
          ])
        )}\n`
    )
  ].join("\n"),
  enrichments: `# Enrichment kinds\n\nFrom \`packages/core/src/enrichment/bundled.ts\`: the bundled kinds. Programs add [their own](../recipes/enrichment-kind.md).\n\n${table(
    ["kind", "name", "data types", "writes"],
    bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 }).map((kind) => [
      `\`${kind.type}\``,
      kind.label,
      kind.capabilities.dataTypes.length === 9 ? "all" : kind.capabilities.dataTypes.join(", "),
      kind.capabilities.writes.map((field) => (field === "*" ? "any writable field" : field)).join(", ") || "nothing"
    ])
  )}\n\n## Starters\n\nEnrichments to take as they are, and to change afterwards: \`millrace enrichments create --starter budget --all-feeds\`\n([more](../recipes/starters.md)).\n\n${table(
    ["starter", "kind", "what is there afterwards"],
    starters.map(({ enrichment, name, summary }) => [`\`${name}\``, `\`${enrichment.type}\``, summary])
  )}\n`,
  providers: `# Providers\n\nFrom \`packages/adapters/src/provider/bundled.ts\`: the bundled kinds. Modules bring [more](../recipes/provider.md), and the\n[configuration file](../operating.md#providers) has their instances.\n\n${table(
    ["kind", "name", "config"],
    bundledProviders.map(({ Config, kind, label }) => [`\`${kind}\``, label, keysOf(Config)])
  )}\n`,
  destinations: `# Destinations\n\nFrom \`packages/adapters/src/destination/bundled.ts\`: the bundled types. Programs add [their own](../recipes/destination.md).\nEvery \`destinationConfig\` has \`type\` and may have \`onRemoved\` (\`delete\`, \`mark\`, \`keep\`); the rest is the type's own.\n\n${table(
    ["type", "name", "writes", "config"],
    destinations.map(({ capabilities, Config, label, type }) => [
      `\`${type}\``,
      label,
      capabilities.write,
      keysOf(Config)
    ])
  )}\n`,
  filters:
    [
      "# Filters",
      [
        "From `packages/testing/src/model/FilterTruth.ts`, which the tests hold every evaluator to. A clause says of a row",
        "that it is true, false or unknown; only rows of which the whole filter is true pass. Text is compared without",
        `regard to case. Here it is ${truthNow}, and days begin in ${truthZone}.`
      ].join("\n"),
      `## Groups\n\n${table(
        ["a", "b", "a and b", "a or b"],
        groupTruth.map(({ a, b, and, or }) => [a, b, and, or].map(answerWord))
      )}\n\n${table(
        ["a", "not a"],
        notTruth.map(({ a, not }) => [a, not].map(answerWord))
      )}`,
      ...filterOperators.map((op) => `## ${op}\n\n${truthOf(op)}`)
    ].join("\n\n") + "\n",
  schema: await schemaPage(),
  settings: `# Settings of the server\n\nFrom \`packages/server/src/Settings.ts\`: environment variables.\n\n${table(
    ["variable", "meaning"],
    Object.entries(settingNames).map(([name, text]) => [`\`${name}\``, text])
  )}\n`
}

const folder = join(import.meta.dirname, "reference")
const checkOnly = process.argv.includes("--check")
const stale: Array<string> = []
await mkdir(folder, { recursive: true })
for (const [name, text] of Object.entries(pages)) {
  const file = join(folder, `${name}.md`)
  const wanted = `${notice}\n${text}`
  if ((await readFile(file, "utf8").catch(() => "")) === wanted) continue
  stale.push(`docs/reference/${name}.md`)
  if (!checkOnly) await writeFile(file, wanted)
}
if (checkOnly && stale.length > 0) {
  process.stderr.write(`out of date: ${stale.join(", ")}; run npm run docs\n`)
  process.exitCode = 1
}
