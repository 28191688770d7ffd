/** Every scene of `npm run quality`, in its small form. */
import { rowsOf } from "@millrace/verification/quality/Report"
import { scenes } from "@millrace/verification/quality/Scenes"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"

/** Figures that are short of their goals today (decision 54); one that reaches its goal is taken off this list. */
const short: ReadonlySet<string> = new Set(["other-words-round: two formats, some days off: false merges per 1,000"])

describe("a small form of the scenes of quality", { timeout: 300_000 }, () => {
  for (const scene of scenes) {
    const missing = scene.missing?.()
    it.effect.skipIf(missing !== undefined)(
      `reaches its figures where ${scene.title} (${scene.name})${missing === undefined ? "" : `: ${missing}`}`,
      () =>
        Effect.gen(function* () {
          const rows = rowsOf(scene, yield* scene.play({ seed: 1, size: "small" }))
          expect(rows.length).toBeGreaterThan(0)
          const unmet = rows.filter(({ met }) => !met)
          const isKnown = ({ figure, scene: name }: (typeof rows)[number]) => short.has(`${name}: ${figure}`)
          expect(unmet.filter((row) => !isKnown(row))).toEqual([])
          expect(rows.filter((row) => row.met && isKnown(row))).toEqual([])
        })
    )
  }
})
