/** One case of the conformance suite: what it is about, to which drivers it applies, and how it is tried. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { UpstreamFacts, UpstreamSuiteOptions } from "./UpstreamUnderTest.ts"

export interface UpstreamCase {
  readonly title: string
  /** Why the driver or its upstream has nothing that this is about; `undefined`: it applies. */
  readonly lacks?: (facts: UpstreamFacts) => string | undefined
  readonly run: (options: UpstreamSuiteOptions) => Effect.Effect<void, unknown, Scope.Scope>
}

/** Of cases about answers. */
export const asksNothing = ({ fake }: UpstreamFacts): string | undefined =>
  fake.isOffline === true ? "it asks nothing over a wire" : undefined
