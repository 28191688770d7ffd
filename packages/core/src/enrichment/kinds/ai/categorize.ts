/** Proposes a category out of a closed list, or abstains (enrichments C6). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Cells } from "../../../filter/Cells.ts"
import { predicate, type Predicate } from "../../../filter/Closures.ts"
import type { CachedAnswer } from "../../../model/AnswerCache.ts"
import type { PendingQuestion, Subject } from "../../../model/Asking.ts"
import { type DecisionModel, endpointOf, modelsOf } from "../../../model/DecisionModel.ts"
import { amountBand, type Features } from "../../../model/Features.ts"
import { chooseTemperature, type Example, type NaiveBayes } from "../../../model/NaiveBayes.ts"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import { conditionOf } from "../../../rule/Condition.ts"
import { ConditionGroup } from "../../../rule/ConditionGroup.ts"
import { writeProblem } from "../../../rule/FieldAccess.ts"
import { movesWithTheDay } from "../../../rule/lint/ConditionCheck.ts"
import * as Timestamp from "../../../shared/Timestamp.ts"
import { limits } from "../../../shared/Limits.ts"
import type { ModelKindNeeds } from "./ModelUse.ts"
import type { SaidValue } from "./PersonsDecisions.ts"
import {
  type Check,
  type Claim,
  EnrichmentFault,
  type Issue,
  type Outcome,
  type PlanContext,
  type RecordKind,
  type View
} from "../Kind.ts"
import { flag, modelFields, modelIssues, share } from "./AiConfig.ts"
import { budgetEvent, budgetExhausted } from "./AiEvents.ts"
import {
  amountOf,
  featuresOfRecord,
  isUntrusted,
  judgedTypes,
  partyText,
  personIn,
  questionOf,
  readParty
} from "./JudgedRecord.ts"
import {
  defaultTaxonomy,
  meaningOf,
  seededClassifier,
  TaxonomyEntry,
  unknownSeeds,
  warmClassifier
} from "./Taxonomy.ts"

export const AiCategorizeConfig = Schema.Struct({
  categories: Schema.Array(TaxonomyEntry).pipe(
    Schema.check(Schema.isBetweenLength(2, 200)),
    Schema.withDecodingDefaultKey(Effect.succeed(defaultTaxonomy))
  ),
  targetField: Schema.String.check(Schema.isBetweenLength(1, limits.mappingKeyLength)).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("category"))
  ),
  ...modelFields({ most: 20_000, usual: 2_000 }, 500_000),
  abstainBelow: share(0.8),
  /** Whether a category that the provider gave may be replaced. */
  replaceProvider: flag(true)
})
export type AiCategorizeConfig = typeof AiCategorizeConfig.Type

const stage = 70
const instructions =
  "Choose the category of each payment by who was paid and what for. direction is out for money that left the account and in for money that came; amountBand is the power of two of its size."
const uncategorized = "UNCATEGORIZED"
const transfers: ReadonlySet<string> = new Set(["TRANSFER_IN", "TRANSFER_OUT"])
const halfLifeDays = 365
const dayMillis = 86_400_000
/** Verdicts of the local classifier that are kept. */
const mostVerdicts = 20_000

export interface PreparedCategorize {
  readonly config: AiCategorizeConfig
  readonly endpoint: DecisionModel | undefined
  readonly classifier: NaiveBayes
  readonly meaning: (value: string) => string | undefined
  readonly matches: ((view: View, context: PlanContext) => boolean) | undefined
  readonly labels: ReadonlyArray<{
    readonly id: string
    readonly label: string
    readonly description?: string | undefined
  }>
  /** What was said of features, whatever record they are of. */
  readonly verdicts: Map<string, Outcome>
  /** Questions that may still be asked in this run. */
  readonly room: { keys: number }
}

