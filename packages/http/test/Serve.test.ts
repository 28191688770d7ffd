import type * as Effect from "effect/Effect"
import { describe, expectTypeOf, it } from "vitest"
import type { serve } from "../src/handlers/Serve.ts"

type Banks = Effect.Success<Parameters<typeof serve<"banks", never, never>>[1]>
/** What the handler of an operation may fail with. */
type Failure<Op extends keyof Banks> = Effect.Error<ReturnType<Banks[Op]>>["_tag"]

describe("handlers", () => {
  it("compile with errors that their endpoints declare, and with no others", () => {
    expectTypeOf<"NotFound">().toExtend<Failure<"getBank">>()
    expectTypeOf<"Forbidden">().toExtend<Failure<"getBank">>()
    expectTypeOf<"Conflict">().not.toExtend<Failure<"getBank">>()
    // Without a parameter in its path there is nothing that could be missing.
    expectTypeOf<"NotFound">().not.toExtend<Failure<"listBanks">>()
  })

  it("are one for each endpoint of their group", () => {
    expectTypeOf<keyof Banks>().toEqualTypeOf<
      | "listBanks"
      | "getBank"
      | "updateBank"
      | "refreshBank"
      | "startConnection"
      | "completeConnection"
      | "reauthConnection"
      | "getConnectionAttempt"
      | "searchInstitutions"
      | "listProviders"
      | "deleteBank"
      | "restoreBank"
    >()
  })
})
