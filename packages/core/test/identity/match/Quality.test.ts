import { behaviours, type Behaviour } from "@millrace/verification/model/BankView"
import {
  addQuality,
  errorsPerThousand,
  noQuality,
  playHistories,
  type Quality
} from "@millrace/verification/model/IdentityQuality"
import { byIdentity, type Matcher } from "@millrace/verification/model/LedgerReplay"
import { upsertById } from "@millrace/verification/model/UpsertById"
import { describe, expect, it } from "vitest"

const histories = process.env["MILLRACE_LONG"] === undefined ? 2 : 20

const played = (match: Matcher): ReadonlyMap<Behaviour, Quality> =>
  new Map(behaviours.map((behaviour) => [behaviour, playHistories(behaviour, { seed: 1, histories, days: 90 }, match)]))

const total = (qualities: ReadonlyMap<Behaviour, Quality>): Quality =>
  [...qualities.values()].reduce(addQuality, noQuality())

describe("a ledger kept through histories of accounts", { timeout: 600_000 }, () => {
  it("holds what the bank booked, once, and what people put on it, whatever the provider does with ids", () => {
    const qualities = played(byIdentity)
    const worst = [...qualities].map(([behaviour, quality]) => [behaviour, errorsPerThousand(quality)] as const)
    expect(worst.filter(([, errors]) => errors > 3)).toEqual([])
    const all = total(qualities)
    expect(all.posted).toBeGreaterThan(4_000)
    expect(errorsPerThousand(all)).toBeLessThanOrEqual(0.5)
    expect(all.edited).toBeGreaterThan(1_000)
    expect(all.kept / all.edited).toBeGreaterThanOrEqual(0.85)
    expect(all.keptClear / all.editedClear).toBeGreaterThanOrEqual(0.95)
  })

  it("would not, were rows only known by their ids", () => {
    const all = total(played(upsertById))
    expect(errorsPerThousand(all)).toBeGreaterThan(40)
    expect(all.kept / all.edited).toBeLessThan(0.5)
  })

  it("is lived the same way from the same seed", () => {
    const options = { seed: 77, histories: 1, days: 30 }
    expect(playHistories("gaps", options, byIdentity)).toEqual(playHistories("gaps", options, byIdentity))
  })
})