export interface GatheredCategories {
  /** By record. */
  readonly answers: ReadonlyMap<string, CachedAnswer & { readonly key: string }>
  readonly failures: ReadonlyArray<string>
  readonly pending: ReadonlyArray<PendingQuestion>
}

const check = (
  config: AiCategorizeConfig,
  catalog: FieldCatalog,
  models: ReadonlyMap<string, DecisionModel>,
  patterns: PatternEngine
): Check => {
  const errors: Array<Issue> = []
  const ids = config.categories.map(({ id }) => id)
  for (const [at, id] of ids.entries()) {
    if (ids.indexOf(id) < at) errors.push({ field: `categories[${at}].id`, message: `"${id}" is there twice` })
  }
  for (const { code, entry, seed } of unknownSeeds(config.categories)) {
    errors.push({
      field: `categories[${entry}].seeds[${seed}]`,
      message: `"${code}" is no category that Millrace ships with`
    })
  }
  const problem = writeProblem(config.targetField, catalog)
  if (problem !== undefined) errors.push({ field: "targetField", message: problem })
  else if ((catalog.get(config.targetField) ?? "str") !== "str")
    errors.push({ field: "targetField", message: "must be a text field" })
  const model = modelIssues(config, catalog, stage, models, patterns)
  return { errors: [...errors, ...model.errors], lints: model.lints }
}

const matcher = (group: ConditionGroup, catalog: FieldCatalog, patterns: PatternEngine) => {
  const cells = new Cells()
  const matches: Predicate<Cells> = predicate(conditionOf(group, catalog, patterns), cells.reading)
  return ({ fields }: View, context: PlanContext): boolean => {
    cells.load(fields, context)
    return matches(cells)
  }
}

/** What is to be judged; `undefined` where nothing is asked: somebody stronger has decided, or there is nothing to go by. */
const judgedOf = ({ config, matches }: PreparedCategorize, view: View, context: PlanContext): Features | undefined => {
  const { decided, fields } = view
  const target = fields[config.targetField]
  if (decided?.has(config.targetField) === true) return undefined
  const isEmpty = target === undefined || target === null || target === "" || target === uncategorized
  if (!isEmpty && !config.replaceProvider) return undefined
  if (amountOf(fields) === "0") return undefined
  const category = decided?.has("category") === true ? undefined : fields["category"]
  const provided = typeof category === "string" && category !== "" && category !== uncategorized ? category : undefined
  if (provided !== undefined && transfers.has(provided)) return undefined
  if (matches?.(view, context) === false) return undefined
  const features = featuresOfRecord(fields, provided)
  return features.textKey === "" && features.mcc === undefined ? undefined : features
}

const thousandths = (probability: number): string => String(Math.round(probability * 1_000) / 1_000)

const claimsOf = (
  { config }: PreparedCategorize,
  value: string,
  by: "endpoint" | "local",
  probability: number,
  evidence: Schema.Json
): ReadonlyArray<Claim> => [
  { field: config.targetField, value, path: by, evidence },
  { field: "ai.confidence", value: thousandths(probability), path: by },
  { field: "ai.by", value: by, path: by }
]

const nothing: Outcome = { claims: [] }

const judgeLocally = (prepared: PreparedCategorize, features: Features): Outcome => {
  const { classifier, config, verdicts } = prepared
  const { abstainBelow } = config
  // Of the amount its size counts and nothing else: what a merchant takes again is judged once.
  const { accountType, amount, mcc, providerCategory, sign, textKey } = features
  const said = [mcc, providerCategory, accountType].map((text) => (text === undefined ? "" : `=${text}`))
  // No text that is stored has the character between them.
  const key = [textKey, sign, ...said, amountBand(amount) ?? ""].join("\0")
  const known = verdicts.get(key)
  if (known !== undefined) return known
  // What comes back from a merchant belongs where its payments do; only what nobody knows is judged as income.
  const plain = features.sign === "in" ? classifier.classify({ ...features, sign: "none" }, abstainBelow) : undefined
  const { answer, verdict } = plain?.answer === undefined ? classifier.classify(features, abstainBelow) : plain
  const [best] = verdict.top
  let outcome = nothing
  if (answer !== undefined && best !== undefined) {
    const top = verdict.top.map(({ label, probability }) => ({ label, probability: Number(thousandths(probability)) }))
    const evidence = { by: "local", text: features.textKey, top, abstainBelow }
    outcome = { claims: claimsOf(prepared, answer, "local", best.probability, evidence), matched: true }
  }
  if (verdicts.size >= mostVerdicts) verdicts.clear()
  verdicts.set(key, outcome)
  return outcome
}

