/** Names of kinds of things that programs may add to: providers, destinations, enrichments. */
import * as Schema from "effect/Schema"

/** Small letters, digits and underscores, a letter first; 2 to 40 of them. */
export const Identifier = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9_]{1,39}$/, {
    message: "must be 2 to 40 small letters, digits and underscores, with a letter first"
  })
)

export const isIdentifier = (text: string): boolean => Schema.is(Identifier)(text)

/**
 * The members of a registry by their name. A name that is none, or that two members have, is a defect of the program
 * that put them together: `what` says which registry it is.
 */
export const byIdentifier = <A>(
  what: string,
  members: ReadonlyArray<A>,
  nameOf: (member: A) => string
): ReadonlyMap<string, A> => {
  const found = new Map<string, A>()
  for (const member of members) {
    const name = nameOf(member)
    if (!isIdentifier(name)) {
      throw new RangeError(
        `"${name}" cannot name ${what}: it must be 2 to 40 small letters, digits and underscores, with a letter first`
      )
    }
    if (found.has(name)) throw new RangeError(`two of the given ones are ${what} "${name}"`)
    found.set(name, member)
  }
  return found
}
