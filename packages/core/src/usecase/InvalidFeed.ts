/** A feed that cannot be saved as it is asked for. */
import { Unprocessable, type Detail } from "../failure/Failure.ts"
import { limits } from "../shared/Limits.ts"

export const invalidFeed = (details: ReadonlyArray<Detail>, warnings: ReadonlyArray<string>) =>
  new Unprocessable({
    code: "FEED_VALIDATION_FAILED",
    message: "Validation failed",
    details: details.slice(0, limits.errorDetails),
    warnings
  })
