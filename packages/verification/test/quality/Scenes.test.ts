/** Every scene of `npm run quality`, in its small form. */
import { rowsOf } from "@millrace/verification/quality/Report"
import { scenes } from "@millrace/verification/quality/Scenes"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"

describe("a small form of the scenes of quality", { timeout: 300_000 }, () => {
  for (const scene of scenes) {
    const missing = scene.missing?.()
    it.effect.skipIf(missing !== undefined)(
      `reaches its figures where ${scene.title} (${scene.name})${missing === undefined ? "" : `: ${missing}`}`,
      () =>
        Effect.gen(function* () {
          const rows = rowsOf(scene, yield* scene.play({ seed: 1, size: "small" }))
          expect(rows.length).toBeGreaterThan(0)
          expect(rows.filter(({ met }) => !met)).toEqual([])
        })
    )
  }
})
