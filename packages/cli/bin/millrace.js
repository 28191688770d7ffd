#!/usr/bin/env node
/** Runs the command line as it was built where it is installed, and its TypeScript files in a checkout. */
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Millrace needs Node 22.19 or newer, and this is ${process.version}. npm installs one beside it: npx millrace finds it.\n`
  )
  process.exit(1)
}

if (import.meta.url.includes("/node_modules/")) await import("../dist/main.js")
else {
  const { registerHooks } = await import("node:module")
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: ["@millrace/source", ...context.conditions] })
  })
  await import("../src/main.ts")
}
