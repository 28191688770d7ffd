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
}

const keyOf = (workspaceId: string, instanceId: string) => `${workspaceId} ${instanceId}`

export const layer: Layer.Layer<ConnectionSubjectStore, never, Memory> = Layer.effect(
  ConnectionSubjectStore,
  Effect.gen(function* () {
    const { call, set } = yield* Memory
    const subjects = new Map<string, Held>()
    const subjectOf = ({ secrets, subject }: Held): Subject => ({ ref: subject.ref, secrets })

    return ConnectionSubjectStore.of({
      begin: (subject) =>
        call(() => {
          const key = keyOf(subject.workspaceId, subject.instanceId)
          const held = subjects.get(key) ?? frozen<Held>({ subject, secrets: {} })
          set(subjects, key, held)
          return subjectOf(held)
        }),
      get: (workspaceId, instanceId) =>
        call(() => Option.map(Option.fromUndefinedOr(subjects.get(keyOf(workspaceId, instanceId))), subjectOf)),
      keepSecrets: (workspaceId, instanceId, secrets) =>
        call(() => {
          const key = keyOf(workspaceId, instanceId)
          const held = subjects.get(key)
          if (held !== undefined) set(subjects, key, frozen({ ...held, secrets: { ...held.secrets, ...secrets } }))
        }),
      byRef: (instanceId, ref) =>
        call(() =>
          Option.map(
            Option.fromUndefinedOr(
              [...subjects.values()].find(({ subject }) => subject.instanceId === instanceId && subject.ref === ref)
            ),
            ({ subject }) => subject
          )
        )
    })
  })
)
