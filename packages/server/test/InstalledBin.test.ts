/** What `millrace-server` runs where it is installed, and with which flags of Node. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"

const home = mkdtempSync(join(tmpdir(), "millrace-bin-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const place = join(home, "node_modules/@millrace/server")
mkdirSync(join(place, "dist/whole"), { recursive: true })
cpSync(join(import.meta.dirname, "../bin"), join(place, "bin"), { recursive: true })
writeFileSync(join(place, "package.json"), '{ "type": "module" }')
for (const name of ["dist/main.js", "dist/whole/main.js"]) {
  writeFileSync(
    join(place, name),
    `console.log(JSON.stringify({ ran: "${name}", flags: process.execArgv, args: process.argv.slice(2) }))`
  )
}

const run = (config: object | undefined, ...given: ReadonlyArray<string>) => {
  const path = join(home, "config.json")
  rmSync(path, { force: true })
  if (config !== undefined) writeFileSync(path, JSON.stringify(config))
  const said = execFileSync(process.execPath, [...given, join(place, "bin/millrace-server.js"), "--help"], {
    cwd: home,
    env: { PATH: process.env["PATH"], MILLRACE_CONFIG: path },
    encoding: "utf8"
  })
  return JSON.parse(said) as { readonly ran: string; readonly flags: ReadonlyArray<string>; readonly args: unknown }
}

const ours = ["--max-semi-space-size=16", "--heap-growing-percent=30"]

describe("an installed server", () => {
  it("runs from its few files, and passes on what it was told", () => {
    expect(run(undefined)).toMatchObject({ ran: "dist/whole/main.js", args: ["--help"] })
    expect(run({ modules: [] })).toMatchObject({ ran: "dist/whole/main.js" })
  })

  it("runs module by module where a module of its configuration is to share its copies", () => {
    expect(run({ modules: ["./mine.js"] })).toMatchObject({ ran: "dist/main.js", args: ["--help"] })
  })

  it.skipIf(process.platform === "win32")(
    "runs with flags that keep its memory small, but for those that somebody gave otherwise, and npm start runs the same",
    () => {
      expect(run(undefined).flags).toEqual(ours)
      expect(run(undefined, "--max-semi-space-size=8").flags).toEqual(["--max-semi-space-size=8", ours[1]])
      const root = JSON.parse(readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8")) as {
        readonly scripts: { readonly start: string }
      }
      expect(root.scripts.start).toBe("node packages/server/bin/millrace-server.js")
    }
  )
})
