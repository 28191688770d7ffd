import { describe, expect, it } from "@effect/vitest"
import { DestinationConfig } from "@millrace/core/feed/FeedConfig"
import { Destinations } from "@millrace/core/destination/Destinations"
import { Ids } from "@millrace/core/shared/Ids"
import { TableStore } from "@millrace/core/table/TableStore"
import { WorkspaceStore } from "@millrace/core/workspace/WorkspaceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeDigest from "../../src/digest/NodeDigest.ts"
import { makeDrivers } from "../../src/destination/registry.ts"

const needed = Layer.mergeAll(Ids.layer, NodeDigest.layer, Layer.mock(TableStore, {}), Layer.mock(WorkspaceStore, {}))

describe("destination registry", () => {
  it.effect("has a driver of every type that a feed can be configured with", () =>
    Effect.gen(function* () {
      const destinations = yield* Destinations
      const types = DestinationConfig.members.map((member) => member.fields.type.literal)
      expect(types.length).toBeGreaterThan(0)
      for (const type of types) expect((yield* destinations.get(type)).type).toBe(type)
    }).pipe(
      Effect.provide(
        Layer.provide(Layer.unwrap(Effect.map(makeDrivers({ folder: undefined }), Destinations.layer)), needed)
      )
    )
  )
})
