/**
 * `npm run check`: every `check:...` of the package, two at a time. The compiler leaves one of two cores idle for half of its time,
 * and most of the others use one alone. What a check says is printed when it has ended, whole; each is run whatever the others say.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

/** The build stands on checked types: it takes them as right. */
const afterEachOther = ["check:types", "check:build"]
const others = Object.keys(scripts).filter((name) => name.startsWith("check:") && !afterEachOther.includes(name))

const run = (name) =>
  new Promise((resolve) => {
    const began = performance.now()
    const child = spawn(scripts[name], { cwd: root, shell: true, stdio: ["ignore", "pipe", "pipe"] })
    let said = ""
    child.stdout.on("data", (chunk) => (said += chunk))
    child.stderr.on("data", (chunk) => (said += chunk))
    child.on("close", (code) => {
      const seconds = ((performance.now() - began) / 1_000).toFixed(1)
      process.stdout.write(`${name} ${code === 0 ? "holds" : "FAILS"}, ${seconds} s\n${said}`)
      resolve(code === 0)
    })
  })

/** Ends with the first that fails. */
const oneAfterAnother = async (names) => {
  for (const name of names) if (!(await run(name))) return false
  return true
}

const each = async (names) => {
  const held = []
  for (const name of names) held.push(await run(name))
  return held.every(Boolean)
}

const held = await Promise.all([oneAfterAnother(afterEachOther), each(others)])
process.exit(held.every(Boolean) ? 0 : 1)
