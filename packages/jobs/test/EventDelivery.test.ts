import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { eventConsumer } from "@millrace/core/event"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { deliveryTests } from "./EventDeliveryTests.ts"

deliveryTests("deliveries of events in memory", Layer.merge(MemoryStorage.layer, NodeDigest.layer), false)

const named = (name: string) =>
  eventConsumer({ name, start: "now", effects: "outside", handle: () => Effect.void }).name

it("refuses a consumer under whose name nothing could be kept", () => {
  for (const name of ["", "Mail", "my mail", "x".repeat(31)]) expect(() => named(name)).toThrow(`"${name}"`)
  expect(named("mail_2")).toBe("mail_2")
})
