/** What importing the root of the package costs: a count of modules, since times differ between machines. */
import { execFileSync } from "node:child_process"
import { expect, it } from "vitest"

/** Prints how many modules of effect were loaded for the imports. */
const counting = (imports: ReadonlyArray<string>): string => `
import { registerHooks } from "node:module"
const loaded = new Set()
registerHooks({ load: (url, context, next) => {
  if (url.includes("/node_modules/effect/")) loaded.add(url)
  return next(url, context)
} })
for (const name of ${JSON.stringify(imports)}) await import(name)
console.log(loaded.size)`

const modulesOf = (...imports: ReadonlyArray<string>): number => {
  const args = ["--conditions=@millrace/source", "--input-type=module", "-e", counting(imports)]
  return Number(execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: "utf8" }))
}

it("loads at most twice as many modules of effect as a schema, an effect and a layer need", () => {
  const needed = modulesOf("effect/Schema", "effect/Effect", "effect/Layer")
  const loaded = modulesOf("@millrace/core")
  expect(needed).toBeGreaterThan(10)
  expect(loaded).toBeGreaterThanOrEqual(needed / 2)
  expect(loaded).toBeLessThanOrEqual(needed * 2)
})
