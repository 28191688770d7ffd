import type { RecordChange } from "@millrace/core/enrichment"
import { packedHistory, placeOf } from "../../src/storage/postgres/HistoryBlock.ts"
import { describe, expect, it } from "vitest"

const digits = "0123456789abcdefghjkmnpqrstvwxyz"
const idOf = (prefix: string, number: number): string =>
  `${prefix}_00000000000000000000000${digits[number >> 10]}${digits[(number >> 5) & 31]}${digits[number & 31]}`

const changeOf = (record: number, entry: number, own: Partial<RecordChange> = {}): RecordChange =>
  ({
    id: idOf("chg", entry),
    workspaceId: "ws_00000000000000000000000001",
    feedId: "feed_00000000000000000000000001",
    accountId: "acct_00000000000000000000000001",
    recordId: idOf("txn", record),
    recordVersion: 1,
    field: "category",
    before: null,
    after: "Food",
    beforeAuthority: "provider",
    afterAuthority: "rule",
    enrichmentId: "enr_1",
    revision: 1,
    actor: { kind: "sync", feedId: "feed_00000000000000000000000001" },
    at: "2026-03-14T00:00:00.000Z",
    ...own
  }) as RecordChange

const many = (count: number, record = (n: number) => n, entry = (n: number) => n) =>
  Array.from({ length: count }, (_, n) => changeOf(record(n), entry(n)))

const sizesOf = (changes: ReadonlyArray<RecordChange>) => {
  const { alone, blocks } = packedHistory(changes)
  return { alone: alone.length, blocks: blocks.map(({ of }) => of.size) }
}

describe("what one run adds to many rows", () => {
  it("is kept in blocks of equal size, each of ids that begin alike", () => {
    expect(sizesOf(many(130))).toEqual({ alone: 0, blocks: [44, 44, 42] })
    expect(sizesOf(many(20, (n) => 1_014 + n))).toEqual({ alone: 0, blocks: [10, 10] })
  })

  it("stands alone where few rows are near each other", () => {
    expect(sizesOf(many(3))).toEqual({ alone: 3, blocks: [] })
    expect(sizesOf(many(30, (n) => n * 1_024))).toEqual({ alone: 30, blocks: [] })
  })

  it("is parted where ids of entries do not follow each other, or another run goes on", () => {
    expect(sizesOf(many(20, undefined, (n) => (n < 10 ? n : n + 1)))).toEqual({ alone: 0, blocks: [10, 10] })
    const later = { at: "2026-03-15T00:00:00.000Z" as RecordChange["at"] }
    const runs = many(20).map((one, n) => (n < 6 ? one : { ...one, ...later }))
    expect(sizesOf(runs)).toEqual({ alone: 0, blocks: [6, 14] })
    expect(sizesOf(many(10).map((one) => ({ ...one, id: "chg_other" as RecordChange["id"] })))).toEqual({
      alone: 10,
      blocks: []
    })
  })

  it("has its place among all that is added with it", () => {
    const { alone, blocks } = packedHistory(many(14, (n) => (n < 10 ? n : n * 1_024)))
    expect(blocks.map(({ place }) => place)).toEqual([1])
    expect(alone.map(({ place }) => place)).toEqual([2, 3, 4, 5])
  })

  it("names no id but the first", () => {
    const [block] = packedHistory(many(20)).blocks
    expect(block!.of.body.match(/chg_/g)).toHaveLength(1)
    expect(block!.of.body).not.toContain("txn_")
  })

  it("is found by its record, and lines by the record that they are of", () => {
    expect(placeOf("txn_abcde")).toEqual({ begins: "txn_abc", end: "de" })
    expect(placeOf("txn_abcde:line")).toEqual({ begins: "txn_abc", end: "de" })
  })
})
