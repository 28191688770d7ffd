/** What the checks before a handler need to know of an operation (decisions 2.1 and 2.9). */
import * as Context from "effect/Context"
import * as OpenApi from "effect/http-api/OpenApi"
import type { Scope } from "@millrace/core/access/Scope"

export interface Operation {
  /** Any one of them suffices; none: any valid credential. */
  readonly scopes: ReadonlyArray<Scope>
  readonly body: "none" | "required" | "optional" | "file"
  /** Answered on plans without API access too. */
  readonly everyPlan: boolean
  /** Carries `ETag` and honours `If-None-Match`. */
  readonly versioned: boolean
}

const defaults: Operation = { scopes: [], body: "none", everyPlan: false, versioned: false }

export const OperationOf = Context.Reference<Operation>("@millrace/http/api/Operation", {
  defaultValue: () => defaults
})

/** Annotations of an endpoint: for the checks at run time and for the OpenAPI document. */
export const operation = (summary: string, of: Partial<Operation>): Context.Context<Operation> => {
  const value: Operation = { ...defaults, ...of }
  return Context.add(
    OpenApi.annotations({ summary, override: { "x-required-scopes": value.scopes } }),
    OperationOf,
    value
  ) as Context.Context<Operation>
}
