/** Messages on their way to people, in memory. */
import { limits, Timestamp } from "@millrace/core"
import type { Message } from "@millrace/core/message"
import { OutboxStore } from "@millrace/core/storage"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { frozen } from "./Frozen.ts"
import { Memory } from "./MemoryTransactor.ts"

const dayMillis = 86_400_000

const isOpen = ({ state }: Message): boolean => state === "held" || state === "ready"

export const layer: Layer.Layer<OutboxStore, never, Memory> = Layer.effect(
  OutboxStore,
  Effect.gen(function* () {
    const { call, remove, set } = yield* Memory
    /** Oldest first. */
    const messages = new Map<string, Message>()

    const of = (workspaceId: WorkspaceId): ReadonlyArray<Message> =>
      [...messages.values()].filter((message) => message.workspaceId === workspaceId)
    const find = (workspaceId: WorkspaceId, id: string): Message | undefined => {
      const message = messages.get(id)
      return message?.workspaceId === workspaceId ? message : undefined
    }
    const put = (message: Message, change: Partial<Message>): Message => {
      const changed: Message = frozen({ ...message, ...change })
      set(messages, message.id, changed)
      return changed
    }

    return OutboxStore.of({
      insert: (added) =>
        call((now) => {
          const fresh = new Set<string>()
          for (const message of added) {
            if (messages.has(message.id)) continue
            fresh.add(message.id)
            set(messages, message.id, frozen({ ...message, createdAt: Timestamp.fromMillis(now) }))
          }
          return fresh
        }),
      withdraw: (workspaceId, ids) =>
        call(() => {
          const states = new Map<string, Message["state"]>()
          for (const id of ids) {
            const message = find(workspaceId, id)
            if (message === undefined) continue
            states.set(id, isOpen(message) ? put(message, { state: "withdrawn" }).state : message.state)
          }
          return states
        }),
      silence: (workspaceId, enrichmentId) =>
        call(() => {
          const open = of(workspaceId).filter((message) => message.enrichmentId === enrichmentId && isOpen(message))
          for (const message of open) put(message, { state: "withdrawn" })
          return open.length
        }),
      get: (workspaceId, id) => call(() => find(workspaceId, id)),
      start: (workspaceId, id) =>
        call(() => {
          const message = find(workspaceId, id)
          if (message?.state === "ready") return put(message, { state: "sending" })
          return message?.state === "sending" ? message : undefined
        }),
      reword: (workspaceId, id, content) =>
        call(() => {
          const message = find(workspaceId, id)
          return message?.state === "sending" && message.content.rephrase !== undefined
            ? put(message, { content })
            : message
        }),
      settle: (workspaceId, id, outcome) =>
        call((now) => {
          const message = find(workspaceId, id)
          if (message?.state !== "sending") return
          put(
            message,
            outcome.state === "sent"
              ? { state: "sent", sentAt: Timestamp.fromMillis(now) }
              : { state: "failed", error: outcome.error }
          )
        }),
      lane: (workspaceId, lane, limit) =>
        call((now) => {
          const own = of(workspaceId).filter((message) => message.lane === lane)
          const sent = own.flatMap(({ sentAt, state }) =>
            state === "sent" && sentAt !== undefined ? [Timestamp.toMillis(sentAt)] : []
          )
          return {
            held: own.filter(({ state }) => state === "held").slice(0, limit),
            busy: own.some(({ state }) => state === "ready" || state === "sending"),
            silentSeconds: sent.length === 0 ? undefined : (now - Math.max(...sent)) / 1_000
          }
        }),
      release: (workspaceId, id) =>
        call(() => {
          const message = find(workspaceId, id)
          if (message?.state === "held") put(message, { state: "ready" })
        }),
      collect: (workspaceId, ids, into) =>
        call(() => {
          for (const id of ids) {
            const message = find(workspaceId, id)
            if (message?.state === "held") put(message, { state: "collected", into })
          }
        }),
      list: (workspaceId, { enrichmentId, limit }) =>
        call(() =>
          of(workspaceId)
            .filter((message) => enrichmentId === undefined || message.enrichmentId === enrichmentId)
            .toReversed()
            .slice(0, limit)
        ),
      purge: (limit) =>
        call((now) => {
          const oldest = Timestamp.fromMillis(now - limits.messageDays * dayMillis)
          const over = [...messages.values()].filter(({ createdAt }) => createdAt < oldest).slice(0, limit)
          for (const { id } of over) remove(messages, id)
          return over.length
        })
    })
  })
)
