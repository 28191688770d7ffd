/** Decoding of documents in which a misspelt key changes the meaning: every fault at its path (decisions 1.4). */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"
import { faultText } from "./FaultText.ts"
import { issueFaults } from "./IssueFaults.ts"

/** What is wrong, and where: a path such as `rules[2].action.pattern`, `""` for the whole. */
export interface Fault {
  readonly field: string
  readonly message: string
}

/** `["rules", 2, "action"]` -> `rules[2].action`. */
export const pathText = (path: ReadonlyArray<PropertyKey>): string => {
  let text = ""
  for (const part of path)
    text += typeof part === "number" ? `[${part}]` : text === "" ? String(part) : `.${String(part)}`
  return text
}

interface Found {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
  /** The shape itself is another one: a missing, unexpected or differently tagged key. */
  readonly shape: boolean
}

const sentence = (message: string): string => (message === "Missing key" ? "is missing" : faultText(message))

/** Keys whose value says which branch is meant. */
const discriminators: ReadonlySet<PropertyKey | undefined> = new Set(["kind", "logic"])

/** How far a branch is from what was sent: other keys at its own level weigh most. */
const distance = (found: ReadonlyArray<Found>, depth: number): number => {
  let score = 0
  for (const { path, shape } of found)
    score +=
      path.length <= depth
        ? 1_000
        : shape && path.length === depth + 1
          ? discriminators.has(path[depth])
            ? 1_000
            : 10
          : 1
  return score
}

const collect = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Found> => {
  switch (issue._tag) {
    case "Pointer":
      if (issue.issue._tag === "MissingKey") break
      return collect(issue.issue, [...path, ...issue.path])
    case "Encoding":
      return collect(issue.issue, path)
    case "Composite":
      return issue.issues.flatMap((inner) => collect(inner, path))
    case "AnyOf": {
      // The branch that comes nearest to what was sent tells best what is wrong with it.
      const branches = issue.issues.map((inner) => collect(inner, path))
      if (branches.every((found) => found.every(({ path: at }) => at.length === path.length))) break
      const ranked = branches.map((found) => ({ found, score: distance(found, path.length) }))
      return ranked.reduce((best, next) => (next.score < best.score ? next : best)).found
    }
    default:
  }
  const shape =
    issue._tag === "Pointer" ||
    issue._tag === "MissingKey" ||
    issue._tag === "UnexpectedKey" ||
    ((issue._tag === "InvalidType" || issue._tag === "AnyOf") && discriminators.has(path.at(-1)))
  return issueFaults(issue, path).map(({ message, path: at }) => ({ path: at, message: sentence(message), shape }))
}

const maxFaults = 100

/** Every fault of the shape, at most 100; unknown keys are faults. */
export const decode = <A>(schema: Schema.Codec<A, unknown>, input: unknown): Result.Result<A, ReadonlyArray<Fault>> =>
  Result.mapError(
    SchemaParser.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(input),
    (issue) =>
      collect(issue, [])
        .slice(0, maxFaults)
        .map(({ path, message }) => ({ field: pathText(path), message }))
  )
