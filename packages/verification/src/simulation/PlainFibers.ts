/**
 * Imported before anything of Effect, in a thread of its own: fibers then keep no asynchronous context of the
 * process. A scenario has none, and each wait of a fiber would pay for it.
 */
const builtin = process.getBuiltinModule.bind(process)

const withoutContext = (id: string): unknown => (id === "node:async_hooks" ? undefined : builtin(id))

process.getBuiltinModule = withoutContext as typeof process.getBuiltinModule
