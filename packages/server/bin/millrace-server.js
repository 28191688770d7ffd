#!/usr/bin/env node
/** Runs the server as it was built where it is installed, and its TypeScript files in a checkout. */
if (import.meta.url.includes("/node_modules/")) await import("../dist/main.js")
else {
  const { registerHooks } = await import("node:module")
  registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: ["@millrace/source", ...context.conditions] })
  })
  await import("../src/main.ts")
}
