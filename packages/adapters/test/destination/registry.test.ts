import { expect, it } from "@effect/vitest"
import { Destinations } from "@millrace/core/destination"
import { Outbound } from "@millrace/core/outbound"
import { Ids } from "@millrace/core"
import { TableStore, WorkspaceStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeDigest from "../../src/digest/NodeDigest.ts"
import * as bundled from "../../src/destination/bundled.ts"
import { bundledDestinations, made } from "../../src/destination/registry.ts"

const needed = Layer.mergeAll(
  Ids.layer,
  NodeDigest.layer,
  Layer.mock(TableStore, {}),
  Layer.mock(WorkspaceStore, {}),
  Layer.mock(Outbound, {})
)

it.effect("the bundled destinations can be registered, and have names for programs and for people", () =>
  Effect.gen(function* () {
    const { all, get } = yield* Destinations
    expect(all.map(({ type }) => type)).toEqual(Object.keys(bundled))
    expect(all.filter(({ label }) => label.trim() === "")).toEqual([])
    expect(yield* get("file")).toMatchObject({ type: "file", label: "File" })
    expect(yield* Effect.flip(get("fax"))).toMatchObject({ _tag: "DestinationNotAvailable", type: "fax" })
  }).pipe(
    Effect.provide(Layer.provide(Layer.unwrap(Effect.map(made(bundledDestinations), Destinations.layer)), needed))
  )
)
