import type { RecordChange } from "@millrace/core/enrichment"
import { Seeded } from "@millrace/testing/model"
import {
  packedRows as packed,
  type PackedRow,
  type StoredRow,
  unpacked
} from "../../src/storage/postgres/PackedHistory.ts"
import { describe, expect, it } from "vitest"

const digits = "0123456789abcdefghjkmnpqrstvwxyz"
const shared = {
  workspaceId: "ws_00000000000000000000000001",
  feedId: "feed_00000000000000000000000001",
  accountId: "acct_00000000000000000000000001",
  recordId: "txn_1",
  recordVersion: 2,
  jobId: "job_00000000000000000000000001",
  actor: { kind: "sync", feedId: "feed_00000000000000000000000001", jobId: "job_00000000000000000000000001" },
  at: "2026-03-14T00:00:00.000Z"
}

const storedOf = ({ accountId, body, feedId, id, jobId, recordId, workspaceId }: PackedRow): StoredRow => ({
  id,
  workspace_id: workspaceId,
  feed_id: feedId,
  account_id: accountId,
  record_id: recordId,
  job_id: jobId ?? null,
  field: null,
  body: JSON.parse(body)
})

/** Some entries of a row, with ids that follow each other, or not. */
const changesOf = (random: Seeded): ReadonlyArray<RecordChange> => {
  let number = random.below(1_000)
  let word: object = {}
  return Array.from({ length: 1 + random.below(12) }, (_, n) => {
    number += random.once(5) ? 1 + random.below(40) : 1
    if (n === 0 || random.once(3)) {
      const evidence = random.pick([undefined, null, { by: "x" }, ["y"], "z"])
      word = {
        afterAuthority: random.pick(["provider", "rule", "ai", "user"]),
        ...(random.once(4) ? {} : { enrichmentId: random.pick(["enr_1", "enr_2"]), revision: random.below(3) }),
        ...(random.once(2) ? {} : { rulePath: random.pick(["", "r1"]) }),
        ...(evidence === undefined ? {} : { evidence })
      }
    }
    return {
      ...shared,
      ...word,
      id: `chg_0000000000000000000000${digits[number >> 15]}${digits[(number >> 10) & 31]}${digits[(number >> 5) & 31]}${digits[number & 31]}`,
      field: `f${n}`,
      before: random.pick([null, "", "a", true]),
      after: random.pick([null, "b", false]),
      beforeAuthority: random.pick(["provider", "rule", "user"])
    } as unknown as RecordChange
  })
}

describe("entries of one run, kept together", () => {
  it("are read as they were, whatever ids, words and evidence they have", () => {
    const random = new Seeded(17)
    for (let n = 0; n < 2_000; n++) {
      const changes = changesOf(random)
      const rows = packed(changes)
      expect(rows.length).toBe(1)
      expect(unpacked(storedOf(rows[0]!))).toEqual(changes)
    }
  })

  it("name no id that follows from the next one", () => {
    const changes = ["a", "b", "c"].map((last) => ({
      ...changesOf(new Seeded(1))[0]!,
      id: `chg_0000000000000000000000000${last}` as RecordChange["id"]
    }))
    expect(packed(changes)[0]!.body).not.toContain("chg_")
  })

  it("are read as they were written before, with the names of all that they say", () => {
    const named = {
      recordVersion: 2,
      at: shared.at,
      words: [
        {
          afterAuthority: "ai",
          enrichmentId: "enr_1",
          revision: 1,
          rulePath: "local",
          evidence: { by: "x" },
          changes: [["chg_00000000000000000000000001", "category", null, "provider", "Food"]]
        },
        { afterAuthority: "rule", enrichmentId: "enr_2", revision: 3, changes: [[null, "notes", "a", "user", "b"]] }
      ]
    }
    const { actor: _, ...columns } = shared
    const row = { ...columns, id: "chg_00000000000000000000000009", fields: [], body: JSON.stringify(named) }
    const base = { ...shared }
    expect(unpacked(storedOf(row as unknown as PackedRow))).toEqual([
      {
        ...base,
        id: "chg_00000000000000000000000001",
        field: "category",
        before: null,
        beforeAuthority: "provider",
        after: "Food",
        afterAuthority: "ai",
        enrichmentId: "enr_1",
        revision: 1,
        rulePath: "local",
        evidence: { by: "x" }
      },
      {
        ...base,
        id: row.id,
        field: "notes",
        before: "a",
        beforeAuthority: "user",
        after: "b",
        afterAuthority: "rule",
        enrichmentId: "enr_2",
        revision: 3
      }
    ])
  })
})
