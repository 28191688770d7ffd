/** What the use cases in memory check: ids, cursors and versions. */
import * as Effect from "effect/Effect"
import { CursorUnusable, NotFound, PreconditionFailed } from "@millrace/core"
import type { PageRequest } from "../../../core/src/shared/Page.ts"

export const only = <A>(resource: string, expected: string, id: string, value: A): Effect.Effect<A, NotFound> =>
  id === expected ? Effect.succeed(value) : Effect.fail(new NotFound({ resource }))

export const checkCursor = (query: PageRequest): Effect.Effect<void, CursorUnusable> =>
  query.cursor === undefined || query.cursor === "next"
    ? Effect.void
    : Effect.fail(new CursorUnusable({ expired: query.cursor === "old" }))

export const checkVersion = (present: number, ifVersion: number | undefined): Effect.Effect<void, PreconditionFailed> =>
  ifVersion === undefined || ifVersion === present ? Effect.void : Effect.fail(new PreconditionFailed())
