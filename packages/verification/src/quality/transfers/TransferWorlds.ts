/** Households with a known truth: what is linked, what is asked, and how far what is stated can be trusted. */
import type { EnrichmentFact } from "@millrace/core/enrichment"
import { CalendarDate, Timestamp } from "@millrace/core"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import { type Figure, type Scene, sizeOf } from "../identity/Scene.ts"
import { type FoundLink, linksOf, pairName, PairTally } from "./Linked.ts"
import { type TransferWorld, transferWorld } from "./TransferWorld.ts"

const at = Timestamp.make("2026-01-01T00:00:00.000Z")

/** What a person says of all that they were asked. */
const answers = (
  world: TransferWorld,
  links: ReadonlyArray<FoundLink>,
  until: string
): ReadonlyArray<EnrichmentFact> => {
  const dates = new Map(world.records.map(({ fields, recordId }) => [recordId, String(fields["date"])]))
  const shown = links.filter(
    ({ members, state }) => state === "suggested" && members.length === 2 && dates.get(members[0]!)! < until
  )
  return shown.map(({ members }, n): EnrichmentFact => ({
    id: `fct_${String(n).padStart(26, "0")}` as EnrichmentFact["id"],
    workspaceId: "ws_00000000000000000000000001" as EnrichmentFact["workspaceId"],
    dataType: "transactions",
    kind: world.truth.has(pairName(members[0]!, members[1]!)) ? "confirm" : "forbid",
    recordId: members[0]!,
    otherId: members[1]!,
    by: { kind: "user", userId: "usr_1" },
    at
  }))
}

/** Links of which about nine of ten is stated. */
class Near {
  private found = 0
  private right = 0
  private stated = 0

  add(confidence: number, isRight: boolean): void {
    if (confidence < 0.85 || confidence >= 0.95) return
    this.found++
    this.stated += confidence
    if (isRight) this.right++
  }

  /** As many more or fewer as what was stated differs from 0.9. */
  figures(name: string, judged: boolean): ReadonlyArray<Figure> {
    const count = Math.max(1, this.found)
    const observed = this.right / count - (this.stated / count - 0.9)
    return [
      { name: `${name} 0.85 to 0.95: links`, value: this.found },
      {
        name: `${name} 0.9, observed`,
        value: observed,
        ...(judged ? { goal: { min: 0.87 } } : {})
      },
      ...(judged ? [{ name: `${name} 0.9, observed, from above`, value: observed, goal: { max: 0.93 } }] : [])
    ]
  }
}

/** Ten years of a household that is asked about nearly everything, and answers the first half of it. */
const afterManyAnswers = Effect.fnUntraced(function* (seed: number, near: Near) {
  const days = 3_650
  const world = transferWorld(new Seeded(seed), days)
  const today = CalendarDate.addDays(world.first, days)
  const config = { suggestConfidence: 0.5, autoConfidence: 0.999 }
  const setting = { accounts: world.accounts, records: world.records, today, config }
  const until = CalendarDate.addDays(world.first, days / 2)
  const facts = answers(world, yield* linksOf({ ...setting, facts: [] }), until)
  for (const { confidence, members, state } of yield* linksOf({ ...setting, facts })) {
    if (state !== "confirmed") near.add(confidence, world.truth.has(pairName(members[0]!, members[1]!)))
  }
  return facts.length
})

export const transferWorlds: Scene = {
  name: "transfers",
  title: "households whose habits are drawn again move money between their accounts, beside strangers and purchases",
  play: (effort) =>
    Effect.gen(function* () {
      const worlds = sizeOf(effort, { small: 3, quick: 20, full: 200 })
      const days = effort.size === "small" ? 365 : 730
      const worst = { f1: 1 }
      let [truth, made, right, shown] = [0, 0, 0, 0]
      const near = [new Near(), new Near()] as const
      for (let n = 0; n < worlds; n++) {
        const world = transferWorld(new Seeded((effort.drawn ?? effort.seed) * 1_009 + n), days)
        const today = CalendarDate.addDays(world.first, days)
        const setting = { accounts: world.accounts, records: world.records, today }
        const links = yield* linksOf({ ...setting, facts: [] })
        const [auto, all] = [new PairTally(world.truth.size), new PairTally(world.truth.size)]
        for (const { confidence, members, state } of links) {
          const isRight = members.length === 2 && world.truth.has(pairName(members[0]!, members[1]!))
          all.add(isRight)
          near[0].add(confidence, isRight)
          if (state === "auto") auto.add(isRight)
        }
        truth += world.truth.size
        made += auto.found
        right += auto.right
        shown += all.right
        worst.f1 = Math.min(worst.f1, auto.f1)
        // The first half is answered by a person; what is stated of the second is held against the truth.
        const until = CalendarDate.addDays(world.first, Math.floor(days / 2))
        const later = yield* linksOf({ ...setting, facts: answers(world, links, until) })
        for (const { confidence, members, state } of later) {
          if (state !== "confirmed") near[1].add(confidence, world.truth.has(pairName(members[0]!, members[1]!)))
        }
      }
      const [many, asked] = [new Near(), sizeOf(effort, { small: 1, quick: 2, full: 120 })]
      let answered = 0
      for (let n = 0; n < asked; n++) {
        answered += yield* afterManyAnswers((effort.drawn ?? effort.seed) * 2_003 + n, many)
      }
      const isFull = effort.size === "full"
      return [
        { name: "transfers", value: truth },
        {
          name: "F1 of links made",
          value: (2 * right) / (made + truth),
          goal: { min: 0.95 }
        },
        { name: "links made that are right", value: right / made, goal: { min: 0.98 } },
        { name: "transfers that are linked or asked about", value: shown / truth, goal: { min: 0.97 } },
        { name: "F1 of links made, worst household", value: worst.f1 },
        ...near.flatMap((one, n) => one.figures(n === 0 ? "stated" : "stated after answers", n === 0 && isFull)),
        { name: "answers of a household that is asked about nearly everything", value: answered / asked },
        ...many.figures("stated after many answers", isFull)
      ]
    }).pipe(Effect.orDie)
}
