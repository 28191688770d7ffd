#!/usr/bin/env node
/**
 * Runs the server as it was built where it is installed, and its TypeScript files in a checkout.
 *
 * Built, it is two things: modules one by one, and all of them put together to a few files (`dist/whole`), which start three times
 * as fast and hold 35 MB less. Modules of a configuration file share the server's own copies of Millrace and of `effect`,
 * so with them it runs one by one.
 */
import { readFileSync } from "node:fs"

const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Millrace needs Node 22.19 or newer, and this is ${process.version}. npm installs one beside it: npm start finds it.\n`
  )
  process.exit(1)
}

/** On machines with much memory Node lets garbage lie for long. */
const flags = ["--max-semi-space-size=16", "--heap-growing-percent=30"]

/** What the C library of Linux is reported: without it each thread keeps memory that was let go of for itself. */
const allocation = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072"
}

/** The same process again with what nobody has given, where the system can do that: it counts from the start on. */
const withFlags = () => {
  const given = `${process.execArgv.join(" ")} ${process.env.NODE_OPTIONS ?? ""}`
  const missing = flags.filter((flag) => !given.includes(flag.slice(0, flag.indexOf("="))))
  const isTold = Object.keys(allocation).every((name) => process.env[name] !== undefined)
  if ((missing.length === 0 && isTold) || process.platform === "win32" || process.execve === undefined) return
  try {
    process.execve(process.execPath, [process.execPath, ...process.execArgv, ...missing, ...process.argv.slice(1)], {
      ...allocation,
      ...process.env
    })
  } catch {
    // It serves without them as well.
  }
}

const hasModules = () => {
  try {
    const { modules } = JSON.parse(readFileSync(process.env.MILLRACE_CONFIG ?? "millrace.config.json", "utf8"))
    return Array.isArray(modules) && modules.length > 0
  } catch {
    // There is none, or the server says what is wrong with it.
    return false
  }
}

withFlags()
if (import.meta.url.includes("/node_modules/")) await import(hasModules() ? "../dist/main.js" : "../dist/whole/main.js")
else {
  const { registerHooks } = await import("node:module")
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: ["@millrace/source", ...context.conditions] })
  })
  await import("../src/main.ts")
}
