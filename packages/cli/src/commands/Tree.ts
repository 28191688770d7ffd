/** The tree of commands: one of each operation, made by hand where it is special, in groups by their words. */
import * as Command from "effect/cli/Command"
import type { Failure } from "../program/Failure.ts"
import type { Notes } from "../program/Notes.ts"
import type { Output } from "../program/Output.ts"
import type { Settings } from "../program/Settings.ts"
import type { Api } from "../request/Api.ts"
import type { Group } from "./Derived.ts"
import { commandOf } from "./DerivedCommand.ts"
import { groupPresentations } from "./Groups.ts"
import { presentations } from "./Presentations.ts"

type Services = Api | Notes | Output | Settings

/** Any command of the tree. Its name and its input are known to itself. */
type Branch = Command.Command<string, never, {}, Failure, Services>

/** By the words of each command. */
export type ByWords = Readonly<Record<string, Branch>>

/** A command that fails in known ways and needs nothing but what all commands have. */
type Fitting<C> =
  C extends Command.Command<infer _Name, infer _Input, infer _Context, infer E, infer R>
    ? [E, R] extends [Failure, Services]
      ? C
      : never
    : never

/** Commands that are made by hand, below these words. */
export const byHand = <const Commands extends ReadonlyArray<Command.Command.Any>>(
  below: string,
  commands: Commands & { readonly [K in keyof Commands]: Fitting<Commands[K]> }
): ByWords =>
  Object.fromEntries(
    commands.map(
      (one: Command.Command.Any) => [below === "" ? one.name : `${below} ${one.name}`, one as Branch] as const
    )
  )

/** Ids that are options of the commands below a group. */
const idOptionsOf = (words: string): ReadonlySet<string> =>
  new Set(
    Object.entries(groupPresentations).flatMap(([group, { idOptions = [] }]) =>
      words.startsWith(`${group} `) ? idOptions : []
    )
  )

const inOrder = (words: ReadonlyArray<string>, first: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  ...first.filter((word) => words.includes(word)),
  ...words.filter((word) => !first.includes(word))
]

/** The commands of these operations and those that are made by hand, which go first. */
export const treeOf = (groups: ReadonlyArray<Group>, handmade: ByWords = {}): ReadonlyArray<Branch> => {
  const leaves = new Map<string, Branch>(Object.entries(handmade))
  for (const operation of groups.flatMap(({ operations }) => operations)) {
    const { command, id } = operation
    if (leaves.has(command)) continue
    leaves.set(command, commandOf(operation, presentations[id], idOptionsOf(command)) as unknown as Branch)
  }
  const nounOf = new Map(groups.map(({ description, name }) => [name, description]))
  const below = (words: string): ReadonlyArray<Branch> => {
    const start = words === "" ? "" : `${words} `
    const found = [...leaves.keys()].flatMap((key) => (key.startsWith(start) ? [key.slice(start.length)] : []))
    const next = [...new Set(found.map((key) => key.split(" ", 1).join("")))]
    return inOrder(next, groupPresentations[words]?.order).map((word) => branchOf(`${start}${word}`))
  }
  const branchOf = (words: string): Branch => {
    const leaf = leaves.get(words)
    const inside = below(words)
    if (leaf !== undefined) return inside.length === 0 ? leaf : Command.withSubcommands(leaf, inside)
    const { description = nounOf.get(words) ?? `${words} and what is below`, short } = groupPresentations[words] ?? {}
    const group = Command.make(words.slice(words.lastIndexOf(" ") + 1)).pipe(
      Command.withDescription(description),
      Command.withSubcommands(inside)
    )
    return short === undefined ? group : Command.withShortDescription(group, short)
  }
  return below("")
}
