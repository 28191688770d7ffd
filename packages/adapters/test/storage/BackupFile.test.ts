import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { afterAll, expect, it } from "vitest"
import { checkBackup, type Line, writeBackup } from "../../src/storage/postgres/backup/BackupFile.ts"

const folder = await mkdtemp(join(tmpdir(), "backup-"))
afterAll(() => rm(folder, { recursive: true }))

const written: ReadonlyArray<Line> = [
  { millrace: "backup", format: 1, at: "2026-11-20T10:00:00.000Z", schema: ["0001_first"] },
  { table: "record", columns: ["id"] },
  ...Array.from({ length: 200 }, (_, n) => `(${n},"row ${Math.imul(n, 2_654_435_761) >>> 0}")`)
]
const lines = async function* () {
  yield* written
}
const whole = join(folder, "whole")
await writeBackup(whole, lines(), () => ({ record: 200 }))
const bytes = await readFile(whole)
const text = gunzipSync(bytes).toString()

/** Some bits fill up a byte of the compression, and say nothing. */
const isSame = (content: Uint8Array): boolean => {
  try {
    return gunzipSync(content).toString() === text
  } catch {
    return false
  }
}

const faultOf = async (content: Uint8Array) => {
  const path = join(folder, "bad")
  await writeFile(path, content)
  return checkBackup(path).then(
    () => undefined,
    (error: Error) => error.message.replace(path, "F")
  )
}

it("is read to its end where nothing happened to it", async () => {
  expect(await faultOf(bytes)).toBeUndefined()
})

it("is called damaged wherever a bit of it flips, and wherever it is cut", async () => {
  // The first ten bytes are the header of the compression, of which some say nothing of the content.
  for (let at = 10; at < bytes.length; at += 3) {
    const flipped = Buffer.from(bytes)
    flipped[at]! ^= 4
    if (isSame(flipped)) continue
    expect([at, await faultOf(flipped)]).toEqual([
      at,
      expect.stringMatching(/^F is no whole backup: it is damaged.*\.$/)
    ])
  }
  for (let length = 10; length < bytes.length; length += 7) {
    expect([length, await faultOf(bytes.subarray(0, length))]).toEqual([
      length,
      expect.stringContaining("it is damaged")
    ])
  }
})

it("is called damaged where a line of it was changed, left out, put in or repeated", async () => {
  const all = text.trimEnd().split("\n")
  const changed = [
    text.replace("row 0", "row 1"),
    all.toSpliced(5, 1).join("\n"),
    all.slice(0, -1).join("\n"),
    [...all, all[5]].join("\n"),
    all.with(5, "{").join("\n")
  ]
  for (const one of changed) expect(await faultOf(gzipSync(`${one}\n`))).toContain("it is damaged")
})
