/** The task of a simulation that is played in the background; its key is the simulation. */
import * as Schema from "effect/Schema"
import { Id } from "../shared/Ids.ts"
import { taskKind } from "../task/TaskKind.ts"

const Payload = Schema.Struct({ workspaceId: Id("workspace"), simulationId: Id("simulation") })
export type SimulationPayload = typeof Payload.Type

export const simulationTask = taskKind("simulation", {
  payload: Payload,
  concurrency: 1,
  attempts: 5,
  timeoutSeconds: 6 * 3_600
})
