/** Collections: plain things that callers list, make, read, change and delete, each from one definition. */
export {
  type AnyCollection,
  type Base,
  type Collection,
  collection,
  type CollectionContract,
  type CollectionInput,
  type NewThing,
  type Thing,
  type ThingChange
} from "../collection/Collection.ts"
export {
  AddedCollections,
  bundledCollections,
  collectionFaults,
  Collections,
  openCollection,
  type ServedCollection
} from "../collection/Collections.ts"
export type { CollectionUseCases, ListRequest, Refused, Removal } from "../collection/CollectionUseCases.ts"
