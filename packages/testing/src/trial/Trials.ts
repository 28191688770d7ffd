/** Fakes that a person can try a sign-in with, by the kind of their provider. All of it is marked as a trial. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FakeUpstream } from "../upstream/FakeUpstream.ts"
import { fakeFiskil } from "../upstream/fiskil/FakeFiskil.ts"
import { startPlaid } from "../upstream/plaid/PlaidFake.ts"
import { fakeQuiltt } from "../upstream/quiltt/FakeQuiltt.ts"
import { fakeSaltEdge } from "../upstream/saltedge/FakeSaltEdge.ts"
import { startSimpleFin } from "../upstream/simplefin/SimpleFinFake.ts"
import { fakeSnapTrade } from "../upstream/snaptrade/FakeSnapTrade.ts"
import { trialDesk } from "./TrialDesk.ts"

const mark = "(trial)"

/** With the page on which its banks are broken on purpose. */
const withDesk = <A extends FakeUpstream>(fake: Effect.Effect<A, never, Scope.Scope>) =>
  Effect.map(fake, (one): FakeUpstream => {
    one.server.pages = trialDesk(one)
    return one
  })

/** Each runs until its scope ends, and forgets everything then. */
export const trials: ReadonlyMap<string, Effect.Effect<FakeUpstream, never, Scope.Scope>> = new Map<
  string,
  Effect.Effect<FakeUpstream, never, Scope.Scope>
>([
  ["fiskil", withDesk(fakeFiskil({ mark }))],
  ["plaid", withDesk(startPlaid({ hostedLink: true, mark }))],
  ["quiltt", withDesk(fakeQuiltt({ mark }))],
  ["saltedge", withDesk(fakeSaltEdge({ mark }))],
  ["snaptrade", withDesk(fakeSnapTrade({ mark }))],
  ["simplefin", withDesk(startSimpleFin({ mark }))]
])
