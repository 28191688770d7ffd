/** Lists of a workspace with its portals (specification 2.1 and 4.1). */
import * as Schema from "effect/Schema"
import { Id } from "@millrace/core"

/** Name of the parameter in the OpenAPI document, which names its two values there. */
export const familyScopeComponent = "FamilyScope"

/** `self` or `family`; other values have a code of their own, so they are judged by the handler. */
export const familyScope = Schema.optionalKey(Schema.String.annotate({ identifier: familyScopeComponent }))

/** Owner of a row in family answers: the portal, or `null` for the workspace itself. */
export const family = {
  workspaceId: Schema.optionalKey(Id("workspace")),
  portal: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ id: Id("workspace"), name: Schema.String, icon: Schema.NullOr(Schema.String) }))
  )
}
