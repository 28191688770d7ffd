/** Runs operations: each within the workspaces of its caller, and with an entry of the audit where no use case leaves one. */
import * as Effect from "effect/Effect"
import type { Caller } from "../access/Caller.ts"
import { readableIds } from "../access/Caller.ts"
import { makeAuditing } from "../audit/Auditing.ts"
import { withinWorkspaces } from "../workspace/Reach.ts"
import { type AnyDefinition, byItself } from "./Definition.ts"
import type { KernelError } from "./ErrorAnswer.ts"

/** What surfaces give to an operation that a caller asks for. */
export interface Call {
  readonly caller: Caller
  readonly ids: Readonly<Record<string, string>>
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** The body as it was sent, with every digit of its numbers. */
  readonly exact: unknown
  readonly file: unknown
  readonly ifVersion: number | undefined
  /** Path and query of the request. */
  readonly self: string
}

type Run = (asked: object) => Effect.Effect<unknown, KernelError>

/** What the audit looks at: who asks, the ids of the path, and the body. */
interface Kept {
  readonly run: (caller: Caller, ...about: ReadonlyArray<unknown>) => Effect.Effect<unknown, KernelError>
}

/** Lists of a workspace with its portals reach further than their caller: their use cases say how far. */
const isOfFamily = ({ query }: AnyDefinition): boolean => "scope" in query

/** From a definition to what runs for a caller. */
export const makeCalls = Effect.map(
  makeAuditing,
  (auditing) =>
    (definition: AnyDefinition): ((call: Call) => Effect.Effect<unknown, KernelError>) => {
      const run = definition.run as Run
      const scoped = (call: Call) =>
        isOfFamily(definition) ? run(call) : withinWorkspaces(...readableIds(call.caller))(run(call))
      if (definition.audits !== byItself) return scoped
      const makes = definition.method === "POST" && !definition.path.includes("/:")
      const as = { operation: definition.id, ...(makes ? { makes: true as const } : {}) }
      return (call) => {
        const plain: Kept = { run: () => scoped(call) }
        // The entry names the last id of the path.
        return auditing()(plain, { run: as }).run(call.caller, ...Object.values(call.ids), call.body)
      }
    }
)
