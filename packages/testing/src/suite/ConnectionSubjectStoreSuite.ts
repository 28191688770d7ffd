/** Conformance of `ConnectionSubjectStore`. */
import { Ids, Timestamp } from "@millrace/core"
import { ConnectionSubjectStore } from "@millrace/core/storage"
import { acrossTenants } from "@millrace/core/workspace"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { storeSubject } from "../fixture/ConnectionAttempt.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const at = Timestamp.make("2026-03-14T10:00:00.123Z")

/** So many days after `at`. */
const days = (count: number) => Timestamp.make(`2026-03-${14 + count}T10:00:00.000Z`)

export const tests: StorageTests = (it) => {
  it.effect("is one for each workspace and instance, however many begin it at once", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionSubjectStore
      const ids = yield* Ids
      const workspace = yield* storeWorkspace()
      const begin = (instanceId: string, of = workspace) =>
        Effect.flatMap(ids.next("connectionSubject"), (ref) =>
          store.begin({ workspaceId: of.id, instanceId, ref, createdAt: at })
        )
      const all = yield* Effect.forEach(Array.from({ length: 5 }), () => begin("demo:main"), {
        concurrency: "unbounded"
      })
      expect(new Set(all.map(({ ref }) => ref)).size).toBe(1)
      const others = [yield* begin("demo:other"), yield* begin("demo:main", yield* storeWorkspace())]
      expect(new Set([all[0]!, ...others].map(({ ref }) => ref)).size).toBe(3)
      expect(yield* store.get(workspace.id, "demo:main")).toEqual(Option.some({ ref: all[0]!.ref, secrets: {} }))
      expect(yield* store.get(workspace.id, "demo:none")).toEqual(Option.none())
    })
  )

  it.effect("keeps secrets by their names, also those of two who keep some at once", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionSubjectStore
      const workspace = yield* storeWorkspace()
      const { instanceId, ref } = yield* storeSubject(workspace)
      const keep = (secrets: Readonly<Record<string, string>>) =>
        store.keepSecrets(workspace.id, instanceId, secrets, at)
      yield* keep({ userSecret: "first", profile: "p" })
      const hard = difficultTexts.join("|")
      yield* Effect.all([keep({ userSecret: hard }), keep({ token: "t" })], { concurrency: "unbounded" })
      expect(yield* store.get(workspace.id, instanceId)).toEqual(
        Option.some({ ref, secrets: { userSecret: hard, profile: "p", token: "t" } })
      )
      // What begins again has what is kept.
      expect(yield* store.begin({ workspaceId: workspace.id, instanceId, ref: "another", createdAt: at })).toEqual({
        ref,
        secrets: { userSecret: hard, profile: "p", token: "t" }
      })
      yield* store.keepSecrets(workspace.id, "demo:none", { a: "b" }, at)
      expect(yield* store.get(workspace.id, "demo:none")).toEqual(Option.none())
    })
  )

  it.effect("ends, and is kept beside the one that is begun after it until it is forgotten", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionSubjectStore
      const workspace = yield* storeWorkspace()
      const first = yield* storeSubject(workspace)
      const { instanceId } = first
      const of = <A, E, R>(use: (workspaceId: typeof workspace.id, instanceId: string) => Effect.Effect<A, E, R>) =>
        use(workspace.id, instanceId)
      yield* store.keepSecrets(workspace.id, instanceId, { userSecret: "first" }, at)
      expect(yield* of(store.hold)).toEqual(yield* of(store.get))
      // One that is there is forgotten by nobody.
      yield* store.forget(workspace.id, instanceId, first.ref)
      expect(yield* of(store.ended)).toEqual([])
      yield* store.end(workspace.id, instanceId, at)
      expect([yield* of(store.get), yield* of(store.hold)]).toEqual([Option.none(), Option.none()])
      const second = yield* storeSubject(workspace)
      yield* store.keepSecrets(workspace.id, instanceId, { userSecret: "second" }, at)
      expect(yield* of(store.get)).toEqual(Option.some({ ref: second.ref, secrets: { userSecret: "second" } }))
      expect(yield* of(store.ended)).toEqual([{ ref: first.ref, secrets: { userSecret: "first" } }])
      expect(yield* store.byRef(instanceId, first.ref)).toEqual(Option.some(first))
      yield* store.end(workspace.id, instanceId, Timestamp.make("2026-03-15T10:00:00.123Z"))
      expect((yield* of(store.ended)).map(({ ref }) => ref)).toEqual([first.ref, second.ref])
      yield* store.forget(workspace.id, instanceId, first.ref)
      expect((yield* of(store.ended)).map(({ ref }) => ref)).toEqual([second.ref])
      expect(yield* store.byRef(instanceId, first.ref)).toEqual(Option.none())
    })
  )

  it.effect("is taken once where nobody looked at it for some time, the longest left first", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionSubjectStore
      const made = yield* Effect.forEach([3, 1, 2], (day) =>
        Effect.flatMap(storeWorkspace(), ({ id: workspaceId }) => {
          const subject = {
            workspaceId,
            instanceId: "demo:left",
            ref: `left ${day} ${workspaceId}`,
            createdAt: days(day)
          }
          return Effect.as(store.begin(subject), subject)
        })
      )
      const [third, first, second] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]]
      yield* store.end(second.workspaceId, second.instanceId, days(2))
      const ours = new Set(made.map(({ ref }) => ref))
      const taken = Effect.fnUntraced(function* (before: Timestamp.Timestamp, limit: number, now: Timestamp.Timestamp) {
        const all = yield* acrossTenants("task engine")(store.takeLeft(before, limit, now))
        return all
          .filter(({ ref }) => ours.has(ref))
          .map(({ ref }) => ref)
          .toSorted()
      })
      expect(yield* taken(days(1), 1_000, days(1))).toEqual([])
      expect(yield* taken(days(3), 1_000, days(4))).toEqual([first.ref, second.ref])
      expect(yield* taken(days(4), 1_000, days(5))).toEqual([third.ref])
      expect(yield* taken(days(5), 1_000, days(6))).toEqual([first.ref, second.ref])
      expect((yield* acrossTenants("task engine")(store.takeLeft(days(7), 1, days(7)))).length).toBe(1)
    })
  )

  it.effect("is found by the reference that a callback names", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionSubjectStore
      const subject = yield* storeSubject(yield* storeWorkspace())
      expect(yield* store.byRef(subject.instanceId, subject.ref)).toEqual(Option.some(subject))
      expect(yield* store.byRef("demo:other", subject.ref)).toEqual(Option.none())
      expect(yield* store.byRef(subject.instanceId, "another")).toEqual(Option.none())
    })
  )
}

export const suite = suiteOf(tests)
