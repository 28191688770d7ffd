import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { OutboxStore } from "../../src/message/OutboxStore.ts"
import { plainText } from "../../src/message/PlainText.ts"
import { fed, scene, setting } from "../explain/ExplainScenes.ts"
import { enrichmentOf, when } from "../sync/FilteredScenes.ts"

describe("figures of plans", () => {
  scene("are seen by those that stand behind: a digest tells what a budget says", (simulation) =>
    Effect.gen(function* () {
      const { post, run, workspace } = yield* fed(simulation)
      yield* enrichmentOf(workspace, "rule", setting("category", "Drinks"))
      const lines = [{ key: "drinks", name: "Drinks", match: when("category", "equals", "Drinks"), amount: "5" }]
      yield* enrichmentOf(workspace, "budget", { currency: "USD", lines })
      yield* enrichmentOf(workspace, "digest", {
        cadence: "daily",
        destinations: [{ type: "email", recipients: ["owner@example.com"] }]
      })
      post("green tea", "-4", 0)
      yield* run
      post("black tea", "-8.5", 0)
      yield* run
      // Nothing of the budget changes in the run that tells the day.
      yield* simulation.pass(86_400 + 43_200)
      yield* run
      const messages = yield* (yield* OutboxStore).list(workspace.id, { limit: 100 })
      const told = messages.map(({ content }) => plainText(content))
      expect(told.find((text) => text.includes("Over budget"))).toContain("$12.50 ($5.00 was there, $7.50 too much")
    })
  )
})
