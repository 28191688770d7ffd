/** Puts messages on their way: a row for each endpoint, and the task that sends it, in the transaction of who calls. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { derivedId } from "../shared/DerivedId.ts"
import { Digest } from "../shared/Digest.ts"
import type { Id } from "../shared/Ids.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Tasks } from "../task/Tasks.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { MessageContent, MessageState, NewMessage } from "./Message.ts"
import { type Endpoint, endpointName, endpointsOf, type MessageDestination } from "./MessageDestination.ts"
import { laneTask, sendTask } from "./MessageTasks.ts"
import { OutboxStore } from "./OutboxStore.ts"

/** Something to be told. */
export interface Posting {
  /** Names it for ever within its enrichment: what was told under a key is not told again. */
  readonly key: string
  readonly destinations: ReadonlyArray<MessageDestination>
  readonly content: MessageContent
  /** Minutes of silence after what was last sent; what comes within them is reported together when they are over. None unless given. */
  readonly cooldownMinutes?: number
  /** Not earlier than then; at once unless given. */
  readonly at?: Timestamp
  /**
   * The key of what it takes back. Where that was not sent yet it never will be, and there is nothing to take back. Where it was,
   * this is sent unless it is `quiet`.
   */
  readonly retracts?: { readonly key: string; readonly quiet: boolean }
}

/** Who tells it. */
export interface PostingScope {
  readonly workspaceId: WorkspaceId
  readonly enrichmentId: Id<"enrichment">
}

/** States in which somebody has read a message, or will. */
const told: ReadonlySet<MessageState> = new Set(["sending", "sent", "collected"])

export class Outbox extends Context.Service<
  Outbox,
  {
    /** Posts what was not posted before. Returns how many messages that are: one for each endpoint. */
    readonly post: (scope: PostingScope, postings: ReadonlyArray<Posting>) => Effect.Effect<number, StorageUnavailable>
    /** Nothing that waits is sent any more. */
    readonly silence: (scope: PostingScope) => Effect.Effect<void, StorageUnavailable>
  }
>()("@millrace/core/message/Outbox") {
  static readonly layer: Layer.Layer<Outbox, never, OutboxStore | Tasks | Digest> = Layer.effect(
    Outbox,
    Effect.gen(function* () {
      const store = yield* OutboxStore
      const tasks = yield* Tasks
      const { sha256 } = yield* Digest

      const idOf = ({ enrichmentId, workspaceId }: PostingScope, key: string, endpoint: Endpoint): string =>
        derivedId(sha256, workspaceId, enrichmentId, key, endpointName(endpoint))

      /** The endpoints that are still to be told. */
      const openEndpoints = Effect.fnUntraced(function* (scope: PostingScope, { destinations, retracts }: Posting) {
        const endpoints = endpointsOf(destinations)
        if (retracts === undefined) return endpoints
        const ids = new Map(endpoints.map((endpoint) => [endpoint, idOf(scope, retracts.key, endpoint)]))
        const states = yield* store.withdraw(scope.workspaceId, [...ids.values()])
        if (retracts.quiet) return []
        return endpoints.filter((endpoint) => told.has(states.get(ids.get(endpoint)!) ?? "failed"))
      })

      const post = Effect.fn("Outbox.post")(function* (scope: PostingScope, postings: ReadonlyArray<Posting>) {
        let posted = 0
        for (const posting of postings) {
          const { at, content, cooldownMinutes = 0, key } = posting
          const when = at === undefined ? {} : { at }
          const messages = (yield* openEndpoints(scope, posting)).map((endpoint): NewMessage => ({
            ...scope,
            id: idOf(scope, key, endpoint),
            endpoint,
            content,
            lane: derivedId(sha256, scope.workspaceId, scope.enrichmentId, endpointName(endpoint)),
            cooldownSeconds: cooldownMinutes * 60,
            state: cooldownMinutes > 0 ? "held" : "ready"
          }))
          if (messages.length === 0) continue
          const fresh = yield* store.insert(messages)
          const added = messages.filter(({ id }) => fresh.has(id))
          posted += added.length
          const { workspaceId } = scope
          yield* tasks.enqueue(
            sendTask,
            ...added
              .filter(({ state }) => state === "ready")
              .map(({ id }) => ({ payload: { workspaceId, id }, workspaceId, key: id, ...when }))
          )
          yield* tasks.enqueue(
            laneTask,
            ...added
              .filter(({ state }) => state === "held")
              .map(({ lane }) => ({ payload: { workspaceId, lane }, workspaceId, key: lane, ...when }))
          )
        }
        return posted
      })

      return Outbox.of({
        post,
        silence: ({ enrichmentId, workspaceId }) => Effect.asVoid(store.silence(workspaceId, enrichmentId))
      })
    })
  )
}
