/** Banks that show fewer days than a read has to cover. */
import { Timestamp } from "@millrace/core"
import * as Effect from "effect/Effect"
import { dateOf } from "../../model/AccountHistory.ts"
import { amountOf, type BankRead, type TrueObservation } from "../../model/BankView.ts"
import { byIdentity, LedgerReplay } from "../../model/LedgerReplay.ts"
import { Seeded } from "@millrace/testing/model"
import { sizeOf, type Effort, type Scene } from "./Scene.ts"
import { percent } from "./World.ts"

const days = 400
const lookBack = 14

interface Shape {
  readonly everyDays: number
  /** The day after which nothing is booked any more. */
  readonly until: number
}

const shapes: ReadonlyArray<Shape> = [30, 7, 1].flatMap((everyDays) => [
  { everyDays, until: days },
  { everyDays, until: days / 2 }
])

/** Rows with ids, or without. */
const rowsOf = (random: Seeded, { everyDays, until }: Shape, ids: boolean): ReadonlyArray<TrueObservation> => {
  const rows: Array<TrueObservation> = []
  for (let day = random.below(everyDays); day < until; day += everyDays) {
    const event = rows.length
    const text = `SHOP ${random.below(20)}`
    const amount = amountOf(-100 - random.below(9_000))
    const date = dateOf(day)
    const fields = { date, description: text, originalDescription: text, amount, currency: "EUR", pending: false }
    const providerId = ids ? `t${event}` : ""
    rows.push({
      providerId,
      pendingProviderId: "",
      date,
      pending: false,
      hash: `${date} ${text} ${amount}`,
      fields,
      event
    })
  }
  return rows
}

type Kind = "windows" | "snapshots" | "repeated"

/** Of an account that is read every day and for which the bank shows the last days only: rows, and rows left. */
const live = (effort: Effort, kind: Kind, ids: boolean, shape: Shape, shown: number, seed: number) => {
  const rows = rowsOf(new Seeded(effort.seed + seed), shape, ids)
  const ledger = new LedgerReplay(byIdentity)
  for (let day = 0; day < days; day++) {
    const visible = rows.filter(({ date }) => date! <= dateOf(day) && date! > dateOf(day - shown))
    const from = kind === "repeated" && day % 60 < 3 ? 0 : Math.max(0, Math.min(day, shape.until) - lookBack)
    const coverage: BankRead["coverage"] =
      kind === "snapshots"
        ? { kind: "full", complete: true }
        : { kind: "window", from: dateOf(from), to: dateOf(day), complete: true }
    const observations = kind === "snapshots" ? visible : visible.filter(({ date }) => date! >= dateOf(from))
    const read: BankRead = { idTrust: ids ? "stable" : "none", coverage, observations, removed: new Set() }
    ledger.take(read, Timestamp.make(`${dateOf(day)}T06:00:00.000Z`))
  }
  const left = [...ledger.records.values()].filter(({ entry }) => entry.state === "live").length
  return { rows: rows.length, left }
}

export const shortHistory: Scene = {
  name: "short-history",
  title: "a bank shows the last 9, 30 or 90 days and claims to cover what it was asked for, up to 400",
  play: (effort) =>
    Effect.sync(() => {
      const histories = sizeOf(effort, { small: 1, quick: 1, full: 4 })
      return (["windows", "snapshots", "repeated"] as const).map((kind) => {
        let [all, left] = [0, 0]
        for (let seed = 0; seed < histories; seed++) {
          for (const shape of shapes) {
            for (const shown of effort.size === "small" ? [9] : [9, 30, 90]) {
              for (const ids of [true, false]) {
                const found = live(effort, kind, ids, shape, shown, seed)
                all += found.rows
                left += Math.min(found.left, found.rows)
              }
            }
          }
        }
        return { name: `rows left, %: ${kind}`, value: percent(left, all), goal: { min: 100 } }
      })
    })
}
