/**
 * The collections that every installation has. One more is a definition in a file beside this one, and an entry here: its
 * table, the API with its documents, the command line and the access matrix follow, and the suites test it with its example.
 */
import type { AnyCollection } from "./Collection.ts"

export const bundledCollections: ReadonlyArray<AnyCollection> = []
