/** Where a person's browser ends (decisions 5.2). */
import * as Schema from "effect/Schema"
import { limits } from "../shared/Limits.ts"

/** `adds` is what is added to the address. */
export const redirectUri = (adds: string) =>
  Schema.String.check(Schema.isBetweenLength(1, limits.redirectUriLength)).annotate({
    description:
      `Where the person's browser ends, with ${adds}: an https address, an http address of this machine, or one of an ` +
      "application's own scheme."
  })
