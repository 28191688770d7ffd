/** What kinds of both families have to keep about their configurations. */
import { expect, it } from "@effect/vitest"
import type { AnyKind } from "@millrace/core/enrichment"
import { catalogOf, type DataType } from "@millrace/core/record"
import { StrictDecoding } from "@millrace/core"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { faultsIn, isAt, mutantsOf } from "./KindTrials.ts"

/** Configurations of a kind, as they are sent. */
export interface ConfigCases {
  /** Configurations that can be saved. Each has something to say about one of the records. */
  readonly good: ReadonlyArray<object>
  /** Configurations that are refused, with the path of the one fault. */
  readonly refused: ReadonlyArray<readonly [config: unknown, path: string]>
  /** Configurations with as much of something as there may be, and with one more. */
  readonly limits?: ReadonlyArray<{ readonly at: unknown; readonly over: unknown; readonly path: string }>
}

/** Registers the tests of configurations. */
export const configTrials = (kind: AnyKind, dataType: DataType, { good, limits = [], refused }: ConfigCases): void => {
  const catalog = catalogOf(dataType)

  it("takes good configurations, and its own answers", () => {
    expect(good.length).toBeGreaterThan(0)
    for (const sent of good) {
      const config = Result.getOrThrow(StrictDecoding.decode(kind.Config, sent))
      expect(faultsIn(kind, sent, catalog)).toEqual([])
      const stored = JSON.parse(JSON.stringify(Schema.encodeUnknownSync(kind.Config)(config)))
      expect(Result.getOrThrow(StrictDecoding.decode(kind.Config, stored))).toEqual(config)
    }
  })

  it("refuses wrong configurations, with the path of the fault and what is wrong", () => {
    expect(refused.length).toBeGreaterThan(0)
    const misspelt = good.map((sent) => [{ ...sent, misspelt: 1 }, "misspelt"] as const)
    for (const [sent, path] of [...refused, ...misspelt]) {
      const faults = faultsIn(kind, sent, catalog)
      expect(faults.map(({ field }) => field)).toEqual([path])
      expect(faults.filter(({ message }) => message.trim() === "")).toEqual([])
    }
  })

  it("refuses each value that cannot be, at its place", () => {
    for (const [mutant, place] of good.flatMap((sent) => mutantsOf(sent))) {
      const faults = faultsIn(kind, mutant, catalog)
      expect([place, faults.length > 0, faults.filter((fault) => !isAt(place, fault))]).toEqual([place, true, []])
    }
  })

  it("takes as much as it may, and no more", () => {
    for (const { at, over, path } of limits) {
      expect(faultsIn(kind, at, catalog)).toEqual([])
      expect(faultsIn(kind, over, catalog).map(({ field }) => field)).toEqual([path])
    }
  })
}
