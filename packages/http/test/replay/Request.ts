/** A request that a replay sends, and how it is sent. */
import { type Documented, type Params, pathOf } from "./Operation.ts"
import type { Scene } from "./Scene.ts"
import type { Answer, World } from "./World.ts"

export interface Given {
  /** What it does, in a few words. */
  readonly title: string
  readonly params?: Params
  /** Without its question mark. */
  readonly query?: string
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is. */
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A key of the scene, or a token of a person or an app; the key of the owner unless given. */
  readonly as?: string
  /** Sent without a credential. */
  readonly anonymous?: boolean
  /** Seconds that pass before it. */
  readonly after?: number
  readonly method?: string
}

/** A request, or how it is found once those before it were answered. */
export type Asked = Given | (() => Promise<Given>)

/** Requests that succeed, and refusals that are special to an operation. The first one is varied. */
export type Requests = Readonly<Record<string, ReadonlyArray<Asked>>>

const credentialOf = ({ anonymous = false, as = "owner" }: Given, { secrets }: Scene): Record<string, string> => {
  if (anonymous) return {}
  const secret = (secrets as Readonly<Record<string, string>>)[as]
  return secret === undefined ? { authorization: `Bearer ${as}` } : { "x-api-key": secret }
}

export const contentOf = ({ json, raw }: Given): string | undefined =>
  raw ?? (json === undefined ? undefined : JSON.stringify(json))

export const targetOf = (operation: Documented, given: Given, scene: Scene): string =>
  pathOf(operation.path, { ...scene.params, ...given.params }) + (given.query === undefined ? "" : `?${given.query}`)

export const sendTo = async (world: World, scene: Scene, operation: Documented, given: Given): Promise<Answer> => {
  if (given.after !== undefined) await world.pass(given.after)
  const body = contentOf(given)
  return world.send({
    method: given.method ?? operation.method,
    path: targetOf(operation, given, scene),
    headers: {
      ...credentialOf(given, scene),
      ...(given.json === undefined ? {} : { "content-type": "application/json" }),
      ...given.headers
    },
    ...(body === undefined ? {} : { body })
  })
}

/** The requests of a noun, about what the scene holds. */
export type RequestsOf = (scene: Scene, world: World) => Requests
