/**
 * The short form of `npm run consumer`: the files of the packages that are published, and beside them what they say that they
 * need and nothing else. The long form has npm pack and install them, and compiles as strictly as we do.
 */
import {
  commandLine,
  layOutProject,
  looseFaults,
  type Project,
  type Ran,
  removeProject,
  runAll
} from "../../src/consumer/Project.ts"
import { afterAll, beforeAll, expect, it } from "vitest"

let project: Project
let faults: ReadonlyArray<string>
let ran: ReadonlyArray<Ran>

beforeAll(async () => {
  project = await layOutProject()
  faults = await looseFaults(project, "typescript", true)
  // `everything` imports every entry point. One process loads once what all of them need.
  ran = await runAll(project, ["everything", "embed", "documents"], process.execPath)
})
afterAll(() => {
  if (project !== undefined) removeProject(project)
})

it("compiles against every entry point, for programs that are less strict, their compiler looking into our declarations", () => {
  expect(faults).toEqual([])
})

it("has every entry point imported from published files and declared dependencies alone, and syncs in memory", () => {
  expect(ran[0]?.exported).toBeGreaterThan(40)
  expect(ran).toMatchObject([{ statement: 2 }, { status: "completed", statement: 2 }, { statement: 2 }])
})

it("delivers documents that a program brings in, a row for each item", () => {
  expect(ran[2]).toMatchObject({ delivered: 2 })
})

it("has the command line", async () => {
  const { code, text } = await commandLine(project, ["--help"])
  expect([code, text]).toEqual([0, expect.stringContaining("feeds")])
})
