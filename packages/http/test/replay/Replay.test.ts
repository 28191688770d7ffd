/**
 * Requests with their whole answers, of each operation that the server documents, on a kernel in memory. `vitest -u` writes
 * down what is answered now.
 */
import { beforeAll, describe, expect, it } from "vitest"
import { expectGolden } from "./Golden.ts"
import { type Documented, operationsOf } from "./Operation.ts"
import { record } from "./Recording.ts"
import { requests } from "./requests/all.ts"
import { makeScene } from "./Scene.ts"
import { makeWorld } from "./World.ts"

let operations: ReadonlyArray<Documented>
beforeAll(async () => {
  const world = await makeWorld()
  operations = await operationsOf(world)
  await world.dispose()
})

describe("an operation of the API", () => {
  it.each(Object.keys(requests))("about %s answers and is audited as it was recorded", async (noun) => {
    const world = await makeWorld()
    const scene = await makeScene(world)
    const asked = requests[noun]!(scene, world)
    const all = operations.filter((operation) => operation.noun === noun).map(({ id }) => id)
    expect(Object.keys(asked).toSorted(), "each operation has a request, and no other").toEqual(all.toSorted())
    const recorded = await record(world, scene, operations, asked)
    await world.dispose()
    await expectGolden(`${noun}.json`, recorded)
    expect(world.logged).toEqual([])
  })

  it("is about a noun that has requests", () => {
    expect([...new Set(operations.map(({ noun }) => noun))].toSorted()).toEqual(Object.keys(requests).toSorted())
  })
})
