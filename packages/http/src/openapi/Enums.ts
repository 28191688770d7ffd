/**
 * Enumerations in answers are open: values may be added at any time (decisions 1.4), and a generated client must not
 * fail at one that it does not know. Those in requests are closed.
 */
import { componentOf, componentRef, mapNodes, mapValues, nodeOf, reached, type Node } from "./Node.ts"

/** One value is no choice: it tells shapes apart, and stays. */
const isChoice = (node: Node): boolean => Array.isArray(node["enum"]) && node["enum"].length > 1

const open = (value: unknown): unknown =>
  mapNodes(value, (node) => {
    if (!isChoice(node)) return node
    const { enum: values, description, ...rest } = node
    const known = `One of ${(values as ReadonlyArray<unknown>).join(", ")}; more may be added.`
    return {
      ...rest,
      description: description === undefined ? known : `${String(description)} ${known}`,
      "x-extensible-enum": values
    }
  })

const hasChoice = (value: unknown): boolean => {
  let found = false
  mapNodes(value, (node) => {
    found ||= isChoice(node)
    return node
  })
  return found
}

const inputName = (name: string): string => `${name}Input`

/** Operations and components with open enumerations in all answers. What both sides need exists twice then. */
export const openAnswers = (paths: Node, schemas: Node): { readonly paths: Node; readonly schemas: Node } => {
  const requests: Array<unknown> = []
  const answers: Array<unknown> = []
  mapValues(paths, (path) =>
    mapValues(nodeOf(path), (operation) => {
      const { parameters, requestBody, responses } = nodeOf(operation)
      requests.push(parameters, requestBody)
      answers.push(responses)
    })
  )
  const asked = reached(requests, schemas)
  const answered = reached(answers, schemas)
  const twice = new Set(
    [...asked].filter(
      (name) =>
        answered.has(name) &&
        (hasChoice(schemas[name]) || [...reached(schemas[name], schemas)].some((inner) => hasChoice(schemas[inner])))
    )
  )
  const asInput = (value: unknown): unknown =>
    mapNodes(value, (node) => {
      const name = componentOf(node)
      return name !== undefined && twice.has(name) ? componentRef(inputName(name)) : node
    })
  const result: Node = {}
  for (const [name, schema] of Object.entries(schemas)) {
    result[name] = answered.has(name) ? open(schema) : asInput(schema)
    if (twice.has(name)) result[inputName(name)] = asInput(schema)
  }
  const operation = (value: unknown): Node => {
    const { parameters, requestBody, responses, ...rest } = nodeOf(value)
    return {
      ...rest,
      parameters: asInput(parameters),
      ...(requestBody === undefined ? {} : { requestBody: asInput(requestBody) }),
      responses: open(responses)
    }
  }
  return { paths: mapValues(paths, (path) => mapValues(nodeOf(path), operation)), schemas: result }
}
