/** Who may ask for what, by scope, role, kind of app and plan. `vitest -u` writes down what is answered now. */
import { allScopes } from "@millrace/core/access"
import { expect, it } from "vitest"
import { accessOf } from "./Access.ts"
import { expectGolden } from "./Golden.ts"
import { makeHome } from "./Home.ts"
import { operationsOf } from "./Operation.ts"
import { makeWorld } from "./World.ts"

it("answers each key, person and app as it was recorded, for each operation", async () => {
  const world = await makeWorld()
  const home = await world.run(makeHome)
  world.people.moveTo(home.workspace)
  world.people.grant(allScopes)
  const recorded: Record<string, unknown> = {}
  for (const operation of await operationsOf(world)) {
    recorded[operation.id] = await accessOf(world, home, operation)
  }
  expect(Object.keys(recorded).length).toBeGreaterThan(90)
  await expectGolden("access.json", recorded)
  expect(world.logged).toEqual([])
  await world.dispose()
})
