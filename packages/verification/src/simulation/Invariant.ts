/** What must hold whatever happens, and how a simulation says that it did not. */

export const invariants = [
  "the ledger is what the bank says",
  "the posted sum of the ledger is that of the bank",
  "history that the bank no longer shows stays",
  "the ledger holds nothing that the bank never showed",
  "the ledger holds what was pushed",
  "the destination holds what the ledger shows",
  "no row is delivered twice",
  "no row of another workspace",
  "the checkpoint is not ahead of the data",
  "at most one active job for a feed",
  "a job follows its life cycle",
  "the counters of a job balance",
  "a shut out run writes nothing",
  "a run without news writes nothing",
  "an error says what to do about it",
  "a due schedule fires once",
  "every job ends once faults stop",
  "every task ends once faults stop",
  "a task has its effect once",
  "news of a task is never lost",
  "locks and leases are free at the end",
  "a quiet sync completes",
  "a record keeps its identity",
  "change numbers move with every change, and only then",
  "public change numbers move with the public form, and only then",
  "a row that cannot be read has not vanished",
  "every change is reported, once and in order",
  "nothing breaks inside",
  "a crash changes nothing at the end",
  "an analysis of what changed is one of everything",
  "a message is reported once"
] as const
export type Invariant = (typeof invariants)[number]

export class BrokenInvariant extends Error {
  override readonly name = "BrokenInvariant"
  readonly invariant: Invariant

  constructor(invariant: Invariant, detail: unknown) {
    super(`${invariant}\n${typeof detail === "string" ? detail : JSON.stringify(detail, undefined, 2)}`)
    this.invariant = invariant
  }
}

/** Throws with the detail unless it holds. */
export const must = (invariant: Invariant, holds: boolean, detail: () => unknown): void => {
  if (!holds) throw new BrokenInvariant(invariant, detail())
}

const ordered = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** Throws unless both are equal as JSON. */
export const mustEqual = (invariant: Invariant, actual: unknown, expected: unknown, about: string): void => {
  if (JSON.stringify(actual) === JSON.stringify(expected)) return
  if (JSON.stringify(actual, ordered) === JSON.stringify(expected, ordered)) return
  throw new BrokenInvariant(invariant, { about, actual, expected })
}

/** Throws unless both hold the same texts, as often; says which differ. */
export const mustMatch = (
  invariant: Invariant,
  actual: ReadonlyArray<string>,
  expected: ReadonlyArray<string>,
  about: string
): void => {
  const rest = new Map<string, number>()
  for (const text of expected) rest.set(text, (rest.get(text) ?? 0) + 1)
  for (const text of actual) rest.set(text, (rest.get(text) ?? 0) - 1)
  const missing: Array<string> = []
  const surplus: Array<string> = []
  for (const [text, times] of rest) {
    for (let n = 0; n < times; n++) missing.push(text)
    for (let n = 0; n < -times; n++) surplus.push(text)
  }
  if (missing.length + surplus.length > 0) throw new BrokenInvariant(invariant, { about, missing, surplus })
}
