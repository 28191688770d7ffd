/**
 * Which reading of a document is which record that we hold (enrichments C1 and D1; decision 26).
 *
 * A document has the id of what it was read from: read again under that id, it is the same record with what is now
 * known of it. The same document also comes as another file: what names the same seller, day, total and number is one
 * document, and the record stays as its own file tells it. Where one of these is not known a person is asked, since two
 * equal purchases are two.
 */
import type { DocumentDataType } from "../../record/DataType.ts"
import type { Fields, FieldValue } from "../../record/FieldValue.ts"
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import type { Observation } from "../../record/Observation.ts"
import { fold } from "../../text/Fold.ts"
import { absences, needsDetail } from "./Absence.ts"
import { covers, isListed, isUnread, trusted } from "./Coverage.ts"
import { pairExactContent } from "./ExactContent.ts"
import { pairByIds } from "./IdMatches.ts"
import type { LearntText } from "./LearntTexts.ts"
import type { Match, MatchDetails, MatchInput, MatchResult, OpenMatch, Suggestion } from "./Matching.ts"
import { RowReader } from "./MatchRow.ts"
import { Pairing } from "./Pairing.ts"
import { compareObservations, compareOwners } from "./RowOrder.ts"

/** Fields that name a document, and its number where that is one of them. */
type KeyFields = readonly [named: ReadonlyArray<string>, number: string | undefined]

/** What names a document: a seller, a day, a total, and the number that the seller gave it. */
const defaultKeyFields: Readonly<Partial<Record<DocumentDataType, KeyFields>>> = {
  receipts: [["merchantName", "date", "totalAmount", "currency"], "reference"],
  invoices: [["supplierName", "date", "totalAmount", "currency"], "invoiceNumber"]
}

/** What configurations call by one name, and each type by its own. */
const ownNames: Readonly<Partial<Record<DocumentDataType, Readonly<Record<string, ReadonlyArray<string>>>>>> = {
  receipts: { amount: ["totalAmount", "currency"], totalAmount: ["totalAmount", "currency"] },
  invoices: {
    merchantName: ["supplierName"],
    amount: ["totalAmount", "currency"],
    totalAmount: ["totalAmount", "currency"],
    reference: ["invoiceNumber"]
  }
}

const keyFieldsOf = (dataType: DocumentDataType, asked: ReadonlyArray<string> | undefined): KeyFields | undefined => {
  const known = defaultKeyFields[dataType]
  if (asked === undefined) return known
  const names = new Set(asked.flatMap((name) => ownNames[dataType]?.[name] ?? [name]))
  const number = known?.[1] !== undefined && names.delete(known[1]) ? known[1] : undefined
  return [[...names], number]
}

interface DocumentKey {
  /** All but the number. */
  readonly named: string
  readonly number: string | undefined
}

const wordOf = (value: FieldValue | undefined): string | undefined => {
  if (typeof value !== "string") return undefined
  const word = fold(value.trim())
  return word === "" ? undefined : word
}

/** `undefined` where the document does not say enough to be known by it. */
const keyOf = (known: KeyFields | undefined, fields: Fields): DocumentKey | undefined => {
  if (known === undefined) return undefined
  const [names, number] = known
  const words = names.map((name) => wordOf(fields[name]))
  if (words.includes(undefined)) return undefined
  // Where no number is asked for, the rest is enough.
  return { named: JSON.stringify(words), number: number === undefined ? "" : wordOf(fields[number]) }
}

/** Whether a record stays what it is without the reading: it is shown under its own id, or nothing says that it is gone. */
const stands = (input: MatchInput, shown: ReadonlySet<string>, entry: IndexEntry): boolean =>
  entry.state === "live" &&
  entry.providerId !== "" &&
  (shown.has(entry.providerId) || isUnread(input, entry) || !(isListed(input, entry) || covers(input, entry)))

/** Readings that are known as copies of a record which another file tells. */
const knownCopies = (input: MatchInput, shown: ReadonlySet<string>): ReadonlySet<Observation> => {
  const { aliases, held, observations } = input
  if (aliases.size === 0 || !trusted(input.idTrust)) return new Set()
  const byId = new Map(held.map((entry) => [entry.id, entry]))
  const owned = new Set(held.map(({ providerId }) => providerId))
  return new Set(
    observations.filter(({ providerId }) => {
      const entry = owned.has(providerId) ? undefined : byId.get(aliases.get(providerId) ?? "")
      return entry !== undefined && stands(input, shown, entry)
    })
  )
}

/** What keys say of the readings that ids left open. */
interface KeyMatches {
  /** Readings of what a record or another reading tells already. */
  readonly copies: ReadonlySet<number>
  readonly confirmed: ReadonlyArray<Match>
  readonly suggestions: ReadonlyArray<Suggestion>
}

const evidence = { tier: "equal" } as const

/** Records by what names them; live before removed before deleted, then oldest first. */
const recordsByName = (
  known: KeyFields | undefined,
  candidates: ReadonlyArray<IndexEntry>,
  details: MatchDetails
): ReadonlyMap<string, ReadonlyArray<{ readonly entry: IndexEntry; readonly number: string | undefined }>> => {
  const found = new Map<string, Array<{ entry: IndexEntry; number: string | undefined }>>()
  for (const entry of candidates.toSorted(compareOwners)) {
    const key = keyOf(known, details.records.get(entry.id)?.fields ?? {})
    if (key === undefined) continue
    const list = found.get(key.named)
    if (list === undefined) found.set(key.named, [{ entry, number: key.number }])
    else list.push({ entry, number: key.number })
  }
  return found
}

