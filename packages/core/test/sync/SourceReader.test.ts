import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { makePullDriver, somebody, storeAccount, storeBank, storeWorkspace, takeBank } from "@millrace/testing/fixture"
import * as Kernel from "../../src/Kernel.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { SourceReader } from "../../src/sync/SourceReader.ts"
import { segmentOf } from "./Segments.ts"
import { describe, expect, it } from "@effect/vitest"
import { openFor } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const capability = {
  changeModel: "snapshotFull",
  scope: "connection",
  idTrust: "stable",
  historyDays: 90,
  overlapDays: 0
} as const

/** Its second page leads back to itself. */
const circle = makePullDriver("circle", capability, () =>
  Effect.succeed({
    upserted: [],
    removed: [],
    quarantined: [],
    coverage: { kind: "full", complete: false },
    end: { kind: "more", position: "again" }
  })
)

const layer = Kernel.layerRun.pipe(
  Layer.provideMerge(Adapters.layer({ providers: [circle], folder: undefined })),
  Layer.provideMerge(MemoryStorage.layer)
)

describe("a pull", () => {
  it.effect("does not go round in the circle of a provider", () =>
    Effect.gen(function* () {
      const bank = yield* storeBank(yield* storeWorkspace())
      const account = yield* storeAccount(bank)
      const lease = yield* takeBank(bank.id, "test")
      const today = CalendarDate.make("2026-11-20")
      const pulled = yield* Effect.flip(
        (yield* SourceReader).pull(
          { bankId: bank.id, lease, cause: somebody },
          segmentOf({
            bank,
            session: { driver: circle, ...(yield* openFor(circle, { ref: "circle", secrets: {} })) },
            accounts: [account],
            today
          })
        )
      )
      expect(pulled).toMatchObject({ _tag: "ProtocolViolation", path: "position" })
    }).pipe(Effect.provide(layer))
  )
})
