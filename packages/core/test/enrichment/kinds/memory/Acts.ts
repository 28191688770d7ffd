/** Acts of people, and what a memory makes of them. */
import { createHash } from "node:crypto"
import * as Result from "effect/Result"
import type { EnrichmentFact } from "../../../../src/enrichment/kinds/EnrichmentFact.ts"
import type { PersonsAct } from "../../../../src/enrichment/kinds/Kind.ts"
import { MemoryConfig } from "../../../../src/enrichment/kinds/memory/MemoryConfig.ts"
import type { MemoryPattern, PatternName } from "../../../../src/enrichment/kinds/memory/MemoryPattern.ts"
import { learnPatterns } from "../../../../src/enrichment/kinds/memory/PatternLife.ts"
import type { Fields, FieldValue } from "../../../../src/record/FieldValue.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import { derivedId } from "../../../../src/shared/DerivedId.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import * as Timestamp from "../../../../src/shared/Timestamp.ts"

export const today = CalendarDate.make("2026-05-31")
export const scope = {
  workspaceId: "ws_00000000000000000000000001" as PersonsActs["workspaceId"],
  enrichmentId: "enr_00000000000000000000000001" as PersonsActs["enrichmentId"]
}
type PersonsActs = Pick<MemoryPattern, "workspaceId" | "enrichmentId">

export const configOf = (sent: object = {}): MemoryConfig => Result.getOrThrow(decode(MemoryConfig, sent))

/** `undefined` takes back what was filled in. */
export const act = (
  recordId: string,
  value: FieldValue | undefined,
  fields: Fields = {},
  day = "2026-05-20",
  field = "category"
): PersonsAct => ({
  id: `fct_${recordId}_${day}_${field}`,
  recordId,
  fields: { merchantName: "Harbour Market", amount: "-12.4", accountId: "card", ...fields },
  field,
  value,
  at: Timestamp.make(`${day}T10:00:00.000Z`),
  day: CalendarDate.make(day)
})

export const acts = (count: number, value: FieldValue | undefined, fields: Fields = {}, from = 0, day?: string) =>
  Array.from({ length: count }, (_, n) => act(`r${String(from + n).padStart(4, "0")}`, value, fields, day))

/** A fact about the memory as a whole. */
export const decision = (of: Pick<EnrichmentFact, "kind" | "otherId"> & Partial<EnrichmentFact>): EnrichmentFact => ({
  id: "fct_00000000000000000000000001" as EnrichmentFact["id"],
  ...scope,
  dataType: "transactions",
  by: { kind: "user", userId: "usr_1" },
  at: Timestamp.make("2026-05-31T00:00:00.000Z"),
  ...of
})

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

export const idOf = ({ condition, field, key, value }: PatternName): MemoryPattern["id"] =>
  `pat_${derivedId(sha256, JSON.stringify([key, field, condition, value]))}` as MemoryPattern["id"]

export const learn = (
  all: ReadonlyArray<PersonsAct>,
  over: Partial<Parameters<typeof learnPatterns>[0]> = {}
): ReadonlyArray<MemoryPattern> =>
  learnPatterns({
    scope,
    config: configOf(),
    today,
    now: Timestamp.make(`${over.today ?? today}T12:00:00.000Z`),
    acts: all,
    facts: [],
    before: [],
    idOf,
    ...over
  })

/** What tells patterns apart, and what they do. */
export const shown = (patterns: ReadonlyArray<MemoryPattern>) =>
  patterns
    .map(({ condition, field, key, reason, status, value }) => [
      key,
      field,
      condition === null ? null : Object.values(condition).join(" "),
      value,
      ...(reason === undefined ? [status] : [status, reason])
    ])
    .toSorted((a, b) => (String(a) < String(b) ? -1 : 1))
