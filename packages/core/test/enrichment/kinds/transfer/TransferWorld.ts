/** What transfer_match says of records, in a form that tests read. */
import { SetWorld } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { EnrichmentFact } from "../../../../src/enrichment/kinds/EnrichmentFact.ts"
import type { SetAccount, SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import { TransferConfig } from "../../../../src/enrichment/kinds/transfer/TransferConfig.ts"
import type { TransferEvidence } from "../../../../src/enrichment/kinds/transfer/TransferEvidence.ts"
import { transferMatch } from "../../../../src/enrichment/kinds/transfer/transferMatch.ts"
import type { CalendarDate } from "../../../../src/shared/CalendarDate.ts"
import type { RateTable } from "../../../../src/shared/RateTable.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import { make } from "../../../../src/shared/Timestamp.ts"

export interface Setting {
  readonly accounts: ReadonlyArray<SetAccount>
  readonly records: ReadonlyArray<SetRecord>
  readonly today: CalendarDate
  readonly config?: unknown
  readonly facts?: ReadonlyArray<EnrichmentFact>
  readonly rates?: RateTable
}

let facts = 0

/** What a person said of two records. */
export const fact = (kind: EnrichmentFact["kind"], recordId: string, otherId: string): EnrichmentFact => ({
  id: `fct_${String(facts++).padStart(26, "0")}` as EnrichmentFact["id"],
  workspaceId: "ws_00000000000000000000000001" as EnrichmentFact["workspaceId"],
  dataType: "transactions",
  kind,
  recordId,
  otherId,
  by: { kind: "user", userId: "usr_1" },
  at: make("2026-05-31T00:00:00.000Z")
})

export const worldOf = ({ accounts, config = {}, facts: decided = [], rates, today }: Omit<Setting, "records">) => {
  const world = new SetWorld({
    kind: transferMatch,
    config: Result.getOrThrow(decode(TransferConfig, config)),
    dataType: "transactions",
    accounts,
    baseCurrency: accounts[0]!.currency,
    today,
    ...(rates === undefined ? {} : { rates })
  })
  world.facts = decided
  return world
}

export const readLinks = (world: SetWorld) => {
  const claims = world.said.flatMap(([, plan]) => plan.claims)
  const values = (recordId: string) =>
    Object.fromEntries(claims.flatMap((claim) => (claim.recordId === recordId ? [[claim.field, claim.value]] : [])))
  const links = world.said
    .flatMap(([, plan]) => plan.links)
    .map(({ evidence, members, state }) => {
      const { proof } = evidence as TransferEvidence
      const of = values(members[0]!.recordId)
      return {
        state,
        members: members.map(({ recordId }) => recordId),
        kind: of["transfer.kind"],
        confidence: of["transfer.confidence"],
        fee: of["transfer.fee"],
        parts: proof?.pair.parts,
        counts: proof?.pair.counts,
        score: proof?.pair.score,
        margin: proof?.margin,
        rival: proof?.rival,
        interchangeable: proof?.interchangeable
      }
    })
    .toSorted((a, b) => (a.members[0]! < b.members[0]! ? -1 : 1))
  return { links, values }
}

export const transfers = Effect.fnUntraced(function* (setting: Setting) {
  const world = worldOf(setting)
  world.put(...setting.records)
  yield* world.plan()
  return {
    ...readLinks(world),
    told: world.told,
    dues: world.said.flatMap(([, { due }]) => (due === undefined ? [] : [due]))
  }
})
