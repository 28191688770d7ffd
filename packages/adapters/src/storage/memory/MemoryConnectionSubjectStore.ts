/** Subjects of connections in memory. */
import type { ConnectionSubject } from "@millrace/core/bank"
import type { Subject } from "@millrace/core/provider"
import { ConnectionSubjectStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { Memory } from "./MemoryTransactor.ts"

interface Held {
  readonly subject: ConnectionSubject
  readonly secrets: Subject["secrets"]
  readonly hasEnded: boolean
  readonly takenAt?: ConnectionSubject["createdAt"]
}

/** Since when nobody has looked at it. */
const sinceOf = ({ subject, takenAt }: Held) => takenAt ?? subject.createdAt

export const layer: Layer.Layer<ConnectionSubjectStore, never, Memory> = Layer.effect(
  ConnectionSubjectStore,
  Effect.gen(function* () {
    const { call, remove, set } = yield* Memory
    const subjects = new Map<string, Held>()
    const subjectOf = ({ secrets, subject }: Held): Subject => ({ ref: subject.ref, secrets })
    const all = (workspaceId: string, instanceId: string) =>
      [...subjects.values()].filter(
        ({ subject }) => subject.workspaceId === workspaceId && subject.instanceId === instanceId
      )
    const live = (workspaceId: string, instanceId: string) =>
      all(workspaceId, instanceId).find(({ hasEnded }) => !hasEnded)
    const put = (held: Held) => set(subjects, `${held.subject.instanceId} ${held.subject.ref}`, frozen(held))
    const get: ConnectionSubjectStore["Service"]["get"] = (workspaceId, instanceId) =>
      call(() => Option.map(Option.fromUndefinedOr(live(workspaceId, instanceId)), subjectOf))

    return ConnectionSubjectStore.of({
      begin: (subject) =>
        call(() => {
          const held = live(subject.workspaceId, subject.instanceId) ?? { subject, secrets: {}, hasEnded: false }
          put(held)
          return subjectOf(held)
        }),
      get,
      hold: get,
      end: (workspaceId, instanceId) =>
        call(() => {
          const held = live(workspaceId, instanceId)
          if (held !== undefined) put({ ...held, hasEnded: true })
        }),
      ended: (workspaceId, instanceId) =>
        call(() =>
          all(workspaceId, instanceId)
            .filter(({ hasEnded }) => hasEnded)
            .map(subjectOf)
        ),
      takeLeft: (before, limit, at) =>
        call(() => {
          const left = [...subjects.values()]
            .filter((held) => sinceOf(held) < before)
            .toSorted((a, b) => (sinceOf(a) < sinceOf(b) ? -1 : sinceOf(a) > sinceOf(b) ? 1 : 0))
            .slice(0, limit)
          for (const held of left) put({ ...held, takenAt: at })
          return left.map(({ subject }) => subject)
        }),
      forget: (workspaceId, instanceId, ref) =>
        call(() => {
          const held = all(workspaceId, instanceId).find(({ hasEnded, subject }) => hasEnded && subject.ref === ref)
          if (held !== undefined) remove(subjects, `${instanceId} ${ref}`)
        }),
      keepSecrets: (workspaceId, instanceId, secrets) =>
        call(() => {
          const held = live(workspaceId, instanceId)
          if (held !== undefined) put({ ...held, secrets: { ...held.secrets, ...secrets } })
        }),
      byRef: (instanceId, ref) =>
        call(() => Option.map(Option.fromUndefinedOr(subjects.get(`${instanceId} ${ref}`)), ({ subject }) => subject))
    })
  })
)
