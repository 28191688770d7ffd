/** A stable merchant for every record: name, id and key (enrichments C3). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Cells } from "../../../filter/Cells.ts"
import { predicate } from "../../../filter/Closures.ts"
import type { PendingQuestion, Subject } from "../../../model/Asking.ts"
import { type DecisionModel, endpointOf, modelsOf } from "../../../model/DecisionModel.ts"
import { dataText } from "../../../model/ModelPrompt.ts"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import { conditionOf } from "../../../rule/Condition.ts"
import { ConditionGroup } from "../../../rule/ConditionGroup.ts"
import { movesWithTheDay } from "../../../rule/lint/ConditionCheck.ts"
import { derivedId, type Sha256 } from "../../../shared/DerivedId.ts"
import { limits } from "../../../shared/Limits.ts"
import { merchantKey, textKey as textKeyOf } from "../../../text/TextKey.ts"
import { titleCase } from "../../../text/TitleCase.ts"
import type { ModelKindNeeds } from "./ModelUse.ts"
import type { Said } from "./PersonsDecisions.ts"
import type { TellableEvent } from "./OnceOnlyEvents.ts"
import { type Claim, EnrichmentFault, type Outcome, type PlanContext, type RecordKind, type View } from "../Kind.ts"
import type { FactRequest } from "../EnrichmentFact.ts"
import { modelFields, modelIssues, share } from "./AiConfig.ts"
import { budgetEvent, budgetExhausted, merchantCreated, merchantMerged } from "./AiEvents.ts"
import { isUntrusted, judgedTypes, partyText, personIn, readParty } from "./JudgedRecord.ts"
import { isExtractive, MerchantResolver, noNames, type PeoplesNames, type Resolved } from "./MerchantResolver.ts"

export const AiMerchantConfig = Schema.Struct({
  ...modelFields({ most: 5_000, usual: 500 }, 200_000),
  minConfidence: share(0.8),
  /** What a record is called about which nobody knows anything: its own text, or nothing. */
  fallback: Schema.Literals(["title", "none"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("title" as const)))
})
export type AiMerchantConfig = typeof AiMerchantConfig.Type

const stage = 40
const instructions =
  "Give the name of the merchant that each text names, as people know it, without towns, codes, forms of companies and payment services. Answer null where it names none, or a private person."
const mergeField = "merchant "

export interface PreparedMerchant {
  readonly config: AiMerchantConfig
  readonly endpoint: DecisionModel | undefined
  readonly resolver: MerchantResolver
  /** What was made of texts, whatever record they are of: `knownOf`. */
  readonly known: Map<string, Known>
  readonly matches: ((view: View, context: PlanContext) => boolean) | undefined
  /** Whose merchants they are: ids of others are others. */
  readonly workspaceId: string
  readonly idOf: (name: string) => string
  readonly merges: ReadonlyArray<{ readonly factId: string; readonly from: string; readonly into: string }>
  /** Counted down in a run; `quiet` in the first one, whose merchants are no news. */
  readonly room: { keys: number; quiet?: boolean; readonly told: Set<string> }
}

export interface GatheredMerchants {
  /** By text key: what a model says. */
  readonly names: ReadonlyMap<string, string>
  readonly failures: ReadonlyArray<string>
  readonly pending: ReadonlyArray<PendingQuestion>
}

/** Names that people gave: by the texts of records whose merchant they set, and by merges of whole merchants. */
const namesOf = ({ facts, values }: Said): PeoplesNames & { readonly told: PreparedMerchant["merges"] } => {
  const aliases = new Map<string, string>()
  const merges = new Map<string, string>()
  const told: Array<PreparedMerchant["merges"][number]> = []
  for (const { fields, value } of values) {
    const { textKey } = readParty(partyText(fields))
    if (textKey !== "" && value.trim() !== "") aliases.set(textKey, value.trim())
  }
  for (const { field, id, kind, value } of facts) {
    if (kind !== "accept" || field?.startsWith(mergeField) !== true || typeof value !== "string" || value === "")
      continue
    const from = field.slice(mergeField.length)
    merges.set(merchantKey(textKeyOf(from)), value)
    told.push({ factId: id, from, into: value })
  }
  return { aliases, merges, told }
}

