/** Turns of reads that can keep the database long: few of one workspace at a time, and not too many in all. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { ServerBusy } from "../failure/Failure.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

/** Of the connections of a server; the others are left to everybody else. */
const together = 6
const ofWorkspace = 2
/** A read that does not get its turn in that time is asked to come again. */
const patience = "5 seconds"

interface Share {
  readonly turns: Semaphore.Semaphore
  /** Reads that have a turn or wait for one. */
  readers: number
}

export interface QueryTurns {
  readonly take: <A, E, R>(
    workspaceId: WorkspaceId,
    read: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | ServerBusy, R>
}

/** What waits longer for its turn fails; what has its turn is left alone. */
const turnOf = (semaphore: Semaphore.Semaphore) =>
  Effect.flatMap(Effect.timeoutOption(semaphore.takeScoped(1), patience), (taken) =>
    Option.isSome(taken) ? Effect.void : Effect.fail(new ServerBusy())
  )

export const makeQueryTurns = (): QueryTurns => {
  const all = Semaphore.makeUnsafe(together)
  const shares = new Map<WorkspaceId, Share>()

  const enter = (id: WorkspaceId): Share => {
    const share = shares.get(id) ?? { turns: Semaphore.makeUnsafe(ofWorkspace), readers: 0 }
    share.readers++
    shares.set(id, share)
    return share
  }
  const leave = (id: WorkspaceId, share: Share): void => {
    share.readers--
    if (share.readers === 0) shares.delete(id)
  }

  return {
    take: (id, read) =>
      Effect.acquireUseRelease(
        Effect.sync(() => enter(id)),
        ({ turns }) =>
          // First the own: anyone who waits for others of its workspace holds no turn of everybody's.
          Effect.scopedWith((scope) =>
            Effect.andThen(Effect.provideService(Effect.andThen(turnOf(turns), turnOf(all)), Scope.Scope, scope), read)
          ),
        (share) => Effect.sync(() => leave(id, share))
      )
  }
}
