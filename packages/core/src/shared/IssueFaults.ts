/** Faults of a value that does not fit its schema, each at its path, in the words of the framework but for two that name types. */
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"

export interface IssueFault {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The values of a key by which the members of a union are distinguished; `undefined` where a member has another form. */
const choicesOf = (
  types: ReadonlyArray<SchemaAST.AST>
): { readonly key: string; readonly values: ReadonlyArray<string> } | undefined => {
  const objects = types.flatMap((type) => (type._tag === "Objects" ? [type] : []))
  if (objects.length === 0 || objects.length < types.length) return undefined
  for (const { name } of objects[0]!.propertySignatures) {
    const values = objects.flatMap(({ propertySignatures }) => {
      const type = propertySignatures.find((signature) => signature.name === name)?.type
      return type?._tag === "Literal" ? [String(type.literal)] : []
    })
    if (values.length === objects.length) return { key: String(name), values: [...new Set(values)] }
  }
  return undefined
}

const unionMessage = ({ ast }: SchemaIssue.AnyOf): string | undefined => {
  const choices = choicesOf(ast.types)
  if (choices === undefined) return undefined
  const { key, values } = choices
  const [last = "", ...others] = values.toReversed()
  return `must be an object whose ${key} is ${others.length === 0 ? "" : `${others.toReversed().join(", ")} or `}${last}`
}

const messagesOf = (issue: SchemaIssue.Issue): ReadonlyArray<IssueFault> =>
  format(issue).issues.map(({ message, path = [] }) => ({
    path: path.map((part) => (typeof part === "object" ? part.key : part)),
    message
  }))

export const issueFaults = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey> = []
): ReadonlyArray<IssueFault> => {
  switch (issue._tag) {
    case "Pointer": {
      const at = [...path, ...issue.path]
      // The first element of a list that may not be empty.
      return issue.issue._tag === "MissingKey" && typeof at.at(-1) === "number"
        ? [{ path: at.slice(0, -1), message: "must not be empty" }]
        : issueFaults(issue.issue, at)
    }
    case "Encoding":
      return issueFaults(issue.issue, path)
    case "Composite":
      return issue.issues.flatMap((inner) => issueFaults(inner, path))
    case "AnyOf": {
      if (issue.issues.length > 0) return issue.issues.flatMap((inner) => issueFaults(inner, path))
      const own = issue.ast.annotations?.["message"] === undefined ? unionMessage(issue) : undefined
      if (own !== undefined) return [{ path, message: own }]
      break
    }
    default:
  }
  return messagesOf(issue).map((fault) => ({ ...fault, path: [...path, ...fault.path] }))
}
