/** Files of one account one after the other, whose texts come out differently each time: no row stands twice, and no twin is lost. */
import * as Effect from "effect/Effect"
import { Seeded } from "@millrace/testing/model"
import { reworded } from "./Rewording.ts"
import { sizeOf, type Effort, type Figure, type Scene, type Size } from "./Scene.ts"
import {
  addOutcome,
  downloadsOf,
  layouts,
  noOutcome,
  outcomeOf,
  readOf,
  type Download,
  type Layout,
  type Outcome
} from "./StatementFiles.ts"
import { bookingsOf, type Booking } from "./TwoSources.ts"
import { merchantName } from "./World.ts"

type Order = "oldest first" | "newest first" | "any order"
const orders: ReadonlyArray<Order> = ["oldest first", "newest first", "any order"]

const ordered = <A>(random: Seeded, all: ReadonlyArray<A>, order: Order): ReadonlyArray<A> =>
  order === "oldest first"
    ? all
    : order === "newest first"
      ? all.toReversed()
      : all
          .map((one) => ({ one, at: random.below(1_000_000) }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ one }) => one)

const textsOf = (random: Seeded, plain: boolean) => {
  const names = new Map<number, string>()
  return (booking: Booking): string => {
    const name = names.get(booking.merchant) ?? `CAFÉ ${merchantName(booking.merchant)}`
    names.set(booking.merchant, name)
    return plain ? name : reworded(random, name)
  }
}

interface Play {
  readonly seed: number
  readonly layoutOf: (number: number) => Layout
  readonly order: Order
  readonly plain: boolean
  /** Each file is of all rows, so that the days are shared whole. */
  readonly whole?: boolean
}

const played = ({ layoutOf, order, plain, seed, whole = false }: Play): Outcome => {
  const random = new Seeded(seed)
  const bookings = bookingsOf(random, { days: 60 })
  const downloads: ReadonlyArray<Download> = whole
    ? [0, 1, 2].map((n) => ({ layout: layoutOf(n), from: 0, to: bookings.length }))
    : downloadsOf(random, bookings, layoutOf)
  const textOf = textsOf(random, plain)
  const reads = downloads.map((download, n) => readOf(bookings, download, n, textOf))
  return outcomeOf(bookings, ordered(random, reads, order), 70)
}

const histories: Readonly<Record<Size, number>> = { small: 2, quick: 10, full: 60 }

const sumOf = (effort: Effort, play: (seed: number) => Outcome): Outcome =>
  Array.from({ length: sizeOf(effort, histories) }, (_, n) => play(effort.seed + n)).reduce(addOutcome, noOutcome())

const overOrders = (effort: Effort, of: Omit<Play, "seed" | "order">): Outcome =>
  orders.map((order) => sumOf(effort, (seed) => played({ ...of, order, seed }))).reduce(addOutcome, noOutcome())

const figuresOf = (name: string, outcome: Outcome, isProven: boolean): ReadonlyArray<Figure> => {
  const per = (count: number): number => (1_000 * count) / outcome.rows
  const { doubled, doubledSilently, lost, lostSilently } = outcome
  return isProven
    ? [
        { name: `${name}: doubled per 1,000`, value: per(doubled), goal: { max: 0 } },
        { name: `${name}: twins lost per 1,000`, value: per(lost), goal: { max: 0 } }
      ]
    : [
        { name: `${name}: doubled without a suggestion per 1,000`, value: per(doubledSilently), goal: { max: 0 } },
        { name: `${name}: twins lost without a suggestion per 1,000`, value: per(lostSilently), goal: { max: 0 } },
        { name: `${name}: questions per 1,000`, value: per(outcome.asked) }
      ]
}

/** Whether ids or balances tell what is a twin. */
const proves = ({ balances, ids }: Layout): boolean => balances !== "none" || ids === "stable"

const pairOf = (n: number): readonly [Layout, Layout] => [
  layouts[n % layouts.length]!,
  layouts[(n * 4 + 3) % layouts.length]!
]

export const consecutiveFiles: Scene = {
  name: "consecutive-files",
  title: "files of one account follow each other, overlap or not, in any order, and write texts differently each time",
  play: (effort) =>
    Effect.sync(() => [
      ...layouts.flatMap((layout) => [
        ...figuresOf(
          `${layout.name}, the same rows again`,
          overOrders(effort, { layoutOf: () => layout, plain: false, whole: true }),
          true
        ),
        ...figuresOf(
          `${layout.name}, one after the other`,
          overOrders(effort, { layoutOf: () => layout, plain: true }),
          proves(layout)
        ),
        ...figuresOf(
          `${layout.name}, one after the other, reworded`,
          overOrders(effort, { layoutOf: () => layout, plain: false }),
          proves(layout)
        )
      ]),
      ...figuresOf(
        "two layouts, the same rows again",
        layouts
          .map((_, at) => overOrders(effort, { layoutOf: (n) => pairOf(at)[n % 2]!, plain: false, whole: true }))
          .reduce(addOutcome, noOutcome()),
        true
      ),
      ...figuresOf(
        "two layouts, one after the other, reworded",
        layouts
          .map((_, at) => overOrders(effort, { layoutOf: (n) => pairOf(at)[n % 2]!, plain: false }))
          .reduce(addOutcome, noOutcome()),
        false
      )
    ])
}
