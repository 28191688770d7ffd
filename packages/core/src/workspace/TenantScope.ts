/**
 * Which workspaces the work of a fiber may touch. Storage shows nothing of any other one, whatever it is asked for: a
 * condition that was forgotten, or an id of somebody else, finds nothing.
 *
 * Use cases say it by themselves, from the caller. Anyone who calls a store directly says it with `withinWorkspaces`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { isId } from "../shared/Ids.ts"
import type { WorkspaceId } from "./Workspace.ts"

/** Some workspaces, every one, or nobody said: then PostgreSQL shows nothing, and storage in memory everything. */
export type TenantScope = ReadonlyArray<WorkspaceId> | "every" | undefined

export const CurrentTenantScope = Context.Reference<TenantScope>(
  "@millrace/core/workspace/TenantScope/CurrentTenantScope",
  {
    defaultValue: () => undefined
  }
)

/**
 * Work of the installation, which is of no workspace alone. Each of these is a hole in the wall that somebody wanted; a
 * test knows the files that use them.
 */
export const systemReasons = {
  "configured again": "which banks could not be read for want of their provider, when a server starts that has it",
  "connect a bank": "which workspace there is, for the operator of the server, who connects a bank in it",
  "connection look-up":
    "which banks an upstream connection is of, for what its provider says and before it is given back",
  "connect returns": "the state of a browser, or a callback, tells the workspace, and not the other way round",
  "family look-up": "which portals a workspace has, before anybody reads as far as them",
  "first start": "whether there is a workspace yet",
  "job engine": "handing out, claiming and giving back the jobs of all workspaces",
  "key look-up": "an API key tells the workspace, and not the other way round",
  "owner keys": "new keys for the owners of all workspaces, for the operator of the server",
  "provider callbacks": "which banks a callback of a provider is about, whichever workspaces they are of",
  sealing: "what was sealed with a former secret, of whichever workspace",
  "task engine": "taking up and giving back the tasks of all workspaces, and what is to be done for all of them",
  "upload pages": "the address of an upload page tells the workspace, and not the other way round",
  "warm up": "which enrichments there are, to load what their first use would wait for",
  "tables of the installation": "they hold nothing of a workspace"
} as const
export type SystemReason = keyof typeof systemReasons

const narrowed = (before: TenantScope, ids: ReadonlyArray<WorkspaceId>): ReadonlyArray<WorkspaceId> =>
  before === undefined || before === "every" ? ids : ids.filter((id) => before.includes(id))

/** Runs with these workspaces alone: of those that could be reached before, where that was said. */
export const withinWorkspaces =
  (...ids: ReadonlyArray<WorkspaceId>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.updateService(effect, CurrentTenantScope, (before) => narrowed(before, ids))

/** Runs with all workspaces, for one of the reasons that are listed. */
export const acrossTenants =
  (_why: SystemReason) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, CurrentTenantScope, "every")

/** Whether the work of a reach may touch the workspace, for storage that has to ask by itself. */
export const isInScope = (reach: TenantScope, id: WorkspaceId): boolean =>
  reach === undefined || reach === "every" || reach.includes(id)

/** The workspaces that an argument of a use case names. */
const spokenFor = (given: unknown): ReadonlyArray<WorkspaceId> | undefined => {
  if (isId("workspace", given)) return [given]
  if (typeof given !== "object" || given === null) return undefined
  const { id, workspace, workspaceId, workspaces } = given as Readonly<Record<string, unknown>>
  if (Array.isArray(workspaces)) return workspaces.flatMap((one) => spokenFor(one) ?? [])
  if (isId("workspace", workspaceId)) return [workspaceId]
  if (isId("workspace", id)) return [id]
  return workspace === undefined ? undefined : spokenFor(workspace)
}

const within =
  (method: (...given: ReadonlyArray<unknown>) => unknown) =>
  (...given: ReadonlyArray<unknown>): unknown => {
    const result = method(...given)
    for (const one of given) {
      const ids = spokenFor(one)
      if (ids === undefined) continue
      if (Effect.isEffect(result)) return withinWorkspaces(...ids)(result)
      if (Stream.isStream(result))
        return Stream.updateService(result, CurrentTenantScope, (before) => narrowed(before, ids))
    }
    return result
  }

/**
 * A service of use cases each of which runs within the workspaces of the caller: its first argument that names
 * any says which.
 */
export const withinCaller = <S extends object>(service: S): S => {
  return Object.fromEntries(
    Object.entries(service).map(([name, member]) => [name, typeof member === "function" ? within(member) : member])
  ) as S
}
