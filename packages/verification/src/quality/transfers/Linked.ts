/** What transfer_match links in a world, held against the truth. */
import type { EnrichmentFact, SetAccount, SetRecord } from "@millrace/core/enrichment"
import type { CalendarDate } from "@millrace/core"
import { SetWorld } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TransferConfig } from "../../../../core/src/enrichment/kinds/transfer/TransferConfig.ts"
import { transferMatch } from "../../../../core/src/enrichment/kinds/transfer/transferMatch.ts"

export interface TransferSetting {
  readonly accounts: ReadonlyArray<SetAccount>
  readonly records: ReadonlyArray<SetRecord>
  readonly facts: ReadonlyArray<EnrichmentFact>
  readonly today: CalendarDate.CalendarDate
  /** The bundled configuration unless given. */
  readonly config?: typeof TransferConfig.Encoded
}

export interface FoundLink {
  /** The records, the outflow first; groups have more than two. */
  readonly members: ReadonlyArray<string>
  readonly state: string
  readonly confidence: number
}

export const pairName = (out: string, into: string): string => `${out} ${into}`

export const linksOf = Effect.fnUntraced(function* ({ accounts, config = {}, facts, records, today }: TransferSetting) {
  const world = new SetWorld({
    kind: transferMatch,
    config: Schema.decodeSync(TransferConfig)(config),
    dataType: "transactions",
    accounts,
    baseCurrency: accounts[0]!.currency,
    today
  })
  world.facts = facts
  world.put(...records)
  yield* world.plan()
  const plans = world.said.map(([, plan]) => plan)
  const confidence = new Map(
    plans.flatMap(({ claims }) =>
      claims.flatMap(({ field, recordId, value }) =>
        field === "transfer.confidence" ? [[recordId, Number(value)] as const] : []
      )
    )
  )
  return plans.flatMap(({ links }) =>
    links.map(({ members, state }): FoundLink => {
      const ids = members.map(({ recordId }) => recordId)
      return { members: ids, state, confidence: confidence.get(ids[0]!) ?? 0 }
    })
  )
})

/** Pairs that were found beside those that are. */
export class PairTally {
  found = 0
  right = 0
  readonly truth: number

  constructor(truth: number) {
    this.truth = truth
  }

  add(isRight: boolean): void {
    this.found++
    if (isRight) this.right++
  }

  get precision(): number {
    return this.found === 0 ? 1 : this.right / this.found
  }

  get recall(): number {
    return this.truth === 0 ? 1 : this.right / this.truth
  }

  get f1(): number {
    return (2 * this.right) / Math.max(1, this.found + this.truth)
  }
}
