/** Identifiers of everything Millrace stores (decisions 1.1). */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"

/** Prefix of each kind of record that is bundled. */
export const prefixes = {
  workspace: "ws",
  user: "usr",
  apiKey: "key",
  bank: "bank",
  connectionAttempt: "cat",
  connectionSubject: "sub",
  account: "acct",
  accountJoin: "join",
  transaction: "txn",
  trade: "trd",
  order: "ord",
  balance: "bal",
  holding: "hld",
  loan: "loan",
  // `inv` is an invitation.
  receipt: "rcpt",
  invoice: "invc",
  document: "doc",
  feed: "feed",
  job: "job",
  upload: "upl",
  uploadPage: "upp",
  enrichment: "enr",
  table: "tbl",
  field: "fld",
  row: "row",
  match: "mat",
  stage: "stg",
  suggestion: "sug",
  pattern: "pat",
  fact: "fct",
  finding: "fnd",
  change: "chg",
  simulation: "sim",
  event: "evt",
  task: "task",
  auditEntry: "aud",
  request: "req"
} as const

export type IdKind = keyof typeof prefixes

/** `<prefix>_` and 26 characters: a ULID in lower-case Crockford base 32. Byte order is creation order. */
export type Id<K extends string = IdKind> = string & { readonly "~millrace/Id": K }

/** A kind of thing with the prefix of its ids: a bundled one, or one that a program adds. */
export interface IdKindOf<K extends string = string> {
  readonly kind: K
  readonly prefix: string
}

/** Prefixes that later parts of Millrace have for themselves (decisions 1.1). */
const reserved: ReadonlySet<string> = new Set(
  `inv app clt whe edl dlv intg imp dash wid qry fol auto grt apv run mbx adr msg att snd tpl lst ins case cmg ntf`.split(
    " "
  )
)

const isBundled = (kind: string): kind is IdKind => Object.hasOwn(prefixes, kind)

/** What is wrong with a kind that a program adds; `undefined` where nothing is. */
export const idKindFault = ({ kind, prefix }: IdKindOf): string | undefined => {
  if (!/^[a-z][A-Za-z0-9]{1,39}$/.test(kind))
    return `"${kind}" must be 2 to 40 letters and digits, a small letter first`
  if (!/^[a-z]{2,4}$/.test(prefix)) return `the prefix "${prefix}" must be 2 to 4 small letters`
  if (isBundled(kind)) return `"${kind}" is bundled`
  const owner = Object.entries(prefixes).find(([, taken]) => taken === prefix)
  if (owner !== undefined) return `the prefix "${prefix}" belongs to the bundled kind "${owner[0]}"`
  return reserved.has(prefix) ? `the prefix "${prefix}" is kept for later parts of Millrace` : undefined
}

/** A kind of a program's own. One that contradicts the bundled ones is a defect of the program. */
export const idKind = <const K extends string>(kind: K, prefix: string): IdKindOf<K> => {
  const fault = idKindFault({ kind, prefix })
  if (fault !== undefined) throw new RangeError(`a kind of ids: ${fault}`)
  return { kind, prefix }
}

/** A bundled kind with its prefix. */
export const bundledKind = <K extends IdKind>(kind: K): IdKindOf<K> => ({ kind, prefix: prefixes[kind] })

const form = /^[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}$/

/** Whether it is an id of a kind that is given with its prefix. */
export const isIdOf = <K extends string>({ prefix }: IdKindOf<K>, value: unknown): value is Id<K> =>
  typeof value === "string" && form.test(value) && value.startsWith(`${prefix}_`)

export const isId = <K extends IdKind>(kind: K, value: unknown): value is Id<K> =>
  typeof value === "string" && form.test(value) && value.startsWith(`${prefixes[kind]}_`)

/** Ids of a kind that is given with its prefix. */
export const IdOf = <K extends string>(kind: IdKindOf<K>): Schema.Codec<Id<K>, string> =>
  Schema.String.pipe(
    Schema.refine((text): text is Id<K> => isIdOf(kind, text), {
      expected: `an id that begins with ${kind.prefix}_`,
      arbitraryConstraint: { patterns: [{ source: `^${kind.prefix}_[0-9a-hjkmnp-tv-z]{26}$`, flags: "" }] }
    })
  )

export const Id = <K extends IdKind>(kind: K): Schema.Codec<Id<K>, string> => IdOf(bundledKind(kind))

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const encodeTime = (millis: number): string => {
  let rest = millis
  let text = ""
  for (let i = 0; i < 10; i++) {
    text = alphabet[rest % 32]! + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** Two digits at once. */
const pairs = Array.from({ length: 1_024 }, (_, n) => alphabet[n >> 5]! + alphabet[n & 31]!)

/** The 26 characters of an id: an instant in milliseconds and 16 digits of base 32. */
export const ulid = (millis: number, digits: ReadonlyArray<number>): string => {
  let text = encodeTime(millis)
  for (const digit of digits) text += alphabet[digit]!
  return text
}

/** Makes ids; monotonic within one process, also when the clock stands still or goes back. */
export class Ids extends Context.Service<
  Ids,
  {
    readonly next: <K extends IdKind>(kind: K) => Effect.Effect<Id<K>>
    /** One of a kind that is given with its prefix. */
    readonly nextOf: <K extends string>(kind: IdKindOf<K>) => Effect.Effect<Id<K>>
    /** Many at once, ascending: for bulk writes. */
    readonly batch: <K extends IdKind>(kind: K, count: number) => Effect.Effect<ReadonlyArray<Id<K>>>
  }
>()("@millrace/core/shared/Ids") {
  /** Takes time from `Clock` and the 80 random bits from `Random`. */
  static readonly layer: Layer.Layer<Ids> = Layer.sync(Ids, () => {
    let lastMillis = -1
    // 80 random bits as 16 base-32 digits, counted up within a millisecond.
    let digits: Array<number> = []

    // Joined, it is one piece of text; put together of parts, all ids that begin with it would hold the parts.
    const headOf = (prefix: string): string =>
      [prefix, "_", encodeTime(lastMillis), ...digits.slice(0, 14).map((digit) => alphabet[digit]!)].join("")

    const batchOf = Effect.fnUntraced(function* <K extends string>({ prefix }: IdKindOf<K>, count: number) {
      const clock = yield* Clock.currentTimeMillis
      if (clock > lastMillis) {
        lastMillis = clock
        digits = []
        for (let i = 0; i < 16; i++) digits.push(yield* Random.nextIntBetween(0, 32, { halfOpen: true }))
      }
      const ids: Array<Id<K>> = []
      let head = headOf(prefix)
      for (let n = 0; n < count; n++) {
        let place = 15
        while (place >= 0 && digits[place] === 31) digits[place--] = 0
        if (place >= 0) digits[place]!++
        else lastMillis++
        // All but the last two digits stay as they are for a thousand ids.
        if (place < 14) head = headOf(prefix)
        ids.push((head + pairs[digits[14]! * 32 + digits[15]!]!) as Id<K>)
      }
      return ids
    })

    return Ids.of({
      batch: (kind, count) => batchOf(bundledKind(kind), count),
      next: (kind) => Effect.map(batchOf(bundledKind(kind), 1), (ids) => ids[0]!),
      nextOf: (kind) => Effect.map(batchOf(kind, 1), (ids) => ids[0]!)
    })
  })
}
