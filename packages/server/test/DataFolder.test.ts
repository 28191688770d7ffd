import { chmod, chown, mkdir, mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { folderFault, safeDataFolder } from "../src/DataFolder.ts"

let place: string
beforeAll(async () => void (place = await mkdtemp(join(tmpdir(), "millrace-data-"))))
afterAll(() => rm(place, { recursive: true, force: true }))

describe("a data folder", () => {
  it("is refused exactly where somebody other than this user, its groups and root may write to it", () => {
    for (const own of [
      { uid: 0, groups: [0] },
      { uid: 1_000, groups: [1_000, 2_000] }
    ]) {
      for (const uid of [0, 1_000, 1_001]) {
        for (const gid of [0, 1_000, 2_000, 3_000]) {
          for (let mode = 0; mode <= 0o777; mode++) {
            const trusted = uid === 0 || uid === own.uid
            const group = (mode & 0o020) === 0 || (own.uid === 0 ? gid === 0 : own.groups.includes(gid))
            const safe = trusted && group && (mode & 0o002) === 0
            expect(folderFault({ uid, gid, mode }, own) === undefined, `${uid} ${gid} ${mode}`).toBe(safe)
          }
        }
      }
    }
  })

  it("is made for us alone to write to", async () => {
    const folder = join(place, "new/data")
    await Effect.runPromise(safeDataFolder(folder))
    expect((await stat(folder)).mode & 0o022).toBe(0)
  })

  it("is refused where everybody may write to it", async () => {
    const folder = join(place, "open")
    await mkdir(folder)
    await chmod(folder, 0o777)
    const { message } = await Effect.runPromise(Effect.flip(safeDataFolder(folder)))
    expect(message).toContain("chmod o-w")
  })

  it.skipIf(process.getuid?.() !== 0)("is refused by root where another user owns it", async () => {
    const folder = join(place, "foreign")
    await mkdir(folder)
    await chown(folder, 1_234, 1_234)
    const { message } = await Effect.runPromise(Effect.flip(safeDataFolder(folder)))
    expect(message).toContain("belongs to another user")
  })
})
