/** A copy of the repository as it is on disk, with the same dependencies, to change things in. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const root = join(import.meta.dirname, "../..")

export const copyRepository = (): string => {
  const copy = mkdtempSync(join(tmpdir(), "millrace-copy-"))
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024
  })
  for (const file of files.split("\0")) {
    if (file !== "" && !file.startsWith("docs/reference/")) {
      cpSync(join(root, file), join(copy, file), { force: true, recursive: true })
    }
  }
  mkdirSync(join(copy, "node_modules/@millrace"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (name !== "@millrace" && name !== ".cache") {
      symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name))
    }
  }
  for (const name of readdirSync(join(copy, "packages"))) {
    symlinkSync(join(copy, "packages", name), join(copy, "node_modules/@millrace", name))
  }
  return copy
}
