/**
 * Port: the customer that connections belong to at an upstream. There is one for each workspace and provider instance, and the
 * connections of the workspace share it. One that has ended is kept until the upstream has taken it back; anyone who connects
 * meanwhile begins another one.
 *
 * Its reference is chosen and stored before the upstream is asked for the first time. So whatever the upstream makes under
 * it can be found again, also by a process that never saw the answer.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Subject } from "../provider/Connect.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

export interface ConnectionSubject {
  readonly workspaceId: WorkspaceId
  readonly instanceId: string
  /** Ours; says nothing about a person. */
  readonly ref: string
  readonly createdAt: Timestamp
}

export class ConnectionSubjectStore extends Context.Service<
  ConnectionSubjectStore,
  {
    /**
     * The subject of that workspace and instance; this one, where there was none. All who begin it at once get the same.
     * It does not end before the transaction does.
     */
    readonly begin: (subject: ConnectionSubject) => Effect.Effect<Subject, StorageUnavailable>
    readonly get: (
      workspaceId: WorkspaceId,
      instanceId: string
    ) => Effect.Effect<Option.Option<Subject>, StorageUnavailable>
    /** The same, where it is there: until the transaction ends nobody begins with it. */
    readonly hold: (
      workspaceId: WorkspaceId,
      instanceId: string
    ) => Effect.Effect<Option.Option<Subject>, StorageUnavailable>
    /** It has ended: from now on the workspace has none at the instance. */
    readonly end: (
      workspaceId: WorkspaceId,
      instanceId: string,
      at: Timestamp
    ) => Effect.Effect<void, StorageUnavailable>
    /** Those that have ended, the oldest first. */
    readonly ended: (
      workspaceId: WorkspaceId,
      instanceId: string
    ) => Effect.Effect<ReadonlyArray<Subject>, StorageUnavailable>
    /**
     * At most `limit` of those that are older than `before` and that nobody has taken since, also such as have ended: taken now,
     * the longest left first.
     */
    readonly takeLeft: (
      before: Timestamp,
      limit: number,
      at: Timestamp
    ) => Effect.Effect<ReadonlyArray<ConnectionSubject>, StorageUnavailable>
    /** Forgets one that has ended: the upstream has it no longer. */
    readonly forget: (
      workspaceId: WorkspaceId,
      instanceId: string,
      ref: string
    ) => Effect.Effect<void, StorageUnavailable>
    /** Keeps secrets, sealed: named ones replace those of the same name, others stay. */
    readonly keepSecrets: (
      workspaceId: WorkspaceId,
      instanceId: string,
      secrets: Subject["secrets"],
      at: Timestamp
    ) => Effect.Effect<void, StorageUnavailable>
    /** Whose subject a reference is, also one that has ended, of whichever workspace is reached: callbacks name nothing else. */
    readonly byRef: (
      instanceId: string,
      ref: string
    ) => Effect.Effect<Option.Option<ConnectionSubject>, StorageUnavailable>
  }
>()("@millrace/core/bank/ConnectionSubject/ConnectionSubjectStore") {}
