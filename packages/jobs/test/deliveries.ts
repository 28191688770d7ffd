/** A process that delivers events, as tests put it together. */
import type { EventConsumer } from "@millrace/core/event"
import { TaskKinds } from "@millrace/core/task"
import { Tasks } from "@millrace/core/task"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import { deliveryOf, layerDelivery } from "../src/EventDelivery.ts"
import { TaskRunner } from "../src/TaskRunner.ts"

/** Runs the deliveries to these consumers. */
export const deliveries = (...consumers: ReadonlyArray<EventConsumer>) =>
  Layer.merge(layerDelivery(consumers), Layer.effectDiscard(TaskRunner)).pipe(
    Layer.provide(TaskRunner.layer()),
    Layer.provide(TaskKinds.layer(...consumers.map(deliveryOf))),
    Layer.provide(Tasks.layer),
    // What fails here is meant to.
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
  )
