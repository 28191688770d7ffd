/** The pen that writes a month of the demo bank: postings, card purchases with their lives, transfers. */
import type { Category, TransactionType } from "@millrace/core/record"
import { dateOf, dayMillis, hourMillis } from "./Calendar.ts"
import type { Entry, Posting } from "./Entry.ts"
import { draws, type Draws, fingerprint } from "./Seed.ts"

export interface Line {
  readonly account: string
  /** Milliseconds. */
  readonly at: number
  readonly text: string
  readonly merchant?: string
  readonly units: bigint
  readonly type: TransactionType
  readonly category: Category
  readonly reference?: string
}

/** How a purchase goes on after the card was read. */
export type Course =
  /** Posts as authorised. */
  | { readonly kind: "plain" }
  /** Posts with another amount: a tip was added, or a fuel hold became the true sum. */
  | { readonly kind: "changed"; readonly held: bigint }
  /** Is taken back before it posts. */
  | { readonly kind: "vanishes" }
  /** Was never shown pending, and appears days after its date. */
  | { readonly kind: "late"; readonly days: number }
  /** Is posted wrongly at first and put right days later. */
  | { readonly kind: "corrected"; readonly first: bigint; readonly days: number }

export interface Book {
  readonly entries: ReadonlyArray<Entry>
  readonly draws: Draws
  /** Books a line at its instant. */
  readonly post: (line: Line) => void
  /** A purchase by card; it settles so many hours after the authorisation. */
  readonly purchase: (line: Line, course: Course, settleHours: number) => void
  /** Both legs of a transfer between own accounts. */
  readonly transfer: (from: Line, to: { readonly account: string; readonly text: string }) => void
}

const postingOf = (line: Line, at: number): Posting => ({
  date: dateOf(at),
  text: line.text,
  ...(line.merchant === undefined ? {} : { merchant: line.merchant }),
  units: line.units,
  type: line.type,
  category: line.category,
  reference: line.reference ?? ""
})

/** A book whose draws and ids depend on `key` alone. */
export const open = (key: string): Book => {
  const entries: Array<Entry> = []
  const nextId = (): string => `dt_${fingerprint(`${key}|${entries.length}`)}`

  const post = (line: Line): void => {
    entries.push({
      account: line.account,
      id: nextId(),
      pending: false,
      versions: [{ from: line.at, posting: postingOf(line, line.at) }]
    })
  }

  const authorise = (line: Line, units: bigint, goneAt: number): string => {
    const id = nextId()
    const { merchant: _, ...posting } = postingOf({ ...line, units }, line.at)
    entries.push({
      account: line.account,
      id,
      pending: true,
      versions: [{ from: line.at, posting: { ...posting, authorizedDate: dateOf(line.at) } }],
      goneAt
    })
    return id
  }

  const purchase = (line: Line, course: Course, settleHours: number): void => {
    const settlesAt = line.at + settleHours * hourMillis
    const posted: Posting = { ...postingOf(line, settlesAt), authorizedDate: dateOf(line.at) }
    if (course.kind === "late") {
      entries.push({
        account: line.account,
        id: nextId(),
        pending: false,
        versions: [{ from: line.at + course.days * dayMillis, posting: { ...posted, date: dateOf(line.at) } }]
      })
      return
    }
    const pendingId = authorise(line, course.kind === "changed" ? course.held : line.units, settlesAt)
    if (course.kind === "vanishes") return
    entries.push({
      account: line.account,
      id: nextId(),
      pending: false,
      settles: pendingId,
      versions:
        course.kind === "corrected"
          ? [
              { from: settlesAt, posting: { ...posted, units: course.first } },
              { from: settlesAt + course.days * dayMillis, posting: { ...posted, text: `${posted.text} ADJ` } }
            ]
          : [{ from: settlesAt, posting: posted }]
    })
  }

  return {
    entries,
    draws: draws(key),
    post,
    purchase,
    transfer: (from, to) => {
      post({ ...from, type: "TRANSFER_OUTGOING", category: "TRANSFER_OUT" })
      post({ ...from, ...to, units: -from.units, type: "TRANSFER_INCOMING", category: "TRANSFER_IN" })
    }
  }
}
