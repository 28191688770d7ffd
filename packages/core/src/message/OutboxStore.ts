/**
 * Port: messages on their way to people.
 *
 * A message is written in the transaction of what decided it, so that it is there exactly when that took effect. Its id follows
 * from what it says and to whom: adding it again changes nothing.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { Message, MessageContent, MessageState, NewMessage } from "./Message.ts"

/** What waits in a lane, and since when it has been silent. */
export interface Lane {
  /** Those that are held, oldest first. */
  readonly held: ReadonlyArray<Message>
  /** Whether one of its messages is ready or being sent. */
  readonly busy: boolean
  /** Seconds since something was last sent in it, by the store's clock; `undefined`: nothing was. */
  readonly silentSeconds: number | undefined
}

export class OutboxStore extends Context.Service<
  OutboxStore,
  {
    /** Adds those that are not there, and returns their ids. */
    readonly insert: (messages: ReadonlyArray<NewMessage>) => Effect.Effect<ReadonlySet<string>, StorageUnavailable>
    /**
     * Withdraws those that are held or ready: nobody sends them from then on. Returns the states in which they are now, of those
     * that are there.
     */
    readonly withdraw: (
      workspaceId: WorkspaceId,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, MessageState>, StorageUnavailable>
    /** The same for all that an enrichment has not sent yet. Returns how many there were. */
    readonly silence: (workspaceId: WorkspaceId, enrichmentId: string) => Effect.Effect<number, StorageUnavailable>
    readonly get: (workspaceId: WorkspaceId, id: string) => Effect.Effect<Message | undefined, StorageUnavailable>
    /** About to be sent: from `ready` to `sending`. `undefined` where it must not be sent; one that is being sent may be again. */
    readonly start: (workspaceId: WorkspaceId, id: string) => Effect.Effect<Message | undefined, StorageUnavailable>
    /**
     * Fixes what a message says that is being sent and may still be put into other words (`rephrase`). Returns it as it is from
     * then on: the same however often it is asked for.
     */
    readonly reword: (
      workspaceId: WorkspaceId,
      id: string,
      content: MessageContent
    ) => Effect.Effect<Message | undefined, StorageUnavailable>
    /** It was sent, or given up. Changes nothing of one that is not being sent. */
    readonly settle: (
      workspaceId: WorkspaceId,
      id: string,
      outcome: { readonly state: "sent" } | { readonly state: "failed"; readonly error: string }
    ) => Effect.Effect<void, StorageUnavailable>
    /** At most `limit` of those that are held. */
    readonly lane: (workspaceId: WorkspaceId, lane: string, limit: number) => Effect.Effect<Lane, StorageUnavailable>
    /** One that is held becomes ready. */
    readonly release: (workspaceId: WorkspaceId, id: string) => Effect.Effect<void, StorageUnavailable>
    /** Those that are held are reported by another message, which exists already. */
    readonly collect: (
      workspaceId: WorkspaceId,
      ids: ReadonlyArray<string>,
      into: string
    ) => Effect.Effect<void, StorageUnavailable>
    /** Newest first. */
    readonly list: (
      workspaceId: WorkspaceId,
      query: { readonly enrichmentId?: string; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<Message>, StorageUnavailable>
    /** Removes at most `limit` messages that are older than `limits.messageDays`. Returns how many. */
    readonly purge: (limit: number) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/message/OutboxStore") {}
