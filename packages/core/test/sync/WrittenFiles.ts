/** A folder for files that the feeds of a test write. It goes when the tests of the file are done. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"

export const writtenFiles = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `millrace-${name}-`))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
