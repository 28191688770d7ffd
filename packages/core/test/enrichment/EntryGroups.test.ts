import type { AccountId } from "@millrace/core/bank"
import { type AnalysisEntry, EntryGroups } from "@millrace/core/storage"
import { describe, expect, it } from "@effect/vitest"

const [first, second] = ["acct_1" as AccountId, "acct_2" as AccountId]

const entries: ReadonlyArray<AnalysisEntry> = [
  { partition: "a", recordId: "c", accountId: first, fields: { date: "2026-03-14", amount: "-1" } },
  { partition: "a", recordId: "d", accountId: second, fields: { date: "2026-03-14", amount: "-1" } },
  { partition: "a", recordId: "a", accountId: first, fields: { amount: "-2", date: "2026-03-14" } },
  { partition: "b", recordId: "a", accountId: first, fields: {} },
  {
    partition: "a",
    recordId: "b",
    accountId: first,
    fields: { date: "2026-03-15", amount: "3" },
    lines: [{ id: "x", fields: {} }]
  }
]

/** The order of fields counts as well. */
const textsOf = (some: ReadonlyArray<AnalysisEntry>) =>
  some.map(({ accountId, fields, lines, partition, recordId }) =>
    JSON.stringify([partition, recordId, accountId, fields, lines])
  )

const groups = new EntryGroups()
for (const { accountId, fields, lines, partition, recordId } of entries) {
  groups.of(accountId, partition).add(recordId, fields, lines)
}

describe("EntryGroups", () => {
  it("hand entries back as they were added, by account and partition", () => {
    expect(groups.all.map((group) => textsOf(group.entries))).toEqual([
      textsOf([entries[0]!, entries[2]!, entries[4]!]),
      textsOf([entries[1]!]),
      textsOf([entries[3]!])
    ])
  })

  it("sort the entries of a group by record, with their fields and lines", () => {
    const [group] = groups.all
    expect(group!.sorted.records).toEqual(["a", "b", "c"])
    expect(textsOf(group!.sorted.entries)).toEqual(textsOf([entries[2]!, entries[4]!, entries[0]!]))
  })
})
