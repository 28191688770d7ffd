import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Simulations } from "../Simulations.ts"
import { simulationStateExample } from "./Examples.ts"
import { SimulationRecord, simulationToWire } from "./PreviewRecord.ts"

export const cancelSimulation = operation({
  noun: "previews",
  id: "cancelSimulation",
  delete: "/v1/enrichments/simulations/:simulation_id",
  summary: "Play a simulation no further",
  description: "Has a simulation be played no further. One that has ended stays as it is.",
  access: { anyOf: ["enrichments:read"], role: "viewer", app: "own" },
  repeats: "inherent",
  command: "enrichments simulations cancel",
  tool: "cancel_simulation",
  hints: { destructiveHint: false },
  success: record(SimulationRecord),
  example: { data: { ...simulationStateExample, status: "cancelled" } },
  audits: audits(Simulations, "cancel"),
  run: ({ caller, ids }) =>
    Simulations.use((simulations) =>
      Effect.map(simulations.cancel(caller, ids.simulation), (found) => simulationToWire(found))
    )
})
