/**
 * Messages on their way: each is told once to each endpoint, alone or with others, or taken back before.
 *
 * MILLRACE_LONG=1 runs 100,000 histories; MILLRACE_SEED repeats one.
 */
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { Ids, Timestamp } from "@millrace/core"
import { messageHandlers } from "@millrace/core/kernel"
import {
  Channels,
  type Message,
  MessageNotSent,
  Outbox,
  type Outgoing,
  Phrasing,
  type Posting
} from "@millrace/core/message"
import { EventStore, OutboxStore, TaskStore } from "@millrace/core/storage"
import { TaskKinds, Tasks } from "@millrace/core/task"
import { makeMessage, storeWorkspace } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { TaskRunner } from "../src/TaskRunner.ts"

type Send = (message: Outgoing) => Effect.Effect<void, MessageNotSent>

const minute = 60_000

/** An installation with these channels; `send` may be another one at each call. */
const arrange = Effect.fnUntraced(function* () {
  const workspace = yield* storeWorkspace()
  const enrichmentId = yield* (yield* Ids).next("enrichment")
  const scope = { workspaceId: workspace.id, enrichmentId }
  const outbox = yield* Outbox
  const store = yield* OutboxStore
  const posting = (key: string, change: Partial<Posting> = {}): Posting => ({
    key,
    destinations: [{ type: "email", recipients: ["owner@example.com"] }],
    content: { ...makeMessage(workspace.id, enrichmentId, key).content },
    ...change
  })
  return {
    scope,
    store,
    post: (key: string, change?: Partial<Posting>) => outbox.post(scope, [posting(key, change)]),
    pass: (millis: number) => TestClock.adjust(millis),
    all: Effect.map(store.list(workspace.id, { limit: 10_000 }), (found) => found.toReversed())
  }
})

const services = (send: Send, phrase?: (typeof Phrasing)["Service"]["phrase"]) =>
  TaskRunner.layer().pipe(
    Layer.provide(TaskKinds.layer(...messageHandlers)),
    Layer.provide(Layer.succeed(Channels, { send })),
    Layer.provide(phrase === undefined ? Layer.empty : Layer.succeed(Phrasing, { phrase })),
    Layer.provideMerge(Outbox.layer),
    Layer.provideMerge(Tasks.layer),
    Layer.provideMerge(Layer.mergeAll(Layer.fresh(MemoryStorage.layer), NodeDigest.layer, Ids.layer)),
    Layer.provideMerge(Logger.layer([]))
  )

const recorded = () => {
  const sent: Array<Outgoing> = []
  const send: Send = (message) => Effect.sync(() => void sent.push(message))
  return { sent, send, titles: () => sent.map(({ content }) => content.title) }
}

