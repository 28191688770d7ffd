/** Plain JSON of an OpenAPI document, and ways to go through it. */
export type Node = Record<string, unknown>

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const nodeOf = (value: unknown): Node => (isNode(value) ? value : {})

export const omit = (node: Node, name: string): Node => {
  const { [name]: _, ...rest } = node
  return rest
}

export const mapValues = (node: Node, change: (value: unknown, key: string) => unknown): Node =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value, key)]))

/** The document with every object in it changed, those inside first. */
export const mapNodes = (value: unknown, change: (node: Node) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => mapNodes(item, change))
  return isNode(value) ? change(mapValues(value, (item) => mapNodes(item, change))) : value
}

const componentPath = "#/components/schemas/"

export const componentRef = (name: string): Node => ({ $ref: componentPath + name })

/** The name of the component that a reference means. */
export const componentOf = (node: Node): string | undefined => {
  const { $ref: ref } = node
  return typeof ref === "string" && ref.startsWith(componentPath) ? ref.slice(componentPath.length) : undefined
}

/** Names of the components that some JSON needs, with those that these need. */
export const reached = (from: unknown, schemas: Node): ReadonlySet<string> => {
  const names = new Set<string>()
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) walk(item)
    else if (isNode(value)) {
      const name = componentOf(value)
      if (name !== undefined && !names.has(name)) {
        names.add(name)
        walk(schemas[name])
      }
      for (const item of Object.values(value)) walk(item)
    }
  }
  walk(from)
  return names
}