const plan = (
  prepared: PreparedCategorize,
  view: View,
  context: PlanContext,
  gathered?: GatheredCategories
): Outcome => {
  const features = judgedOf(prepared, view, context)
  if (features === undefined) return nothing
  const { abstainBelow } = prepared.config
  const said = gathered?.answers.get(view.recordId)
  if (said !== undefined) {
    const { answer, key, probability } = said
    if (answer === null || probability < abstainBelow) return nothing
    const evidence = { by: "endpoint", model: prepared.endpoint?.id ?? "", key, probability, abstainBelow }
    return { claims: claimsOf(prepared, answer, "endpoint", probability, evidence), matched: true }
  }
  return judgeLocally(prepared, features)
}

/** What people said, as examples; older words count less. `month` is the first instant of the month. */
const examplesOf = (
  values: ReadonlyArray<SaidValue>,
  meaning: PreparedCategorize["meaning"],
  month: number
): ReadonlyArray<Example> =>
  values.flatMap(({ at, fields, value }): ReadonlyArray<Example> => {
    const label = meaning(value)
    if (label === undefined) return []
    const days = Math.max(0, month - Timestamp.toMillis(at)) / dayMillis
    // The record's own category may be the provider's: what a person replaced by their word teaches nothing.
    const features = featuresOfRecord(fields, undefined)
    return [{ features, label, weight: Math.max(1, Math.round(1_000 * 0.5 ** (days / halfLifeDays))) }]
  })

