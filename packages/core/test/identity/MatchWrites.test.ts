import type { Match, MatchEvidence } from "../../src/identity/match/Matching.ts"
import { isWorthLogging, needsBefore, writeOf } from "../../src/identity/MatchWrites.ts"
import type { HeldRecord } from "../../src/record/LedgerRecord.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Ids } from "../../src/shared/Ids.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"

const accountId = Effect.runSync(Effect.flatMap(Ids, (ids) => ids.next("account")).pipe(Effect.provide(Ids.layer)))
const at = Timestamp.make("2026-03-14T09:30:00.000Z")
const content = { date: "2026-03-10", amount: "-5", currency: "EUR", description: "LAMP", category: "HOME" }

const held = (change: Partial<HeldRecord>): HeldRecord => ({
  id: "txn_1",
  accountId,
  dataType: "transactions",
  providerId: "p1",
  date: CalendarDate.make("2026-03-10"),
  pending: false,
  state: "live",
  hash: "h1",
  fields: content,
  changeNo: 1,
  publicChangeNo: 1,
  version: 1,
  annotated: false,
  createdAt: at,
  updatedAt: at,
  missed: 0,
  missedSince: null,
  missedAt: null,
  apart: false,
  ...change
})

const matched = (before: HeldRecord, tier: MatchEvidence["tier"], change: Partial<Match["observation"]>): Match => ({
  observation: {
    providerId: "p1",
    pendingProviderId: "",
    date: CalendarDate.make("2026-03-12"),
    pending: false,
    hash: "h2",
    fields: content,
    ...change
  },
  entry: before,
  evidence: { tier }
})

describe("what is kept of a match", () => {
  const posted = held({})
  const pending = held({ pending: true })
  it.each([
    ["a settlement by cost", pending, "cost", {}, true],
    ["a settlement that the bank links", pending, "link", {}, true],
    ["an id whose booked row has another amount", posted, "id", { fields: { ...content, amount: "-6" } }, true],
    ["an id whose booked row has another text", posted, "id", { fields: { ...content, description: "DESK" } }, true],
    ["an id whose booked row has another category", posted, "id", { fields: { ...content, category: "FOOD" } }, false],
    ["an id that settles", pending, "id", { fields: { ...content, amount: "-6" } }, false],
    ["equal content", posted, "equal", { hash: "h1", providerId: "p2" }, false]
  ] as const)("is all of it, or nothing: %s", (_, before, tier, change, kept) => {
    const match = matched(before, tier, change)
    expect(needsBefore("transactions", match) && isWorthLogging(match, before)).toBe(kept)
  })

  it("is nothing for other types of data", () => {
    expect(needsBefore("trades", matched(posted, "id", {}))).toBe(false)
  })
})

describe("writeOf", () => {
  const { observation } = matched(held({}), "cost", {})
  it("keeps the day of the pending row where the booked one does not tell it", () => {
    const pending = held({ pending: true })
    expect(writeOf("txn_1", observation, pending).fields["authorizedDate"]).toBe("2026-03-10")
    const earlier = held({ pending: true, fields: { ...content, authorizedDate: "2026-03-09" } })
    expect(writeOf("txn_1", observation, earlier).fields["authorizedDate"]).toBe("2026-03-09")
    const told = { ...observation, fields: { ...content, authorizedDate: "2026-03-08" } }
    expect(writeOf("txn_1", told, pending).fields["authorizedDate"]).toBe("2026-03-08")
  })

  it("does not forget it when the booked row is corrected", () => {
    const settled = held({ fields: { ...content, authorizedDate: "2026-03-10" } })
    expect(writeOf("txn_1", observation, settled).fields["authorizedDate"]).toBe("2026-03-10")
    expect(writeOf("txn_1", observation, held({})).fields).toEqual(content)
    expect(writeOf("txn_1", observation, undefined)).toMatchObject({ id: "txn_1", state: "live", fields: content })
  })
})
