/** Leaving an entry for each call of a use case that changes something, whatever came of it (decisions 4.4). */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import type { Caller } from "../access/Caller.ts"
import { credentialOf } from "../access/Principal.ts"
import { type IdKindOf, Ids, prefixes } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { onceUndone } from "../storage/TransactionEnd.ts"
import { rowOf } from "./Audit.ts"
import type { AuditContent, AuditOutcome } from "./AuditEntry.ts"
import { AuditStore } from "./AuditStore.ts"

/** How a method of a use case is audited. */
export interface AuditedAs {
  /** The id of its operation. */
  readonly operation: string
  /** What it made is in its result; otherwise the last id among its arguments says what it is about. */
  readonly makes?: true
  /** The method that shows what a change applies to: given the same caller and id, before it. */
  readonly read?: string
  /** What the record calls a field of the request, where that is another name. */
  readonly fields?: Readonly<Record<string, string>>
}

const bundled = Object.entries(prefixes).map(([kind, prefix]): IdKindOf => ({ kind, prefix }))

const resourcesOf =
  (kinds: ReadonlyArray<IdKindOf>) =>
  (id: unknown): AuditContent["resource"] => {
    if (typeof id !== "string") return undefined
    const found = kinds.find(({ prefix }) => id.startsWith(`${prefix}_`))
    return found === undefined ? undefined : { kind: found.kind, id }
  }

/** The record that a use case returned, whether it stands alone or in a view of it. */
const recordOf = (result: unknown): Readonly<Record<string, unknown>> | undefined => {
  if (!Predicate.isObject(result)) return undefined
  const fields = result as Readonly<Record<string, unknown>>
  if (typeof fields["id"] === "string") return fields
  return Object.values(fields).find(
    (part): part is Readonly<Record<string, unknown>> =>
      Predicate.hasProperty(part, "id") && typeof part.id === "string"
  )
}

const secret = /secret|password|token|credential|api_?key/i

/** JSON without what is secret. */
const masked = (value: unknown): Schema.Json => {
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== "object" || value === null) {
    return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .map(([key, part]) => [key, secret.test(key) ? "***" : masked(part)])
  )
}

/** The fields that the request named and that are others now. */
const changesOf = (
  request: unknown,
  before: Readonly<Record<string, unknown>> | undefined,
  after: Readonly<Record<string, unknown>> | undefined,
  names: Readonly<Record<string, string>> = {}
): AuditContent["changes"] => {
  if (before === undefined || after === undefined || !Predicate.isObject(request)) return []
  return Object.keys(request).flatMap((sent) => {
    const field = Object.hasOwn(names, sent) ? names[sent]! : sent
    const [old, now] = [masked({ [field]: before[field] }), masked({ [field]: after[field] })]
    if (JSON.stringify(old) === JSON.stringify(now)) return []
    const valueOf = (one: Schema.Json): Schema.Json => (one as Readonly<Record<string, Schema.Json>>)[field] ?? null
    return [{ field, before: valueOf(old), after: valueOf(now) }]
  })
}

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): AuditOutcome => {
  if (Exit.isSuccess(exit)) return "ok"
  return exit.cause.reasons.some(
    (reason) => Cause.isFailReason(reason) && Predicate.isTagged(reason.error, "Forbidden")
  )
    ? "denied"
    : "failed"
}

type Method = (caller: Caller, ...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>

const makeAudit = Effect.gen(function* () {
  const store = yield* AuditStore
  const ids = yield* Ids
  return (resourceOf: ReturnType<typeof resourcesOf>, { fields, makes, operation, read }: AuditedAs, methods: object) =>
    (run: Method): Method =>
    (caller, ...args) =>
      Effect.gen(function* () {
        const { principal } = caller
        const row = (content: AuditContent) => rowOf(principal.workspace.id, content)
        // What was done stays done where its end cannot be written: the entry then says that it was begun.
        const write = (entry: AuditContent) =>
          Effect.catch(store.end(row(entry)), (error: StorageUnavailable) =>
            Effect.logError("The end of an entry of the audit could not be written", error, { operation })
          )
        const about = args.findLast((arg) => resourceOf(arg) !== undefined)
        const asked = resourceOf(about)
        const begun: AuditContent = {
          id: yield* ids.next("auditEntry"),
          at: yield* Timestamp.now,
          actor: caller.cause,
          credential: { kind: principal.kind, id: credentialOf(principal) },
          operationId: operation,
          ...(asked === undefined ? {} : { resource: asked }),
          outcome: "failed",
          requestId: caller.requestId,
          changes: []
        }
        const shown =
          read === undefined
            ? undefined
            : yield* (methods as Readonly<Record<string, Method>>)[read]!(caller, args[0]).pipe(
                Effect.map(recordOf),
                Effect.catch(() => Effect.undefined)
              )
        yield* store.begin(row(begun))
        return yield* Effect.onExit(run(caller, ...args), (exit) => {
          const result = Exit.isSuccess(exit) ? recordOf(exit.value) : undefined
          const resource = (makes === true ? resourceOf(result?.["id"]) : undefined) ?? asked
          const ended: AuditContent = {
            ...begun,
            ...(resource === undefined ? {} : { resource }),
            outcome: outcomeOf(exit),
            changes: changesOf(args[1], shown, result, fields)
          }
          // Where a transaction around it is undone, so is what was written in it: it was asked for all the same.
          const undone = { ...ended, outcome: ended.outcome === "ok" ? "failed" : ended.outcome, changes: [] } as const
          return Effect.andThen(onceUndone(write(undone)), write(ended))
        })
      })
})

/** The service, with an entry for each call of the methods that are named. `own` are kinds of ids that are not bundled. */
export const makeAuditing = Effect.map(
  makeAudit,
  (audit) =>
    (own: ReadonlyArray<IdKindOf> = []) =>
    <S extends object>(service: S, methods: Readonly<Record<string, AuditedAs>>): S => {
      const resourceOf = resourcesOf([...bundled, ...own])
      const plain = service as Readonly<Record<string, unknown>>
      const wrapped = Object.entries(methods).map(([name, how]) => [
        name,
        audit(resourceOf, how, service)(plain[name] as Method)
      ])
      return { ...service, ...Object.fromEntries(wrapped) }
    }
)