describe("messages", () => {
  it.effect("tells each recipient by itself, once for a key", () => {
    const { send, sent } = recorded()
    return Effect.gen(function* () {
      const { pass, post } = yield* arrange()
      const destinations: Posting["destinations"] = [
        { type: "email", recipients: ["a@example.com", "b@example.com", "A@example.com"] },
        { type: "sms", phoneNumbers: ["+31612345678"] }
      ]
      expect(yield* post("a", { destinations })).toBe(3)
      expect(yield* post("a", { destinations })).toBe(0)
      yield* pass(minute)
      expect(sent.map(({ endpoint }) => `${endpoint.channel} ${endpoint.to}`).toSorted()).toEqual([
        "email a@example.com",
        "email b@example.com",
        "sms +31612345678"
      ])
      expect(new Set(sent.map(({ id }) => id)).size).toBe(3)
    }).pipe(Effect.provide(services(send)))
  })

  it.effect("says to the letter the same over all tries, where a model says it otherwise each time", () => {
    const said: Array<string | undefined> = []
    let asked = 0
    const send: Send = ({ content }) => {
      said.push(content.prose)
      return said.length < 3 ? Effect.fail(new MessageNotSent({ message: "busy", final: false })) : Effect.void
    }
    const phrase: (typeof Phrasing)["Service"]["phrase"] = () =>
      Effect.sync(() => `You spent {1} (${"!".repeat(++asked)}).`)
    return Effect.gen(function* () {
      const { all, pass, post } = yield* arrange()
      const content = {
        ...makeMessage((yield* storeWorkspace()).id, yield* (yield* Ids).next("enrichment"), "a").content,
        prose: "Went out: €5.00.",
        rephrase: {
          text: "Went out: {1}.",
          values: ["€5.00"],
          model: "default",
          monthlyTokens: 1_000,
          dataType: "transactions"
        }
      } as const
      yield* post("a", { content })
      yield* pass(60 * minute)
      expect(said).toEqual(Array.from({ length: 3 }, () => "You spent €5.00 (!)."))
      const [{ content: kept, state }] = (yield* all) as [Message]
      expect([state, kept.rephrase]).toEqual(["sent", undefined])
    }).pipe(Effect.provide(services(send, phrase)))
  })

  it.effect("is silent after what was sent, and tells together what came meanwhile when that is over", () => {
    const { send, sent, titles } = recorded()
    return Effect.gen(function* () {
      const { pass, post } = yield* arrange()
      const hour = { cooldownMinutes: 60 }
      yield* post("A", hour)
      yield* pass(20 * minute)
      expect(titles()).toEqual(["Message A"])
      yield* post("B", hour)
      yield* pass(20 * minute)
      yield* post("C", hour)
      yield* pass(19 * minute)
      expect(sent).toHaveLength(1)
      yield* pass(2 * minute)
      expect(titles()).toEqual(["Message A", "2 more: B, C"])
      yield* pass(120 * minute)
      expect(sent).toHaveLength(2)
      yield* post("D", hour)
      yield* pass(minute)
      expect(titles().at(-1)).toBe("Message D")
    }).pipe(Effect.provide(services(send)))
  })

  it.effect("takes back what has not been sent without a word, and what has been with one", () => {
    const { send, titles } = recorded()
    return Effect.gen(function* () {
      const { pass, post } = yield* arrange()
      yield* post("A", { cooldownMinutes: 60 })
      yield* pass(minute)
      yield* post("B", { cooldownMinutes: 60 })
      yield* post("not B", { retracts: { key: "B", quiet: false }, cooldownMinutes: 60 })
      yield* post("not C", { retracts: { key: "C", quiet: false } })
      yield* post("quietly not A", { retracts: { key: "A", quiet: true } })
      yield* post("not A", { retracts: { key: "A", quiet: false } })
      yield* pass(180 * minute)
      expect(titles()).toEqual(["Message A", "Message not A"])
    }).pipe(Effect.provide(services(send)))
  })

  it.effect("waits for the instant that it is for, and is not sent once its enrichment is silenced", () => {
    const { send, titles } = recorded()
    return Effect.gen(function* () {
      const { pass, post, scope } = yield* arrange()
      const at = Timestamp.fromMillis(Timestamp.toMillis(yield* Timestamp.now) + 30 * minute)
      yield* post("later", { at })
      yield* post("never", { at })
      yield* pass(29 * minute)
      expect(titles()).toEqual([])
      yield* pass(2 * minute)
      expect(titles().toSorted()).toEqual(["Message later", "Message never"])
      yield* post("silenced", { cooldownMinutes: 5 })
      yield* pass(1_000)
      yield* post("held", { cooldownMinutes: 5 })
      yield* (yield* Outbox).silence(scope)
      yield* pass(60 * minute)
      expect(titles()).not.toContain("Message held")
    }).pipe(Effect.provide(services(send)))
  })

  it.effect("gives up what is refused for good, tells the workspace, and goes on with the others", () => {
    const { send, titles } = recorded()
    const refusing: Send = (message) =>
      message.content.brief === "A"
        ? Effect.fail(new MessageNotSent({ message: "No such mailbox", final: true }))
        : send(message)
    return Effect.gen(function* () {
      const { all, pass, post, scope } = yield* arrange()
      yield* post("A", { cooldownMinutes: 1 })
      yield* pass(2_000)
      yield* post("B", { cooldownMinutes: 1 })
      yield* pass(5 * minute)
      expect(titles()).toEqual(["Message B"])
      expect((yield* all).map(({ state }) => state)).toEqual(["failed", "sent"])
      const events = yield* (yield* EventStore).read(scope.workspaceId, 0, 10)
      expect(events.map(({ data, subject, type }) => [type, subject.id, data])).toEqual([
        ["message.failed", scope.enrichmentId, expect.objectContaining({ channel: "email", error: "No such mailbox" })]
      ])
    }).pipe(Effect.provide(services(refusing)))
  })
})

