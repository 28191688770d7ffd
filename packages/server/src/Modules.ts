/** Loading of the modules that a configuration file names: drivers and kinds from outside of the server. */
import { registerHooks } from "node:module"
import { pathToFileURL } from "node:url"
import type { Extension } from "@millrace/core/extension"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

const scheme = "millrace-module:"

/** Packages with one copy in a process, no matter who asks for them. */
const shared = /^(?:effect|@millrace\/(?:core|adapters))(?:\/|$)/

/** Modules that were loaded for a configuration file, and what they load in turn. */
const outside = new Set<string>()
let hooked = false

/**
 * A module is looked for from where the configuration file is. Wherever it is, it is given the server's own copies of
 * Millrace and of `effect`: it needs no installation of its own, and cannot bring another version along.
 */
const hook = (): void => {
  if (hooked) return
  hooked = true
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context
      if (specifier.startsWith(scheme)) {
        const [name, base] = specifier.slice(scheme.length).split(" ").map(decodeURIComponent) as [string, string]
        const found = next(name, { ...context, parentURL: base })
        outside.add(found.url)
        return found
      }
      if (parentURL === undefined || !outside.has(parentURL)) return next(specifier, context)
      if (shared.test(specifier)) return next(specifier, { ...context, parentURL: import.meta.url })
      const found = next(specifier, context)
      outside.add(found.url)
      return found
    }
  })
}

const parts: Readonly<Record<keyof Extension, (part: unknown) => boolean>> = {
  providers: (part) =>
    Predicate.hasProperty(part, "kind") && Predicate.hasProperty(part, "Config") && Predicate.hasProperty(part, "make"),
  destinations: (part) =>
    Effect.isEffect(part) || (Predicate.hasProperty(part, "type") && Predicate.hasProperty(part, "open")),
  enrichments: (part) => Predicate.hasProperty(part, "type") && Predicate.hasProperty(part, "plan"),
  collections: (part) => Predicate.hasProperty(part, "surface") && Predicate.hasProperty(part, "resource")
}

const isExtension = (value: unknown): value is Extension =>
  typeof value === "object" &&
  value !== null &&
  Object.keys(value).length > 0 &&
  Object.entries(value).every(([key, list]) => {
    const isPart = Object.hasOwn(parts, key) ? parts[key as keyof Extension] : undefined
    return isPart !== undefined && Array.isArray(list) && list.every(isPart)
  })

/** The first line of what went wrong. */
const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause)).split("\n")[0]!

/** Loads a module by a path from the configuration file on, or by the name of a package; else says what is wrong with it. */
export const loadModule = (name: string, configPath: string): Effect.Effect<Extension, string> =>
  Effect.tryPromise({
    try: async () => {
      hook()
      const base = pathToFileURL(configPath).href
      return (await import(`${scheme}${encodeURIComponent(name)} ${encodeURIComponent(base)}`)) as object
    },
    catch: (cause) =>
      Predicate.hasProperty(cause, "code") && cause.code === "ERR_MODULE_NOT_FOUND"
        ? `"${name}" cannot be found: give a path such as "./my-provider.ts", or the name of an installed package (${reasonOf(cause)})`
        : `"${name}" cannot be loaded: ${reasonOf(cause)}`
  }).pipe(
    Effect.flatMap((loaded) =>
      "default" in loaded && isExtension(loaded.default)
        ? Effect.succeed(loaded.default)
        : Effect.fail(
            `"${name}" has no extension as its default export: it must be extension({ providers, destinations, enrichments, collections }), each a list`
          )
    )
  )
