/**
 * Patterns that read a field after something has changed its case: `matches INV-[0-9]+` finds nothing once a rule has made
 * title case of the text (enrichments E6).
 */
import type { Issue } from "../Check.ts"

/** A pattern that tells capital letters from small ones, and where it stands in the configuration. */
interface CaseRead {
  readonly field: string
  readonly at: string
}

interface CaseUse {
  readonly reads: ReadonlyArray<CaseRead>
  /** Fields whose case an action changes. */
  readonly writes: ReadonlySet<string>
}

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

/** Folds case from its beginning on, or has no letter. */
const ignoresCase = (pattern: string): boolean =>
  /^\(\?[a-z]*i[a-z]*\)/.test(pattern) || !/\p{L}/u.test(pattern.replaceAll(/\\./g, ""))

const isPatternOperator = (operator: unknown): boolean =>
  typeof operator === "string" && /^(?:not)?(?:matches|regex)$/.test(operator.toLowerCase().replaceAll(/[-_\s]/g, ""))

const readOf = (node: Node): string | undefined => {
  if (isPatternOperator(node["operator"]) && typeof node["field"] === "string" && typeof node["value"] === "string") {
    return ignoresCase(node["value"]) ? undefined : node["field"]
  }
  if (
    node["kind"] === "regexExtract" &&
    typeof node["source"] === "string" &&
    typeof node["pattern"] === "string" &&
    !ignoresCase(node["pattern"])
  ) {
    return node["source"]
  }
  return undefined
}

/** What the conditions and actions inside of a configuration, or of a part of one, read and write. */
export const caseUse = (config: unknown, path = ""): CaseUse => {
  const reads: Array<CaseRead> = []
  const writes = new Set<string>()
  const visit = (value: unknown, at: string): void => {
    if (Array.isArray(value)) for (const [index, one] of value.entries()) visit(one, `${at}[${index}]`)
    if (!isNode(value)) return
    const field = readOf(value)
    if (field !== undefined) reads.push({ field, at })
    if (value["kind"] === "case" && typeof value["field"] === "string") writes.add(value["field"])
    for (const [name, inner] of Object.entries(value)) visit(inner, at === "" ? name : `${at}.${name}`)
  }
  visit(config, path)
  return { reads, writes }
}

/** Reads that come after something which changes the case of their field; `by` says what that is. */
export const caseIssues = (
  reads: ReadonlyArray<CaseRead>,
  writes: ReadonlySet<string>,
  by: string
): ReadonlyArray<Issue> =>
  reads.flatMap(({ at, field }) =>
    writes.has(field)
      ? [{ field: at, message: `sees ${field} after ${by} has changed its case: begin the pattern with (?i)` }]
      : []
  )
