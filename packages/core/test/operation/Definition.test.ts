import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, expectTypeOf, it } from "vitest"
import { Conflict, NotFound } from "../../src/failure/Failure.ts"
import { type Asked, operation } from "../../src/operation/Definition.ts"
import type { ErrorsOf, Statuses } from "../../src/operation/Declared.ts"
import { record } from "../../src/operation/Success.ts"
import type { Id } from "../../src/shared/Ids.ts"

type Tags<E extends { readonly _tag: string }> = E["_tag"]

const common = {
  noun: "banks",
  summary: "Look at something",
  description: "Looks at something.",
  access: { anyOf: ["banks:read"], role: "viewer" },
  command: "things get",
  tool: "get_thing",
  repeats: "read",
  success: record(Schema.String),
  example: {}
} as const

describe("an operation", () => {
  it("may fail with the errors that follow from its path, body, version and repeats, and with no others", () => {
    type WithId = ErrorsOf<Statuses<"/v1/banks/:bank_id", never, "read", false, never>>
    expectTypeOf<"NotFound" | "Forbidden">().toExtend<Tags<WithId>>()
    expectTypeOf<"Conflict">().not.toExtend<Tags<WithId>>()
    // Without a parameter in its path there is nothing that could be missing.
    expectTypeOf<"NotFound">().not.toExtend<Tags<ErrorsOf<Statuses<"/v1/banks", never, "read", false, never>>>>()
    expectTypeOf<"Conflict">().toExtend<Tags<ErrorsOf<Statuses<"/v1/banks", never, "key", false, never>>>>()
    expectTypeOf<"Conflict">().toExtend<Tags<ErrorsOf<Statuses<"/v1/banks", never, "read", false, "Conflict">>>>()
  })

  it("does not compile where its use case fails with an error that it does not declare", () => {
    const fault = new Conflict({ code: "INVALID_STATE", message: "no", details: [] })
    operation({
      ...common,
      id: "a",
      get: "/v1/things/:bank_id",
      run: () => Effect.fail(new NotFound({ resource: "A" }))
    })
    operation({
      ...common,
      id: "b",
      get: "/v1/things",
      // @ts-expect-error -- 409 is not declared
      // @effect-diagnostics-next-line missingEffectError:off
      run: () => Effect.fail(fault)
    })
    operation({ ...common, id: "c", get: "/v1/things", errors: ["Conflict"], run: () => Effect.fail(fault) })
  })

  it("is given the ids of its path by their kinds, and other names as text", () => {
    type Given = Asked<"/v1/banks/:bank_id/names/:name", {}, never>
    expectTypeOf<Given["ids"]>().toEqualTypeOf<{ readonly bank: Id<"bank"> }>()
    expectTypeOf<Given["params"]>().toEqualTypeOf<{ readonly name: string }>()
  })

  it("has the hints of its tool from what asking again does", () => {
    const read = operation({ ...common, id: "a", get: "/v1/things", run: () => Effect.succeed("a") })
    const removal = operation({
      ...common,
      repeats: "inherent",
      id: "b",
      delete: "/v1/things",
      run: () => Effect.succeed("a")
    })
    expect(read.tool).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
    })
    expect(removal.tool).toMatchObject({ annotations: { readOnlyHint: false, destructiveHint: true } })
  })
})
