/** The decisions of people about the identity of records: kept, and lifted. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Unprocessable } from "../failure/Failure.ts"
import type { RecordScope } from "../record/RecordStore.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import type { FactKind, IdentityFact } from "./match/IdentityFact.ts"
import { IdentityStore } from "./IdentityStore.ts"
import type { Decided, RecordContent } from "./LoggedMatch.ts"

/** A record, and what it says. */
interface Known {
  readonly id: string
  readonly content: RecordContent
}

const keyOf = ({ hash, providerId }: RecordContent) => ({ providerId, hash })

const make = Effect.gen(function* () {
  const identity = yield* IdentityStore
  const ids = yield* Ids

  /** Refused when the workspace has as many as it can. */
  const decide = Effect.fnUntraced(function* (
    scope: RecordScope,
    decided: Decided,
    kind: FactKind,
    fact: Pick<IdentityFact, "recordId" | "key" | "otherId" | "otherKey">
  ) {
    if ((yield* identity.countFacts(scope.workspaceId)) >= limits.identityFacts) {
      const message = `At most ${limits.identityFacts} decisions about the identity of records can be kept`
      return yield* new Unprocessable({ code: "LIMIT_EXCEEDED", message, details: [] })
    }
    yield* identity.addFact({ id: yield* ids.next("fact"), ...scope, kind, ...fact, ...decided })
  })

  /** Those of the account that are `which` hold no longer. Returns those that do. */
  const lift = Effect.fnUntraced(function* (
    scope: RecordScope,
    decided: Decided,
    which: (fact: IdentityFact) => boolean
  ) {
    const facts = yield* identity.facts(scope)
    yield* identity.liftFacts(
      scope.accountId,
      facts.filter(which).map(({ id }) => id),
      decided
    )
    return facts.filter((fact) => !which(fact))
  })

  /** The two are never matched by themselves. */
  const forbid = (scope: RecordScope, decided: Decided, a: Known, b: Known) =>
    decide(scope, decided, "forbid", {
      recordId: a.id,
      key: keyOf(a.content),
      otherId: b.id,
      otherKey: keyOf(b.content)
    })

  return { decide, lift, forbid }
})

/** Keeps and lifts the decisions of people. */
export class DecisionLog extends Context.Service<DecisionLog>()("@millrace/core/identity/DecisionLog", { make }) {
  static readonly layer: Layer.Layer<DecisionLog, never, IdentityStore | Ids> = Layer.effect(DecisionLog, make)
}
