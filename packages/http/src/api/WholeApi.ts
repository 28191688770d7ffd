/** The API with collections: those that are served by their contracts alone, bundled ones and those of a program. */
import * as OpenApi from "effect/http-api/OpenApi"
import { operations } from "@millrace/core/access"
import type { CollectionContract } from "@millrace/core/collection"
import { toDocument } from "../openapi/OpenApi.ts"
import { collectionNotes } from "../openapi/Operations.ts"
import { Api, catalogue } from "./Api.ts"
import { anyCollectionApi } from "./CollectionApi.ts"

type Entries = typeof operations

/**
 * To the compiler it is the API that is written by hand: what collections add is not known to it. The entries are those of its
 * operations.
 */
export const apiWith = (
  contracts: ReadonlyArray<CollectionContract<unknown, unknown, unknown>>
): { readonly api: typeof Api; readonly entries: Entries } => {
  if (contracts.length === 0) return { api: Api, entries: operations }
  const entries: Entries = Object.assign({}, operations, ...contracts.map(({ surface }) => surface.entries))
  const document = toDocument({
    operations: entries,
    nouns: { ...catalogue.nouns, ...Object.fromEntries(contracts.map(({ surface }) => [surface.noun, surface.about])) },
    notes: Object.assign({}, catalogue.notes, ...contracts.map((contract) => collectionNotes(contract)))
  })
  const groups = contracts.map((contract) => anyCollectionApi(contract))
  const api = groups.reduce((all, group) => all.add(group as never), Api)
  return { api: api.annotateMerge(OpenApi.annotations({ transform: document })), entries }
}
