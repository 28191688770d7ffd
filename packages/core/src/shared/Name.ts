/** Names that people give to things: not blank, of one line, their length counted in code points. */
import * as Schema from "effect/Schema"
import { limits } from "./Limits.ts"

const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/
/** White space, and characters of no width, of which a name may hold some but not nothing else. */
const unseen = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}]*$/u

/** What is wrong with a name, as the end of a sentence that begins with where it stands. */
export const nameFault = (name: string, most: number = limits.nameLength): string | undefined => {
  // Of no more than so many code points, it has no more than twice as many units.
  if (name === "" || name.length > 2 * most || [...name].length > most) return `must have 1 to ${most} characters`
  if (unseen.test(name)) return "must not be blank"
  return lineBreak.test(name) ? "must not hold line breaks" : undefined
}

const nameOf = (most: number) =>
  Schema.String.check(
    Schema.makeFilter((name: string) => nameFault(name, most), {
      toJsonSchema: () => ({ minLength: 1, maxLength: most })
    })
  )

export const Name = nameOf(limits.nameLength)
