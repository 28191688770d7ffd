import type * as Command from "effect/cli/Command"
import { describe, expect, it } from "vitest"
import { type Operation, operations } from "@millrace/core/access"
import { bundledCollections } from "@millrace/core/collection"
import { isAbsent } from "../../core/src/access/Operation.ts"
import { millrace } from "../src/Millrace.ts"

/** Commands that are about the command line itself, or about no operation in particular. */
const local = ["call", "jobs watch", "login", "logout", "mcp", "profiles list", "profiles remove", "profiles use"]

/** Commands that do something by themselves, and have others below them. */
const parents = ["audit"]

/** The words of every command that does something. */
const leavesOf = (command: Command.Command.Any, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const children = command.subcommands.flatMap(({ commands }) => commands)
  return children.length === 0
    ? [words.join(" ")]
    : children.flatMap((child) => leavesOf(child, [...words, child.name]))
}

describe("the command line", () => {
  it("has a command for each operation that the catalogue gives one, and no other", () => {
    const all: ReadonlyArray<Operation> = [
      operations,
      ...bundledCollections.map(({ surface }) => surface.entries)
    ].flatMap((entries) => Object.values(entries))
    const named = all.flatMap(({ command }) => (isAbsent(command) ? [] : [command]))
    expect([...leavesOf(millrace, []), ...parents].toSorted()).toEqual([...new Set([...named, ...local])].toSorted())
  })
})