/** One history: messages come, are taken back, channels fail before and after they took something. */
const history = (seed: number) => {
  const random = new Seeded(seed)
  /** What arrived, by id: contents as often as they were handed over. */
  const arrived = new Map<string, Array<string>>()
  let isCalm = false
  const send: Send = (message) =>
    Effect.suspend(() => {
      const fault = isCalm ? 9 : random.below(10)
      const broken = new MessageNotSent({ message: "broken", final: false, afterSeconds: random.below(30) })
      if (fault < 2) return Effect.fail(broken)
      arrived.set(message.id, [...(arrived.get(message.id) ?? []), JSON.stringify(message.content)])
      // It has it, and the answer is lost.
      if (fault < 4) return Effect.fail(broken)
      return fault < 5 ? Effect.die(new Error("the process breaks")) : Effect.void
    })
  const isArrived = (message: Message | undefined) => message !== undefined && arrived.has(message.id)
  return Effect.gen(function* () {
    const { all, pass, post } = yield* arrange()
    const cooldown = random.pick([0, 0, 3, 10])
    let made = 0
    for (let step = 0; step < 10; step++) {
      const key = `${made++}`
      if (random.once(5))
        yield* post(`not ${random.below(made)}`, { retracts: { key: `${random.below(made)}`, quiet: random.once(2) } })
      else
        yield* post(key, {
          cooldownMinutes: cooldown,
          destinations: [{ type: "email", recipients: ["a@example.com", "b@example.com"] }]
        })
      // Told again, as by a run that is repeated.
      if (random.once(3)) yield* post(key, { cooldownMinutes: cooldown })
      yield* pass(random.below(4) * minute)
    }
    isCalm = true
    const tasks = yield* TaskStore
    const openTasks = Effect.map(
      Effect.all([
        tasks.list({ kind: "message_send", state: "open", limit: 1 }),
        tasks.list({ kind: "message_lane", state: "open", limit: 1 })
      ]),
      (open) => open.flat()
    )
    for (let rounds = 0; rounds < 500 && (yield* openTasks).length > 0; rounds++) yield* pass(minute)
    const messages = yield* all
    const byId = new Map(messages.map((message) => [message.id, message]))
    for (const message of messages) {
      const told =
        message.state === "sent"
          ? isArrived(message)
          : message.state === "collected"
            ? !isArrived(message) && isArrived(byId.get(message.into ?? ""))
            : message.state === "withdrawn" && !isArrived(message)
      expect([seed, message.id, message.state, told]).toEqual([seed, message.id, message.state, true])
    }
    // Whoever takes the same id twice for one has each once, and the same each time.
    for (const [id, contents] of arrived) {
      expect([seed, byId.has(id), new Set(contents).size]).toEqual([seed, true, 1])
    }
    const summaries = messages.filter(({ id }) => messages.some(({ into }) => into === id))
    for (const { content, id } of summaries) {
      expect(content.data["count"]).toBe(messages.filter(({ into }) => into === id).length)
    }
    expect([seed, yield* openTasks]).toEqual([seed, []])
  }).pipe(Effect.provide(services(send)))
}

const histories = process.env["MILLRACE_LONG"] === "1" ? 100_000 : 10
const first = Number(process.env["MILLRACE_SEED"] ?? Date.now() % 1_000_000)

it.effect(
  `loses none and doubles none in ${histories} histories from seed ${first}`,
  () =>
    Effect.gen(function* () {
      for (let n = 0; n < histories; n++) yield* Effect.scoped(history(first + n))
    }),
  { timeout: 7_200_000 }
)