/** What a person decides who says that two merchants are one: taken back, both have their former ids again. */
export const mergeOf = (enrichmentId: FactRequest["enrichmentId"], from: string, into: string): FactRequest => ({
  kind: "accept",
  ...(enrichmentId === undefined ? {} : { enrichmentId }),
  field: `${mergeField}${from}`,
  value: into
})

const textIn = (value: View["fields"][string] | undefined): string => (typeof value === "string" ? value : "")

interface Party {
  readonly textKey: string
  readonly processor: string
  readonly text: string
  /** The name that the provider gave; `""` where there is none, or an enrichment has decided the field. */
  readonly providerName: string
}

/** What is said of a party, and whether it is a private person. */
interface Known {
  readonly outcome: Outcome
  readonly isPerson: boolean
  /** The merchant, where it is one that has a key. */
  readonly merchant: { readonly name: string; readonly id: string } | undefined
}

/** Parties whose statements are kept. */
const mostKnown = 8_192

const partyOf = (
  { config, matches }: Pick<PreparedMerchant, "config" | "matches">,
  view: View,
  context: PlanContext
): Party | undefined => {
  if (config.when !== undefined && matches?.(view, context) !== true) return undefined
  const { fields } = view
  const text = partyText(fields)
  const reading = readParty(text)
  const name = textIn(fields["merchantName"])
  if (reading.textKey === "" && name === "") return undefined
  return { ...reading, text, providerName: name }
}

const claim = (field: string, value: string | null, path: string, evidence: Schema.Json): Claim => ({
  field,
  value,
  path,
  evidence
})

const resolved = (
  { config, resolver }: PreparedMerchant,
  { providerName, textKey }: Party,
  said: string | undefined
): Resolved | undefined =>
  resolver.resolve(textKey, providerName) ??
  (said === undefined ? undefined : resolver.byModel(said)) ??
  (config.fallback === "title" ? resolver.derived(textKey) : undefined)

const nothing: Outcome = { claims: [] }

const judged = (prepared: PreparedMerchant, party: Party, said: string | undefined): Known => {
  const { processor, textKey } = party
  const person = personIn(party)
  const isPerson = person !== undefined
  const processorOf = (step: string, evidence: Schema.Json) =>
    processor === "" ? [] : [claim("processor", processor, step, evidence)]
  if (isPerson && prepared.resolver.resolve(textKey, "") === undefined) {
    const evidence = { step: "person", by: textKey, text: textKey }
    const claims = [claim("merchantName", titleCase(person), "person", evidence), ...processorOf("person", evidence)]
    return { outcome: { claims, matched: true }, isPerson, merchant: undefined }
  }
  const found = resolved(prepared, party, said)
  if (found === undefined) return { outcome: nothing, isPerson, merchant: undefined }
  const { by, name, step } = found
  const key = merchantKey(textKeyOf(name))
  const evidence = { step, by, text: textKey }
  const merchant = key === "" ? undefined : { name, id: prepared.idOf(key) }
  const named =
    merchant === undefined
      ? []
      : [claim("merchantId", merchant.id, step, evidence), claim("merchantKey", key, step, evidence)]
  const claims = [claim("merchantName", name, step, evidence), ...named, ...processorOf(step, evidence)]
  return { outcome: { claims, matched: true }, isPerson, merchant }
}

/** The same texts lead to the same merchant, and come again and again. */
const knownOf = (prepared: PreparedMerchant, party: Party, said?: string): Known => {
  if (said !== undefined) return judged(prepared, party, said)
  const { known } = prepared
  const { processor, providerName, textKey } = party
  // Neither of the first two has a line break in it.
  const key = processor === "" && providerName === "" ? textKey : `${textKey}\n${processor}\n${providerName}`
  let found = known.get(key)
  if (found === undefined) {
    if (known.size >= mostKnown) known.clear()
    known.set(key, (found = judged(prepared, party, said)))
  }
  return found
}

