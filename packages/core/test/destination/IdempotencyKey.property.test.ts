/** A destination that remembers keys, and breaks the port once the outcome of an attempt is unknown: no row is doubled. */
import { describe, expect } from "@effect/vitest"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import type { ScriptedFault } from "@millrace/testing/fake"
import { storeFeed } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import { mappings } from "@millrace/verification/simulation/FollowingFeed"
import { connect, drive } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import { memoryScene } from "../sync/MemoryScene.ts"

const seeds = process.env["MILLRACE_LONG"] === "1" ? 1_000 : 60

/** Faults of the next calls: what is answered wrongly follows an attempt whose outcome is unknown. */
const faultsOf = (random: Seeded): ReadonlyArray<ScriptedFault> => {
  const faults: Array<ScriptedFault> = Array.from({ length: random.below(3) }, () => "unavailable")
  for (let n = random.below(6); n > 0; n--) faults.push("answerLost")
  if (!faults.includes("answerLost")) return faults
  for (let n = random.below(4); n > 0; n--) {
    faults.push(random.pick(["deniedAll", "answeredNothing", "answerLost", "unavailable"]))
  }
  return faults
}

describe("a destination that refuses what it may have after an answer was lost", () => {
  memoryScene("has no row twice, and every row in the end", { model: "idempotencyKey" }, (simulation) =>
    Effect.gen(function* () {
      const provider = simulation.providers.find(({ options }) => options.instance === "delta-connection-stable")!
      let denied = 0
      for (let seed = 1; seed <= seeds; seed++) {
        const random = new Seeded(seed)
        const { accounts, bank, upstream, workspace } = yield* connect(simulation, provider, ["a"])
        const path = `${bank.id}.csv`
        const place = simulation.destination.at(path)
        const feed = yield* storeFeed(workspace, {
          destinationConfig: { type: "file", path, format: "csv" },
          sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: accounts[0]!.id }] },
          fieldMappings: mappings
        })
        const rows = Array.from({ length: 1 + random.below(3) }, (_, n) =>
          upstream.post({
            account: "a",
            date: CalendarDate.make("2026-11-20"),
            amount: `-${n + 1}`,
            description: `row ${n}`
          })
        )
        place.faults.push(...faultsOf(random))
        const wrong = place.faults.filter((fault) => fault === "deniedAll" || fault === "answeredNothing").length
        const isWrong = wrong > 0
        denied += wrong
        for (let run = 0; run < 5; run++) {
          // Newer content while it is not known what became of the older one, where the destination keeps to the port.
          if (random.once(4) && !isWrong) upstream.change(random.pick(rows), { description: `changed ${run}` })
          yield* drive(simulation, feed)
          simulation.clock.pass(600)
        }
        place.faults.length = 0
        yield* drive(simulation, feed)
        const texts = place.rows.map(({ values }) => String(values["amount"])).toSorted()
        expect([seed, texts]).toEqual([seed, rows.map(({ amount }) => amount).toSorted()])
      }
      expect(denied).toBeGreaterThan(seeds / 4)
    })
  )
})
