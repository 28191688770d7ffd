/** The operations that the server documents: what the requests of a replay are derived from. */
import type { World } from "./World.ts"

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
}

export interface Documented {
  readonly id: string
  readonly noun: string
  readonly method: string
  /** With placeholders in braces. */
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  /** Media type of the body; undefined where there is none. */
  readonly body: string | undefined
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
}

interface DocumentedOperation {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
}

/** In the order of the document. */
export const operationsOf = async (world: World): Promise<ReadonlyArray<Documented>> => {
  const { text } = await world.send({ method: "GET", path: "/openapi.json" })
  const { paths } = JSON.parse(text) as Document
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody, tags }]) => ({
      id: operationId,
      noun: tags[0],
      method: method.toUpperCase(),
      path,
      parameters,
      body: requestBody === undefined ? undefined : Object.keys(requestBody.content)[0]
    }))
  )
}

export const namesIn = ({ parameters }: Documented, where: Parameter["in"]): ReadonlyArray<string> =>
  parameters.filter((parameter) => parameter.in === where).map(({ name }) => name)

export type Params = Readonly<Record<string, string>>

export const pathOf = (template: string, params: Params): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${template} has no value for ${name}`)
    return encodeURIComponent(value)
  })
