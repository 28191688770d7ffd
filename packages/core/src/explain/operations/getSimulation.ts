import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Simulations } from "../Simulations.ts"
import { simulationExample, simulationStateExample } from "./Examples.ts"
import { SimulationRecord, simulationToWire } from "./PreviewRecord.ts"

export const getSimulation = operation({
  noun: "previews",
  id: "getSimulation",
  get: "/v1/enrichments/simulations/:simulation_id",
  summary: "Read a simulation that is played in the background: how far it came, and what it found",
  description:
    "Returns a simulation that is played in the background. Its `report` is there once it is `completed`, and is the one that a small " +
    "simulation answers at once; records that change while it is played may be left out. A server that stops has it begin anew " +
    "elsewhere. It can be read for 30 days.",
  access: { anyOf: ["enrichments:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "enrichments simulations get",
  tool: "get_simulation",
  success: record(SimulationRecord),
  example: { data: { ...simulationStateExample, status: "completed", report: simulationExample } },
  run: ({ caller, ids }) =>
    Simulations.use((simulations) =>
      Effect.map(simulations.get(caller, ids.simulation), (found) => simulationToWire(found))
    )
})
