/** Providers that tell what changed and list what is gone, in every manner that such feeds have. */
import * as Effect from "effect/Effect"
import type { BankRead, Behaviour, TrueObservation } from "../../model/BankView.ts"
import { errorsPerThousand } from "../../model/IdentityQuality.ts"
import type { Seeded } from "@millrace/testing/model"
import type { Scene } from "./Scene.ts"
import { anAccount, percent, playWorlds } from "./World.ts"

type Through = (random: Seeded) => (read: BankRead, day: number) => BankRead

const asItIs: Through = () => (read) => read

/** What is gone is listed up to three reads after what took its place. */
const late: Through = (random) => {
  let waiting: Array<{ readonly id: string; readonly reads: number }> = []
  return (read) => {
    const due = waiting.filter(({ reads }) => reads === 0).map(({ id }) => id)
    waiting = waiting.flatMap(({ id, reads }) => (reads === 0 ? [] : [{ id, reads: reads - 1 }]))
    const now = [...read.removed].filter((id) => {
      if (!random.once(3)) return true
      waiting.push({ id, reads: random.below(3) })
      return false
    })
    const shown = new Set(read.observations.map(({ providerId }) => providerId))
    return { ...read, removed: new Set([...due, ...now].filter((id) => !shown.has(id))) }
  }
}

/** A feed whose cursor was lost on the way tells again what it has told in the last reads. */
const again: Through = (random) => {
  let before: ReadonlyArray<BankRead> = []
  return (read) => {
    before = [...before.slice(-2), read]
    if (read.coverage.kind !== "delta" || !random.once(5)) return read
    const rows = new Map<string, TrueObservation>()
    const removed = new Set<string>()
    for (const one of before) {
      for (const row of one.observations) {
        rows.set(row.providerId, row)
        removed.delete(row.providerId)
      }
      for (const id of one.removed) {
        rows.delete(id)
        removed.add(id)
      }
    }
    return { ...read, observations: [...rows.values()], removed }
  }
}

/** The rows of a window that are new or others since the last read, and the ids of those that it lacks. */
const asChanges: Through = () => {
  const told = new Map<string, TrueObservation>()
  return (read) => {
    if (read.coverage.kind !== "window") return read
    const { from } = read.coverage
    const shown = new Set(read.observations.map(({ providerId }) => providerId))
    const removed = [...told.values()].filter(({ date, providerId }) => date! >= from && !shown.has(providerId))
    const observations = read.observations.filter(({ hash, providerId }) => told.get(providerId)?.hash !== hash)
    for (const { providerId } of removed) told.delete(providerId)
    for (const row of observations) told.set(row.providerId, row)
    return {
      ...read,
      coverage: { kind: "delta" },
      observations,
      removed: new Set(removed.map(({ providerId }) => providerId))
    }
  }
}

interface Manner {
  readonly name: string
  readonly behaviour: Behaviour
  readonly through: Through
  /** Of edits where events are distinguished, in percent. */
  readonly least: number
}

const manners: ReadonlyArray<Manner> = [
  { name: "with links", behaviour: "linked", through: asItIs, least: 95 },
  { name: "without links", behaviour: "unlinked", through: asItIs, least: 95 },
  // Booked with a tip beside its pending form, a purchase is two records for ever: amounts have to be equal to join them.
  { name: "listed late", behaviour: "unlinked", through: late, least: 85 },
  { name: "told again", behaviour: "unlinked", through: again, least: 95 },
  { name: "lasting ids", behaviour: "stable", through: asChanges, least: 95 }
]

export const changeFeeds: Scene = {
  name: "change-feeds",
  title: "providers tell changes and list what is gone: with and without links, late, again, and under lasting ids",
  play: (effort) =>
    Effect.sync(() =>
      manners.flatMap(({ behaviour, least, name, through }) => {
        const histories = { small: 1, quick: 4, full: 20 }
        const quality = playWorlds(effort, histories, [behaviour], anAccount(120), { through, plain: true })
        return [
          { name: `errors per 1,000: ${name}`, value: errorsPerThousand(quality), goal: { max: 0 } },
          {
            name: `edits kept where distinguished, %: ${name}`,
            value: percent(quality.keptClear, quality.editedClear),
            goal: { min: least }
          }
        ]
      })
    )
}