const monthStart = (now: number): number => {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

/** Teaches a classifier what people said. */
const taught = (
  { classifier, config }: Pick<PreparedCategorize, "classifier" | "config">,
  examples: ReadonlyArray<Example>
): NaiveBayes => {
  const own = classifier.copy()
  for (const example of examples) own.learn(example)
  chooseTemperature(
    own,
    config.categories.map(({ id }) => id),
    examples
  )
  return own
}

/** The kind `ai_categorize`. */
export const makeCategorize = ({
  models: { asking, models, told, words },
  patterns,
  sha256
}: ModelKindNeeds): RecordKind<AiCategorizeConfig, PreparedCategorize, GatheredCategories> => ({
  type: "ai_categorize",
  label: "Categories",
  family: "record",
  stage: () => stage,
  capabilities: {
    authority: "ai",
    dataTypes: judgedTypes,
    writes: ["*"],
    emits: [budgetExhausted],
    model: true,
    perWorkspace: limits.enrichmentsPerWorkspace
  },
  Config: AiCategorizeConfig,
  check: (config, catalog, workspaceId) => check(config, catalog, modelsOf(models, workspaceId), patterns),
  declares: ({ targetField }, catalog) =>
    new Map([
      ...(catalog.has(targetField) ? [] : [[targetField, "str"] as const]),
      ["ai.confidence", "num"],
      ["ai.by", "str"]
    ]),
  prepare: (config, catalog) => ({
    config,
    endpoint: undefined,
    classifier: seededClassifier(config.categories),
    meaning: meaningOf(config.categories),
    matches: config.when === undefined ? undefined : matcher(config.when, catalog, patterns),
    labels: config.categories.map(({ description, id, label }) => ({ id, label, description })),
    verdicts: new Map(),
    room: { keys: config.maxKeysPerRun }
  }),
  warm: ({ categories }) => warmClassifier(categories),
  open: Effect.fnUntraced(function* (prepared: PreparedCategorize, scope) {
    const { values } = yield* Effect.mapError(
      words.read(scope, prepared.config.targetField),
      ({ message }) => new EnrichmentFault({ reason: "input", message })
    )
    const month = monthStart(yield* Clock.currentTimeMillis)
    const examples = examplesOf(values, prepared.meaning, month)
    const endpoint = endpointOf(modelsOf(models, scope.workspaceId), prepared.config.model)
    const opened = { ...prepared, endpoint, room: { keys: prepared.config.maxKeysPerRun } }
    if (examples.length === 0) return { prepared: opened, version: "-" }
    const classifier = taught(prepared, examples)
    const version = sha256(JSON.stringify(examples)).slice(0, 22)
    return { prepared: { ...opened, classifier, verdicts: new Map() }, version }
  }),
  gathers: ({ endpoint }) => endpoint !== undefined,
  gather: Effect.fnUntraced(
    function* (prepared, views, scope) {
      const { config, endpoint, labels, room } = prepared
      const wanted = views.flatMap((view) => {
        const features = judgedOf(prepared, view, scope)
        if (features === undefined || features.textKey === "") return []
        const text = partyText(view.fields)
        // Names of people are private.
        if (personIn(readParty(text)) !== undefined) return []
        const subject: Subject = { input: questionOf(features), text, untrusted: isUntrusted(view.fields) }
        return [{ recordId: view.recordId, subject }]
      })
      const inquiry = {
        workspaceId: scope.workspaceId,
        enrichmentId: scope.enrichmentId,
        task: "categorize",
        instructions,
        labels,
        model: endpoint,
        subjects: wanted.map(({ subject }) => subject),
        mayAsk: scope.mayAsk,
        allowUntrusted: config.allowUntrusted,
        room,
        monthlyTokens: config.monthlyTokens,
        accepts: () => true
      }
      const { exhausted, failures, found, pending } = yield* asking.ask(inquiry)
      if (exhausted !== undefined) {
        yield* told.tell(scope, [budgetEvent(scope, yield* Clock.currentTimeMillis, exhausted)])
      }
      const keyOf = asking.keyOf(inquiry)
      const answers = new Map<string, CachedAnswer & { readonly key: string }>()
      for (const { recordId, subject } of wanted) {
        const key = keyOf(subject)
        const answer = found.get(key)
        if (answer !== undefined) answers.set(recordId, { ...answer, key })
      }
      return { answers, failures, pending }
    },
    Effect.mapError(({ message }) => new EnrichmentFault({ reason: "model", message }))
  ),
  complaints: ({ failures }) => failures,
  pending: ({ pending }) => pending,
  plan,
  movesWithTheDay: ({ when }, catalog) => when !== undefined && movesWithTheDay(when, catalog, patterns),
  explain: (_, { evidence, field, path, value }) => {
    if (field === "ai.by") return path === "local" ? "The local classifier decided" : "The model decided"
    if (field === "ai.confidence") return `How sure it was, from 0 to 1: ${String(value)}`
    const top = Schema.decodeUnknownOption(LocalEvidence)(evidence)
    if (top._tag === "None")
      return `A model said ${JSON.stringify(value)} of this text before or now, and was sure enough`
    const seen = top.value.top.map(({ label, probability }) => `${label} ${probability}`).join(", ")
    return `${JSON.stringify(top.value.text)} looks most like ${JSON.stringify(value)}: ${seen}; needed are ${top.value.abstainBelow} and twice the next`
  }
})

const LocalEvidence = Schema.Struct({
  text: Schema.String,
  abstainBelow: Schema.Finite,
  top: Schema.Array(Schema.Struct({ label: Schema.String, probability: Schema.Finite }))
})
