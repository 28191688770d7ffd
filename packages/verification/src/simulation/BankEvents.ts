/** What happens at a bank, in all the ways in which banks rewrite what they said. */
import { CalendarDate } from "@millrace/core"
import type { Seeded } from "@millrace/testing/model"
import type { ScriptedBank, ScriptedProvider, TrueRow } from "@millrace/testing/fake"
import type { Sometimes } from "./Sometimes.ts"

export const bankEvents = [
  "post",
  "post pending",
  "settle",
  "drop pending",
  "correct",
  "replace",
  "remove",
  "twin",
  "break",
  "backdate",
  "reissue",
  "reissue all"
] as const
export type BankEvent = (typeof bankEvents)[number]

/** Few of each, so that rows resemble each other. */
const words = ["coffee", "rent", "skip me", "salary", "books"] as const

/** Other words for the same event: no id makes one event of two texts with nothing in common. */
const otherText = ({ description }: TrueRow): string =>
  description.endsWith(" again") ? description.slice(0, -" again".length) : `${description} again`

/** How often each event happens, from 0. */
export type Weights = ReadonlyArray<readonly [BankEvent, number]>

/** The random hand behind one bank. */
export class BankHand {
  /** How many posted rows may still vanish before a careful reader would stop believing what it reads. */
  vanishing = 2
  readonly #random: Seeded
  readonly #provider: ScriptedProvider
  readonly #bank: ScriptedBank
  readonly #sometimes: Sometimes
  readonly #weights: Weights
  /** How many days back rows are dated. */
  readonly #days: number

  constructor(
    random: Seeded,
    provider: ScriptedProvider,
    bank: ScriptedBank,
    sometimes: Sometimes,
    weights: Weights,
    days: number
  ) {
    this.#random = random
    this.#provider = provider
    this.#bank = bank
    this.#sometimes = sometimes
    this.#weights = weights
    this.#days = days
  }

  /** Whether an id that is known says by itself which row it is. */
  get trusted(): boolean {
    const { idTrust } = this.#provider.options
    return idTrust === "stable" || idTrust === "perStatus"
  }

  /** Whether the id of a row is its place: whatever is shown under it next is what it is now. */
  get #isKeyed(): boolean {
    return this.trusted && this.#provider.options.changeModel === "delta"
  }

  rows(test: (row: TrueRow) => boolean): ReadonlyArray<TrueRow> {
    return [...this.#bank.rows.values()].filter(test)
  }

  day(now: number): CalendarDate.CalendarDate {
    return CalendarDate.addDays(CalendarDate.inZone(now, "UTC"), -this.#random.below(this.#days))
  }

  #amount(): string {
    return `${this.#random.below(9) - 4}.${this.#random.pick(["5", "05", "15"])}`
  }

  /** Another amount of the same event: one of the other sign would be another event. */
  #otherAmount({ amount }: TrueRow): string {
    return `${amount.startsWith("-") ? "-" : ""}${this.#random.below(5)}.5`
  }

  /** Does `act` to a random row that fits, if there is one. */
  #withRow(test: (row: TrueRow) => boolean, act: (row: TrueRow) => void): void {
    const rows = this.rows(test)
    if (rows.length > 0) act(this.#random.pick(rows))
  }

  #post(now: number, pending: boolean, back = 0): void {
    this.#bank.post({
      account: this.#random.pick(this.#bank.accountIds),
      date: CalendarDate.addDays(this.day(now), -back),
      amount: this.#amount(),
      description: this.#random.pick(words),
      pending
    })
  }

  /** A row that has another upstream id is, to anyone who reads snapshots, one that vanishes and one that comes. */
  #reissue(row: TrueRow): void {
    this.#bank.reissue(row)
  }

  /** The next thing that happens. `now` in milliseconds. */
  happen(now: number): void {
    if (this.#provider.options.changeModel === "appendOnly") return this.#post(now, false)
    const { idTrust } = this.#provider.options
    const happened = this.#sometimes
    switch (this.#random.weighted(this.#weights)) {
      case "post":
        return this.#post(now, false)
      case "post pending":
        return this.#post(now, true)
      case "settle":
        return this.#withRow(
          (row) => row.pending,
          (row) => {
            const link = this.#random.below(3) > 0
            const amount = this.#random.once(2) ? this.#otherAmount(row) : undefined
            this.#bank.settle(row, {
              newId: idTrust !== "stable",
              link,
              ...(amount === undefined ? {} : { change: { amount } })
            })
            happened.happened(link ? "settled with a link" : "settled without a link")
            if (amount !== undefined) happened.happened("settled with another amount")
          }
        )
      case "drop pending":
        return this.#withRow(
          (row) => row.pending,
          (row) => {
            this.#bank.remove(row)
            happened.happened("pending row dropped")
          }
        )
      case "correct":
        // Where ids say nothing, a row that changes is one that vanishes and one that comes.
        if (!this.trusted && this.vanishing === 0) return
        return this.#withRow(
          (row) => !row.pending,
          (row) => {
            if (!this.trusted) this.vanishing--
            if (this.#isKeyed && this.#random.once(3)) {
              this.#bank.change(row, { amount: this.#amount(), description: this.#random.pick(words) })
              return happened.happened("row corrected in all it says")
            }
            this.#bank.change(
              row,
              this.#random.once(2) ? { amount: this.#otherAmount(row) } : { description: otherText(row) }
            )
            happened.happened("row corrected")
          }
        )
      case "replace":
        // A feed of changes has no way to say that the event before is gone.
        if (this.vanishing === 0 || !this.#provider.options.changeModel.startsWith("snapshot")) return
        return this.#withRow(
          (row) => !row.pending,
          (row) => {
            this.vanishing--
            this.#bank.replace(row, { amount: this.#amount(), description: this.#random.pick(words) })
            happened.happened("another event under the same id")
          }
        )
      case "remove":
        if (this.vanishing === 0) return
        return this.#withRow(
          (row) => !row.pending,
          (row) => {
            this.vanishing--
            this.#bank.remove(row)
            happened.happened("row removed")
          }
        )
      case "twin":
        // The same event twice, and both are real.
        return this.#withRow(
          () => true,
          ({ account, amount, date, description, pending }) => {
            this.#bank.post({ account, amount, date, description, pending })
            happened.happened("real twin")
          }
        )
      case "break":
        return this.#withRow(
          (row) => row.pending || this.trusted,
          (row) => {
            this.#bank.change(row, { broken: row.broken !== true })
            happened.happened("bank shows a row that cannot be read")
          }
        )
      case "backdate":
        this.#post(now, false, 3 + this.#random.below(6))
        return happened.happened("backdated row")
      case "reissue":
        if (this.vanishing === 0) return
        return this.#withRow(
          (row) => !row.pending && row.broken !== true,
          (row) => {
            this.vanishing--
            this.#reissue(row)
            happened.happened("row under a new id")
          }
        )
      case "reissue all":
        // Only ids of a session are handed out again when a connection is.
        if (idTrust !== "session") return
        for (const row of this.rows(() => true)) this.#reissue(row)
        return happened.happened("all rows under new ids")
    }
  }
}
