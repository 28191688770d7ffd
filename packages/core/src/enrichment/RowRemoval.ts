/** Port: which types of destination can take away a row that they were given. */
import * as Context from "effect/Context"
import type { Feed } from "../feed/Feed.ts"
import type { Detail } from "../failure/Failure.ts"

/** All of them, unless a program says otherwise. */
export const RowRemoval = Context.Reference<{ readonly canRemove: (destinationType: string) => boolean }>(
  "@millrace/core/enrichment/RowRemoval",
  { defaultValue: () => ({ canRemove: () => true }) }
)

/** What is wrong with asking the destinations of these feeds to remove rows; `field` asks for it. */
export const removalFaults = (
  field: string,
  feeds: ReadonlyArray<Feed>,
  { canRemove }: typeof RowRemoval.Service
): ReadonlyArray<Detail> =>
  feeds.flatMap(({ destinationConfig, name }) =>
    destinationConfig === undefined || canRemove(destinationConfig.type)
      ? []
      : [
          {
            field,
            message: `the feed "${name}" delivers to a destination of the type ${destinationConfig.type}, which cannot remove rows`
          }
        ]
  )
