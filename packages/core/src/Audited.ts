/**
 * The one layer that writes the audit: it stands round the use cases, so that whoever reaches them leaves an entry for
 * each operation that changes something, whatever came of it (decisions 4.4). Which methods it keeps, the definitions of the
 * operations say.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AuditedAs } from "./audit/Auditing.ts"
import { makeAuditing } from "./audit/Auditing.ts"
import type { AuditStore } from "./audit/AuditStore.ts"
import { type AnyDefinition, type Audits, byItself } from "./operation/Definition.ts"
import { definitions } from "./operations.generated.ts"
import type { Ids } from "./shared/Ids.ts"
import { withinCaller } from "./workspace/Reach.ts"

interface AuditedUseCase {
  readonly tag: Audits["tag"]
  /** How each method that changes something is audited. */
  readonly methods: Readonly<Record<string, AuditedAs>>
}

/** The use cases that change something, with the operation of each method. */
export const auditedUseCases: ReadonlyArray<AuditedUseCase> = [
  ...Object.values<AnyDefinition>(definitions)
    .reduce((all, { audits, id }) => {
      if (audits === undefined || audits === byItself) return all
      const { as, method, tag } = audits
      const known = all.get(tag.key)
      return all.set(tag.key, { tag, methods: { ...known?.methods, [method]: { operation: id, ...as } } })
    }, new Map<string, AuditedUseCase>())
    .values()
]

/**
 * The use cases, each of whose changes leaves an entry. What use cases ask of each other is part of the one that was asked. It
 * stands in for the use cases that it is built on, `UseCases`.
 */
export const layer = <UseCases>(): Layer.Layer<never, never, UseCases | AuditStore | Ids> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const auditing = yield* makeAuditing
      const plain = yield* Effect.context<UseCases>()
      let context = Context.empty() as Context.Context<never>
      for (const { methods, tag } of auditedUseCases) {
        const service = Context.getUnsafe(plain, tag) as Readonly<Record<string, unknown>>
        context = Context.add(context, tag, withinCaller(auditing()(service, methods)))
      }
      return context
    })
  )
