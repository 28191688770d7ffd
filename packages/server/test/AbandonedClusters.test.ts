import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { noteOwner, removeAbandoned } from "../src/postgres/AbandonedClusters.ts"

let place: string
beforeAll(async () => void (place = await mkdtemp(join(tmpdir(), "millrace-clusters-"))))
afterAll(() => rm(place, { recursive: true, force: true }))

/** A cluster with its data folder, and what happened to them. */
const cases: ReadonlyArray<readonly [string, boolean, (cluster: string, data: string) => Promise<unknown>]> = [
  ["its data folder is there", false, async () => undefined],
  ["its data folder was removed", true, (_, data) => rm(data, { recursive: true })],
  ["its link was removed", true, (_, data) => rm(join(data, "postgres"))],
  [
    "its link leads to another cluster",
    true,
    async (_, data) => {
      await rm(join(data, "postgres"))
      await symlink("/elsewhere", join(data, "postgres"))
    }
  ],
  [
    "a folder took the place of its link",
    false,
    async (_, data) => {
      await rm(join(data, "postgres"))
      await mkdir(join(data, "postgres"))
    }
  ],
  [
    "it runs",
    false,
    async (cluster, data) => {
      await writeFile(join(cluster, "postmaster.pid"), `${process.pid}\n`)
      await rm(data, { recursive: true })
    }
  ],
  [
    "its disk is not mounted",
    false,
    async (cluster, data) => {
      await rm(data, { recursive: true })
      await writeFile(`${cluster}.folder`, JSON.stringify({ link: join(data, "postgres"), device: -2 }))
    }
  ],
  [
    "nobody noted its data folder",
    false,
    async (cluster, data) => {
      await rm(data, { recursive: true })
      await rm(`${cluster}.folder`)
    }
  ],
  ["its note is damaged", false, async (cluster) => writeFile(`${cluster}.folder`, "{")]
]

it.each(cases)("of a cluster, where %s: removed is %s", async (_, removed, happen) => {
  const home = await mkdtemp(join(place, "home-"))
  const data = await mkdtemp(join(place, "data-"))
  const cluster = join(home, "00aa11bb22cc33dd")
  await mkdir(cluster)
  await writeFile(join(home, "other.txt"), "stays")
  await noteOwner(cluster, join(data, "postgres"))
  await symlink(cluster, join(data, "postgres"))
  await happen(cluster, data)
  expect(await Effect.runPromise(removeAbandoned(home))).toEqual(removed ? [cluster] : [])
  const left = await readdir(home)
  expect(left.includes("00aa11bb22cc33dd")).toBe(!removed)
  expect(left).toContain("other.txt")
  if (removed) expect(left).toEqual(["other.txt"])
})
