/**
 * `npm run check:types`: types, and what Effect's own rules say, in one go. The compiler of `@effect/tsgo` is TypeScript's with
 * those rules: one after the other, everything would be read twice.
 */
import { execFileSync, spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(import.meta.dirname, "..")
const program = fileURLToPath(new URL("dist/effect-tsgo.cjs", import.meta.resolve("@effect/tsgo/package.json")))
const compiler = execFileSync(process.execPath, [program, "get-exe-path"], { encoding: "utf8" }).trim()
// What it keeps is its own: a plain compiler would leave what it knows nothing of out of it.
const kept = join(root, "node_modules/.cache/millrace-effect.tsbuildinfo")
const args = ["-p", join(root, "tsconfig.json"), "--tsBuildInfoFile", kept]
const { error, status } = spawnSync(compiler, args, { stdio: "inherit" })
if (error !== undefined) throw error
process.exit(status ?? 1)
