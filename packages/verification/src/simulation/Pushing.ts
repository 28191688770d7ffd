/** Records that are pushed to the feeds of a scenario, and what must have become of them. */
import { CalendarDate, Timestamp } from "@millrace/core"
import { PushedRecords } from "@millrace/core/kernel"
import type { LedgerRecord } from "@millrace/core/record"
import { BankStore, RecordStore } from "@millrace/core/storage"
import type { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import type { FollowingFeed } from "./FollowingFeed.ts"
import { mustMatch } from "./Invariant.ts"

const keys = ["a", "b", "c", "d", "e", "f"]
const texts = ["coffee", "rent", "skip this"]

/** New, changed and removed records at once; `under` remembers what its feed must have from now on. */
export const pushTo = Effect.fnUntraced(function* (random: Seeded, { feed, pushed }: FollowingFeed) {
  const named = keys.filter(() => random.once(3))
  const removed = named.filter(() => random.once(3))
  // Of the last weeks: a change of enrichments alone delivers nothing older again.
  const today = CalendarDate.make((yield* Timestamp.now).slice(0, 10))
  const records = named
    .filter((id) => !removed.includes(id))
    .map((id) => {
      const values = {
        date: CalendarDate.addDays(today, -random.below(19)),
        description: random.pick(texts),
        originalDescription: "pushed",
        amount: String(random.below(1_000) - 500),
        currency: "CHF"
      }
      return { id, values }
    })
  yield* (yield* PushedRecords).push(feed, "automation", { records, removed }, { kind: "system", reason: "simulation" })
  for (const id of removed) pushed.delete(id)
  for (const { id, values } of records) pushed.set(id, `${id} ${values.date} ${values.description} ${values.amount}`)
})

/** What was pushed to a feed, tombstones too, after a look at whether it is what it must be. */
export const checkPushed = Effect.fnUntraced(function* ({ feed, pushed }: FollowingFeed) {
  const [banks, records] = [yield* BankStore, yield* RecordStore]
  const held: Array<LedgerRecord> = []
  for (const bank of yield* banks.made(feed.id)) {
    for (const { id: accountId } of yield* banks.accounts(bank.id)) {
      const scope = { workspaceId: feed.workspaceId, accountId, dataType: "transactions" as const }
      held.push(...(yield* records.changes(scope, { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 100_000 })))
    }
  }
  const live = held.filter(({ state }) => state === "live")
  const told = live.map(({ fields, providerId }) =>
    [providerId.replace("key:", ""), fields["date"], fields["description"], fields["amount"]].join(" ")
  )
  mustMatch("the ledger holds what was pushed", told, [...pushed.values()], feed.id)
  return held
})
