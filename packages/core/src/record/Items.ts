/**
 * What a document lists: the lines of a receipt, the positions of an invoice.
 *
 * Items are kept inside the fields of their document, as one value: hash, version, change number, former contents and
 * tombstones are of the document with its items, and none of them can be written without the other.
 */
import { fold } from "../text/Fold.ts"
import type { Fields, FieldValue } from "./FieldValue.ts"

/** The field that holds the items, as JSON text. It is no source field: nobody maps it or writes it. */
export const itemsField = "items"

export interface Item {
  /** Names the item within its document: never given to another one as long as this one is remembered. */
  readonly key: string
  readonly fields: Fields
  /** The document listed it once. */
  readonly gone?: true
}

/** Items that are gone and still remembered; then the key that went first is given to a new item. */
export const mostGone = 500

const isItem = (value: unknown): value is Item =>
  typeof value === "object" && value !== null && "key" in value && "fields" in value && typeof value.key === "string"

/** All items of a document in the order it lists them, those that are gone last. */
export const itemsOf = (fields: Fields): ReadonlyArray<Item> => {
  const text = fields[itemsField]
  if (typeof text !== "string") return []
  const items: unknown = JSON.parse(text)
  if (!Array.isArray(items) || !items.every(isItem)) throw new TypeError("items: not a list of items")
  return items
}

/** Those that the document lists now. */
export const listedItems = (fields: Fields): ReadonlyArray<Item> =>
  itemsOf(fields).filter(({ gone }) => gone === undefined)

const textOf = (value: FieldValue | undefined): FieldValue =>
  typeof value === "string" ? fold(value.trim()) : (value ?? null)

const everything = ({ fields }: Pick<Item, "fields">): string =>
  JSON.stringify(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** What an item is known by, from the surest to the least sure; `undefined` where it does not say. */
const tokens: ReadonlyArray<(item: Pick<Item, "fields">) => string | undefined> = [
  everything,
  ({ fields: { itemAmount, itemName } }) =>
    itemName === undefined ? undefined : JSON.stringify([textOf(itemName), itemAmount ?? null]),
  ({ fields: { itemName } }) => (itemName === undefined ? undefined : JSON.stringify([textOf(itemName)])),
  ({ fields: { itemAmount, itemQuantity } }) =>
    itemAmount === undefined ? undefined : JSON.stringify([itemAmount, itemQuantity ?? null])
]

/** What an item that is gone is known by again: a likeness is not enough. */
const sureTokens = 2

const queues = (items: Iterable<Item>, token: (item: Item) => string | undefined): Map<string, Array<Item>> => {
  const found = new Map<string, Array<Item>>()
  for (const item of items) {
    const known = token(item)
    if (known === undefined) continue
    const queue = found.get(known)
    if (queue === undefined) found.set(known, [item])
    else queue.push(item)
  }
  return found
}

/** Pairs what is still open with what is still free, in the order of both. */
const pair = (
  said: ReadonlyArray<Fields>,
  keys: Array<string | undefined>,
  free: Map<string, Item>,
  rounds: ReadonlyArray<(item: Pick<Item, "fields">) => string | undefined>
): void => {
  for (const token of rounds) {
    if (free.size === 0) return
    const candidates = queues(free.values(), token)
    for (const [at, fields] of said.entries()) {
      if (keys[at] !== undefined) continue
      const known = token({ fields })
      const item = known === undefined ? undefined : candidates.get(known)?.shift()
      if (item === undefined) continue
      keys[at] = item.key
      free.delete(item.key)
    }
  }
}

const byNumber = (a: string, b: string): number => Number(a) - Number(b)

/**
 * The items of a document as another reading tells them: what was listed before keeps its key, wherever it stands now and
 * whatever became of the others. An item is known by all that it says, then by name and amount, by its name, by amount
 * and quantity; of several that are alike the first is the first. What nobody is like is new.
 */
export const keyedItems = (held: ReadonlyArray<Item>, said: ReadonlyArray<Fields>): ReadonlyArray<Item> => {
  const keys: Array<string | undefined> = said.map(() => undefined)
  const listed = new Map(held.flatMap((item) => (item.gone === undefined ? [[item.key, item] as const] : [])))
  const gone = new Map(held.flatMap((item) => (item.gone === undefined ? [] : [[item.key, item] as const])))
  pair(said, keys, listed, tokens)
  pair(said, keys, gone, tokens.slice(0, sureTokens))
  let last = held.reduce((most, { key }) => Math.max(most, Number(key)), 0)
  const items = said.map((fields, at): Item => {
    let key = keys[at]
    if (key === undefined && gone.size >= mostGone) {
      key = gone.keys().next().value!
      gone.delete(key)
    }
    return { key: key ?? String(++last), fields }
  })
  const left = [...gone.values(), ...[...listed.values()].toSorted((a, b) => byNumber(a.key, b.key))]
  return [...items, ...left.map(({ fields, key }): Item => ({ key, fields, gone: true }))]
}

/** The value of `itemsField`, by the items that were held and those that are listed now. */
export const itemsText = (held: ReadonlyArray<Item>, said: ReadonlyArray<Fields>): string =>
  JSON.stringify(keyedItems(held, said))

/** What a document says now, with the keys that its items had before. Equal fields where it lists nothing. */
export const carryItems = (held: Fields | undefined, said: Fields): Fields => {
  const before = held === undefined ? [] : itemsOf(held)
  if (before.length === 0) return said
  const listed = listedItems(said).map(({ fields }) => fields)
  return { ...said, [itemsField]: itemsText(before, listed) }
}
