/** Requests of the owner that must succeed: what a scene is made by. */
import type { World } from "./World.ts"

/** What is read of the things in answers, as far as they have it. */
export interface Told {
  readonly id: string
  readonly accounts: ReadonlyArray<Told>
  readonly attemptId: string
  readonly bankId: string
  readonly description: string
  readonly fields: ReadonlyArray<Told>
  readonly recordIds: ReadonlyArray<string>
}

/** A body with its type, in place of JSON. */
interface Form {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const isForm = (body: object): body is Form => "headers" in body && "body" in body

const formOf = (body: object): Form =>
  isForm(body) ? body : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }

export const makeOwnersRequests = (world: World, secret: string) => {
  const answer = async (method: string, path: string, body?: object): Promise<unknown> => {
    const form = body === undefined ? undefined : formOf(body)
    const { status, text } = await world.send({
      method,
      path,
      headers: { "x-api-key": secret, ...form?.headers },
      ...(form === undefined ? {} : { body: form.body })
    })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return JSON.parse(text)
  }
  return {
    /** The thing that the answer is about. */
    one: async (method: string, path: string, body?: object): Promise<Told> => {
      const told = (await answer(method, path, body)) as Told & { readonly data?: Told }
      return told.data ?? told
    },
    /** The things that the answer lists. */
    many: async (method: string, path: string, body?: object): Promise<ReadonlyArray<Told>> =>
      ((await answer(method, path, body)) as { readonly data: ReadonlyArray<Told> }).data,
    /** The query of the page behind this one. */
    queryBehind: async (path: string): Promise<string> => {
      const { links } = (await answer("GET", path)) as { readonly links: { readonly next: string } }
      return links.next.split("?")[1]!
    }
  }
}
