/** Names for the envelopes of successes, so that generated clients have a type for each list. */
import { componentOf, componentRef, isNode, mapValues, nodeOf, type Node } from "./Node.ts"

/** `TransactionList` for a list of transactions, `TransactionAnswer` for one of them. */
const nameOf = (operationId: string, schema: Node): string => {
  const { data } = nodeOf(schema["properties"])
  const row = isNode(data) ? componentOf(nodeOf(data["items"])) : undefined
  if (row !== undefined) return `${row}List`
  const record = isNode(data) ? componentOf(data) : undefined
  if (record !== undefined) return `${record}Answer`
  return `${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}Answer`
}

/** Operations whose successes are references to components, and these. */
export const nameEnvelopes = (paths: Node): { readonly paths: Node; readonly schemas: Node } => {
  const schemas: Node = {}
  const put = (operationId: string, status: string, schema: Node): Node => {
    const text = JSON.stringify(schema)
    // Two answers of one name that differ, as a list with a total does, are named by their operations, and those of one by status.
    const own = `${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}`
    const names = [nameOf(operationId, schema), `${own}Answer`, `${own}${status}Answer`]
    const name = names.find((one) => schemas[one] === undefined || JSON.stringify(schemas[one]) === text)!
    schemas[name] = schema
    return componentRef(name)
  }
  const operation = (value: unknown): Node => {
    const given = nodeOf(value)
    const responses = mapValues(nodeOf(given["responses"]), (response, status) => {
      const content = nodeOf(nodeOf(response)["content"])
      const json = nodeOf(content["application/json"])
      const schema = nodeOf(json["schema"])
      if (!status.startsWith("2") || componentOf(schema) !== undefined || schema["type"] !== "object") return response
      return {
        ...nodeOf(response),
        content: {
          ...content,
          "application/json": { ...json, schema: put(String(given["operationId"]), status, schema) }
        }
      }
    })
    return { ...given, responses }
  }
  return { paths: mapValues(paths, (path) => mapValues(nodeOf(path), operation)), schemas }
}
