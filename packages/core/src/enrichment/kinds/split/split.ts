/** One booked amount, several lines, always the same sum (enrichments C7). */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { PatternEngine } from "../../../pattern/Pattern.ts"
import type { Sha256 } from "../../../shared/DerivedId.ts"
import { limits } from "../../../shared/Limits.ts"
import type { Claim, Outcome, PlanContext, RecordKind, View } from "../Kind.ts"
import { splitEventTypes } from "./SplitEvents.ts"
import { checkSplit, declaredBySplit, SplitConfig, splitStage } from "./SplitConfig.ts"
import { explainSplit, SplitEvidence, Splitter } from "./Splitter.ts"

interface PreparedSplit {
  readonly splitter: Splitter
  readonly deliver: SplitConfig["deliver"]
}

const plan = ({ deliver, splitter }: PreparedSplit, view: View, context: PlanContext): Outcome => {
  const split = splitter.split(view, context)
  if (split === undefined) return { claims: [] }
  const { ruleId: path } = split
  if (split.kind !== "lines") {
    if (split.kind === "overflow") throw new Error(split.message)
    return { claims: [{ field: "split.mismatch", value: true, path }] }
  }
  const claims: ReadonlyArray<Claim> = [{ field: "split.of", value: String(split.lines.length), path }]
  return { claims, lines: { of: split.lines, deliver } }
}

const decodeEvidence = Schema.decodeUnknownResult(SplitEvidence)

const explain = ({ evidence, field, value }: Claim): string => {
  const told = evidence === undefined ? undefined : decodeEvidence(evidence)
  return told !== undefined && Result.isSuccess(told)
    ? explainSplit(told.success, value).sentence
    : `The rule of the line set ${field} to ${JSON.stringify(value)}`
}

/** The kind `split` on an engine for patterns. */
export const makeSplit = ({
  patterns,
  sha256
}: {
  readonly patterns: PatternEngine
  readonly sha256: Sha256
}): RecordKind<SplitConfig, PreparedSplit> => ({
  type: "split",
  label: "Splits",
  family: "record",
  stage: () => splitStage,
  capabilities: {
    authority: "analysis",
    dataTypes: ["transactions", "receipts", "invoices"],
    writes: ["*"],
    emits: splitEventTypes,
    perWorkspace: limits.enrichmentsPerWorkspace
  },
  makesLines: true,
  Config: SplitConfig,
  check: (config, catalog) => checkSplit(config, catalog, patterns),
  declares: (config, catalog) =>
    new Map([
      ...declaredBySplit(config, catalog),
      ["split.parentId", "str"],
      ["split.key", "str"],
      ["split.of", "num"],
      ["split.mismatch", "bool"]
    ]),
  prepare: (config, catalog) => ({
    splitter: new Splitter(config, catalog, patterns, sha256),
    deliver: config.deliver
  }),
  plan,
  explain: (_, claim) => explain(claim)
})
