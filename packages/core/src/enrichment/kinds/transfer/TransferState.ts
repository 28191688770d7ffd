/** What is kept of transfers: pairs and strangers of each month, and what they all share (enrichments C8, A10). */
import * as Schema from "effect/Schema"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import { Located } from "./Decisions.ts"
import { ScoredPair } from "./PairScore.ts"
import { UnrelatedInflows } from "./UnrelatedInflows.ts"

const Chosen = Schema.Struct({
  pair: ScoredPair,
  margin: Schema.Int,
  rival: Schema.optionalKey(Schema.String),
  interchangeable: Schema.Boolean
})
export type Chosen = typeof Chosen.Type

const Judged = Schema.Struct({
  date: CalendarDate.CalendarDate,
  out: Schema.String,
  in: Schema.String,
  /** In centibits: without what was learnt of decisions before, and with it. */
  base: Schema.Int,
  judged: Schema.Int,
  accepted: Schema.Boolean
})

/** Of a month: apart from its records, so that other months can look at it without reading them. */
const Book = Schema.Struct({
  strangers: Schema.Array(UnrelatedInflows),
  /** All that could be. */
  pairs: Schema.Array(ScoredPair),
  /** Those that are. */
  chosen: Schema.Array(Chosen),
  /** What the pairs that people decided about were worth without their word. */
  judged: Schema.Array(Judged)
})
export type Book = typeof Book.Type

const Shared = Schema.Struct({
  /** Months with records, in order. */
  months: Schema.Array(Schema.String),
  /** Equal where all accounts are as they were. */
  accounts: Schema.String,
  /** Records that people decided about, by id. */
  located: Schema.Array(Located),
  /** What they decided: the day from which on it counts, and all of it. */
  decisions: Schema.Array(Schema.Tuple([Schema.String, Schema.String]))
})
export type Shared = typeof Shared.Type

export const TransferState = Schema.Struct({
  book: Schema.optionalKey(Book),
  shared: Schema.optionalKey(Shared)
})
export type TransferState = typeof TransferState.Type

export const emptyBook: Book = { strangers: [], pairs: [], chosen: [], judged: [] }

export const isEmptyBook = ({ chosen, judged, pairs, strangers }: Book): boolean =>
  strangers.length + pairs.length + chosen.length + judged.length === 0

export const sharedKey = "shared"
const bookPrefix = "book:"
export const bookKey = (month: string): string => `${bookPrefix}${month}`

/** The month of the key of a book. */
export const bookMonth = (key: string): string | undefined =>
  key.startsWith(bookPrefix) ? key.slice(bookPrefix.length) : undefined