const plan = (prepared: PreparedMerchant, view: View, context: PlanContext, gathered?: GatheredMerchants): Outcome => {
  const party = partyOf(prepared, view, context)
  return party === undefined ? nothing : knownOf(prepared, party, gathered?.names.get(party.textKey)).outcome
}

const matcher = (group: ConditionGroup, catalog: FieldCatalog, patterns: PatternEngine) => {
  const cells = new Cells()
  const matches = predicate(conditionOf(group, catalog, patterns), cells.reading)
  return ({ fields }: View, context: PlanContext): boolean => {
    cells.load(fields, context)
    return matches(cells)
  }
}

const ids = (sha256: Sha256, workspaceId: string) => {
  const known = new Map<string, string>()
  return (key: string): string => {
    const found = known.get(key) ?? `mrc_${derivedId(sha256, workspaceId, "merchant", key)}`
    known.set(key, found)
    return found
  }
}

const sentences: Readonly<Record<string, string>> = {
  alias: "a person gave records with this text that name",
  provider: "the provider names it, and the text agrees",
  dictionary: "the text is one of a merchant that Millrace knows",
  nearest: "no name that is known is nearer to the text",
  model: "a model found the name in the text",
  derived: "nothing else is known of the text",
  person: "the text names a private person"
}

/** The kind `ai_merchant`. */
export const makeMerchant = ({
  models: { asking, models, told, words },
  patterns,
  sha256
}: ModelKindNeeds): RecordKind<AiMerchantConfig, PreparedMerchant, GatheredMerchants> => ({
  type: "ai_merchant",
  label: "Merchants",
  family: "record",
  stage: () => stage,
  capabilities: {
    authority: "ai",
    dataTypes: judgedTypes,
    writes: ["merchantName", "merchantId", "merchantKey", "processor"],
    emits: [merchantCreated, merchantMerged, budgetExhausted],
    model: true,
    perWorkspace: limits.enrichmentsPerWorkspace
  },
  Config: AiMerchantConfig,
  check: (config, catalog, workspaceId) => modelIssues(config, catalog, stage, modelsOf(models, workspaceId), patterns),
  declares: (_, catalog) =>
    new Map([
      ...(catalog.has("merchantName") ? [] : [["merchantName", "str"] as const]),
      ["merchantId", "str"],
      ["merchantKey", "str"],
      ["processor", "str"]
    ]),
  prepare: (config, catalog) => ({
    config,
    endpoint: undefined,
    resolver: new MerchantResolver(noNames),
    known: new Map(),
    matches: config.when === undefined ? undefined : matcher(config.when, catalog, patterns),
    workspaceId: "",
    idOf: ids(sha256, ""),
    merges: [],
    room: { keys: config.maxKeysPerRun, told: new Set() }
  }),
  warm: () => Effect.sync(() => void new MerchantResolver(noNames)),
  open: Effect.fnUntraced(function* (prepared: PreparedMerchant, scope) {
    const said = yield* Effect.mapError(
      words.read(scope, "merchantName"),
      ({ message }) => new EnrichmentFault({ reason: "input", message })
    )
    const { aliases, merges, told: merged } = namesOf(said)
    const version = sha256(JSON.stringify([[...aliases], [...merges]])).slice(0, 22)
    const opened: PreparedMerchant = {
      ...prepared,
      endpoint: endpointOf(modelsOf(models, scope.workspaceId), prepared.config.model),
      resolver: aliases.size + merges.size === 0 ? prepared.resolver : new MerchantResolver({ aliases, merges }),
      known: new Map(),
      workspaceId: scope.workspaceId,
      idOf: ids(sha256, scope.workspaceId),
      merges: merged,
      room: { keys: prepared.config.maxKeysPerRun, told: new Set() }
    }
    return { prepared: opened, version: aliases.size + merges.size === 0 ? "-" : version }
  }),
  gather: Effect.fnUntraced(
    function* (prepared, views, scope) {
      const { config, endpoint, resolver, room } = prepared
      const parties: Array<{ readonly view: View; readonly party: Party; readonly known: Known }> = []
      for (const view of views) {
        const party = partyOf(prepared, view, scope)
        if (party === undefined) continue
        const known = knownOf(prepared, party)
        if (!known.isPerson) parties.push({ view, party, known })
      }
      const wanted =
        endpoint === undefined
          ? []
          : parties.filter(
              ({ party: { providerName, textKey } }) =>
                textKey !== "" && resolver.resolve(textKey, providerName) === undefined
            )
      const subjects = wanted.map(({ party, view }): Subject => ({
        input: { text: dataText(party.textKey) },
        text: party.text,
        untrusted: isUntrusted(view.fields)
      }))
      const inquiry = {
        workspaceId: scope.workspaceId,
        enrichmentId: scope.enrichmentId,
        task: "merchant",
        instructions,
        model: endpoint,
        subjects,
        mayAsk: scope.mayAsk,
        allowUntrusted: config.allowUntrusted,
        room,
        monthlyTokens: config.monthlyTokens,
        accepts: ({ input }: Subject, answer: string) =>
          resolver.canonical(answer) !== undefined || isExtractive(answer, textOfInput(input))
      }
      const { exhausted, failures, found, pending } = endpoint === undefined ? noAnswers : yield* asking.ask(inquiry)
      const keyOf = asking.keyOf(inquiry)
      const names = new Map<string, string>()
      for (const [at, { party }] of wanted.entries()) {
        const said = endpoint === undefined ? undefined : found.get(keyOf(subjects[at]!))
        // A name that is no text of the record is taken for none, no matter who kept it.
        if (said === undefined || said.answer === null || said.probability < config.minConfidence) continue
        if (inquiry.accepts(subjects[at]!, said.answer)) names.set(party.textKey, dataText(said.answer))
      }
      if (scope.mayAsk) {
        const events: Array<TellableEvent> = []
        const of = { workspaceId: scope.workspaceId, cause: { kind: "system", reason: "enrichment" } } as const
        const now = yield* Clock.currentTimeMillis
        if (exhausted !== undefined) events.push(budgetEvent(scope, now, exhausted))
        for (const { factId, from, into } of prepared.merges) {
          const subjectId = prepared.idOf(merchantKey(textKeyOf(into)))
          events.push({ key: `merged ${factId}`, event: merchantMerged.of({ ...of, subjectId, data: { from, into } }) })
        }
        room.quiet ??= yield* told.begins(scope)
        const seen = new Set<string>()
        for (const { known, party } of parties) {
          const said = names.get(party.textKey)
          const { merchant } = said === undefined ? known : knownOf(prepared, party, said)
          if (merchant === undefined || seen.has(merchant.id) || room.told.has(merchant.id)) continue
          const { id, name } = merchant
          seen.add(id)
          const event = room.quiet ? undefined : merchantCreated.of({ ...of, subjectId: id, data: { name } })
          events.push({ key: id, event })
        }
        yield* told.tell(scope, events)
        if (room.told.size >= mostKnown) room.told.clear()
        for (const id of seen) room.told.add(id)
      }
      return { names, failures, pending }
    },
    Effect.mapError(({ message }) => new EnrichmentFault({ reason: "model", message }))
  ),
  complaints: ({ failures }) => failures,
  pending: ({ pending }) => pending,
  plan,
  movesWithTheDay: ({ when }, catalog) => when !== undefined && movesWithTheDay(when, catalog, patterns),
  explain: (_, { field, path, value }) => `${field} is ${JSON.stringify(value)}: ${sentences[path] ?? path}`
})

const noAnswers = { exhausted: undefined, failures: [], pending: [], found: new Map<string, never>() }

const inputText = Schema.decodeUnknownOption(Schema.Struct({ text: Schema.String }))
const textOfInput = (input: Schema.Json): string => {
  const read = inputText(input)
  return read._tag === "Some" ? read.value.text : ""
}
