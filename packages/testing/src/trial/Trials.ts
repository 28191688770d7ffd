/** Fakes that a person can try a sign-in with, by the kind of their provider. All of it is marked as a trial. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FakeUpstream } from "../upstream/FakeUpstream.ts"
import { fakeFiskil } from "../upstream/fiskil/FakeFiskil.ts"
import { startPlaid } from "../upstream/plaid/PlaidFake.ts"
import { fakeQuiltt } from "../upstream/quiltt/FakeQuiltt.ts"
import { fakeSaltEdge } from "../upstream/saltedge/FakeSaltEdge.ts"
import { startSimpleFin } from "../upstream/simplefin/SimpleFinFake.ts"
import { fakeSnapTrade } from "../upstream/snaptrade/FakeSnapTrade.ts"

const mark = "(trial)"

/** Each runs until its scope ends, and forgets everything then. */
export const trials: ReadonlyMap<string, Effect.Effect<FakeUpstream, never, Scope.Scope>> = new Map<
  string,
  Effect.Effect<FakeUpstream, never, Scope.Scope>
>([
  ["fiskil", fakeFiskil({ mark })],
  ["plaid", startPlaid({ hostedLink: true, mark })],
  ["quiltt", fakeQuiltt({ mark })],
  ["saltedge", fakeSaltEdge({ mark })],
  ["snaptrade", fakeSnapTrade({ mark })],
  ["simplefin", startSimpleFin({ mark })]
])