const pairByKeys = (
  input: MatchInput,
  known: KeyFields | undefined,
  shown: ReadonlySet<string>,
  pairing: Pairing,
  candidates: ReadonlyArray<IndexEntry>,
  details: MatchDetails
): KeyMatches => {
  const { observations } = input
  const records = recordsByName(known, candidates, details)
  const read = new Set<string>()
  const copies = new Set<number>()
  const confirmed: Array<Match> = []
  const suggestions: Array<Suggestion> = []
  const open = pairing.open.toSorted((a, b) => compareObservations(observations[a]!, observations[b]!))
  for (const at of open) {
    const observation = observations[at]!
    const key = keyOf(known, observation.fields)
    if (key === undefined) continue
    const alike = (records.get(key.named) ?? []).filter(({ entry }) => !details.isForbidden(entry.id, observation))
    if (key.number !== undefined) {
      const entry = alike.find(
        (one) => one.number === key.number && (stands(input, shown, one.entry) || !pairing.isTaken(one.entry))
      )?.entry
      if (entry !== undefined && stands(input, shown, entry)) {
        copies.add(at)
        confirmed.push({ observation, entry, evidence })
        continue
      }
      if (pairing.take(at, entry, evidence)) continue
      const whole = JSON.stringify([key.named, key.number])
      if (read.has(whole)) {
        copies.add(at)
        continue
      }
      read.add(whole)
    }
    const asked = alike.find(
      ({ entry, number }) =>
        entry.state === "live" && !pairing.isTaken(entry) && (number === undefined || key.number === undefined)
    )
    if (asked !== undefined) suggestions.push({ observed: observation, recordId: asked.entry.id, evidence })
  }
  return { copies, confirmed, suggestions }
}

const noKeys: KeyMatches = { copies: new Set(), confirmed: [], suggestions: [] }

const noneLearnt: ReadonlyArray<LearntText> = []

/** Pure, as `identify`. */
export const identifyDocuments = (asked: MatchInput, dataType: DocumentDataType): OpenMatch => {
  const shown = new Set(asked.observations.map(({ providerId }) => providerId))
  const keys = keyFieldsOf(dataType, asked.config.keyFields)
  const copiesKnown = knownCopies(asked, shown)
  const observations = asked.observations.filter((observation) => !copiesKnown.has(observation))
  const input: MatchInput = { ...asked, observations }
  const pairing = new Pairing(observations.length)
  const ids = pairByIds(input, pairing)
  pairExactContent(input, pairing)

  const days = new Set(input.byIdOnly ? [] : pairing.open.flatMap((at) => observations[at]!.date ?? []))
  const isOfDay = keys === undefined || keys[0].includes("date")
  const candidates = isOfDay
    ? input.held.filter(({ date }) => date !== null && days.has(date))
    : input.byIdOnly || pairing.open.length === 0
      ? []
      : input.held
  const wanted = new Set(candidates.map(({ id }) => id))
  for (const entry of input.held) if (!pairing.isTaken(entry) && needsDetail(input, entry)) wanted.add(entry.id)

  return {
    wanted: [...wanted].toSorted(),
    editsCount: () => false,
    finish: (details) => {
      const { confirmed, copies, suggestions } =
        input.keyed === true ? noKeys : pairByKeys(input, keys, shown, pairing, candidates, details)
      const detailOf = (entry: IndexEntry) => details.records.get(entry.id)
      const absent = absences({
        input,
        late: [],
        pairing,
        reader: new RowReader(),
        settledElsewhere: ids.settledElsewhere,
        detailOf
      })
      const { absorbed, changed, seenAgain } = resultsOf(input, pairing, copies)
      const result: MatchResult = {
        ...absent,
        changed,
        seenAgain,
        absorbed,
        confirmed,
        paired: [],
        suggestions,
        unchanged: asked.observations.length - changed.length,
        learnt: input.learnt ?? noneLearnt,
        joined: [],
        idMatches: ids.hits.length,
        idContradictions: 0
      }
      return result
    }
  }
}

const resultsOf = (
  { idTrust, observations }: MatchInput,
  pairing: Pairing,
  copies: ReadonlySet<number>
): Pick<MatchResult, "changed" | "seenAgain" | "absorbed"> => {
  const idsCount = trusted(idTrust)
  const changed: Array<Match> = []
  const seenAgain: Array<IndexEntry> = []
  const absorbed: Array<Match> = []
  for (const [at, observation] of observations.entries()) {
    if (copies.has(at)) continue
    const entry = pairing.entryOf(at)
    const found = pairing.evidenceOf(at)
    const match: Match = found === undefined ? { observation, entry } : { observation, entry, evidence: found }
    if (entry === undefined) changed.push({ observation, entry })
    else if (entry.state === "deleted") absorbed.push(match)
    else if (
      entry.state === "live" &&
      entry.hash === observation.hash &&
      entry.pending === observation.pending &&
      (entry.providerId === observation.providerId || !idsCount)
    ) {
      if (entry.missed > 0) seenAgain.push(entry)
    } else changed.push(match)
  }
  return { changed, seenAgain, absorbed }
}
