import type { LedgerRecord } from "../../src/record/LedgerRecord.ts"
import { matches } from "../../src/record/RecordMatch.ts"
import type { RecordFilter } from "../../src/record/RecordStore.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import { Id } from "../../src/shared/Ids.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"

const accountId = Schema.decodeSync(Id("account"))(`acct_${"0".repeat(26)}`)

const at = Timestamp.make("2026-03-14T09:30:00.000Z")

const recordOf = (change: Partial<LedgerRecord>): LedgerRecord => ({
  id: "txn_1",
  accountId,
  dataType: "transactions",
  providerId: "p1",
  date: null,
  pending: false,
  state: "live",
  hash: "h",
  fields: {},
  changeNo: 1,
  publicChangeNo: 1,
  version: 1,
  annotated: false,
  createdAt: at,
  updatedAt: at,
  ...change
})

const record = recordOf({
  date: CalendarDate.make("2026-03-14"),
  pending: false,
  fields: { description: "Coop 100% Zürich", merchantName: "COOP", type: "CARD", category: "FOOD", amount: "-12.5" }
})
const bare = recordOf({ pending: true })
const day = CalendarDate.make
const money = Decimal.make

describe("matches", () => {
  it("means live records unless another state is asked for, and none that is part of another", () => {
    const states = ["live", "removed", "deleted"] as const
    for (const state of states) {
      const found = states.filter((is) => matches({ state })(recordOf({ state: is })))
      expect(found).toEqual([state])
    }
    expect(states.map((state) => matches({})(recordOf({ state })))).toEqual([true, false, false])
    expect(matches({ state: "removed" })(recordOf({ state: "removed", mergedInto: "txn_0" }))).toBe(false)
  })

  it.each([
    [{}, true, true],
    [{ from: day("2026-03-14"), to: day("2026-03-14") }, true, false],
    [{ from: day("2026-03-15") }, false, false],
    [{ to: day("2026-03-13") }, false, false],
    [{ pending: true }, false, true],
    [{ pending: false }, true, false],
    [{ type: "CARD" }, true, false],
    [{ type: "card" }, false, false],
    [{ category: "FOOD", text: "zürich" }, true, false],
    [{ text: "coop" }, true, false],
    [{ text: "100%" }, true, false],
    [{ text: "1_0" }, false, false],
    [{ text: "co.p" }, false, false],
    [{ minAmount: money("-12.5"), maxAmount: money("-12.5") }, true, false],
    [{ minAmount: money("-12.49") }, false, false],
    [{ maxAmount: money("-100") }, false, false],
    [{ maxAmount: money("0") }, true, false]
  ] as ReadonlyArray<[RecordFilter, boolean, boolean]>)(
    "tells for %j whether a row passes: %s, and an empty one: %s",
    (filter, full, empty) => {
      expect([matches(filter)(record), matches(filter)(bare)]).toEqual([full, empty])
    }
  )
})
