/** The short form of `npm run consumer`: the packages as others install them. It needs the npm registry. */
import {
  compile,
  commandLine,
  importEverything,
  looseFaults,
  makeProject,
  type Project,
  removeProject,
  run
} from "../../src/consumer/Project.ts"
import { afterAll, beforeAll, expect, it } from "vitest"

let project: Project

beforeAll(async () => {
  project = await makeProject({})
  await compile(project)
})
afterAll(() => {
  if (project !== undefined) removeProject(project)
})

it("installs from its archives, compiles against every entry point, and syncs in memory", async () => {
  expect(await importEverything(project, process.execPath)).toBeGreaterThan(40)
  expect(await run(project, "embed", process.execPath)).toMatchObject({ status: "completed", statement: 2 })
})

it("delivers documents that a program brings in, a row for each item", async () => {
  expect(await run(project, "documents", process.execPath)).toMatchObject({ delivered: 2 })
})

it("compiles for programs that are less strict, their compiler looking into our declarations", async () => {
  expect(await looseFaults(project)).toEqual([])
})

it("has the command line", async () => {
  const { code, text } = await commandLine(project, ["--help"])
  expect([code, text]).toEqual([0, expect.stringContaining("feeds")])
})
