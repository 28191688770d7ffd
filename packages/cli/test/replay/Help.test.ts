/** The help of every command. `vitest -u` writes down what it says now. */
import type * as Command from "effect/cli/Command"
import { expect, it } from "vitest"
import { millrace } from "../../src/Millrace.ts"
import { run } from "../Run.ts"
import { expectGolden } from "./Golden.ts"

type Words = ReadonlyArray<string>

/** The words of each command and group. */
const wordsOf = (command: Command.Command.Any, words: Words = []): ReadonlyArray<Words> => [
  words,
  ...command.subcommands.flatMap(({ commands }) => commands.flatMap((one) => wordsOf(one, [...words, one.name])))
]

it("tells the help of every command as it was recorded", async () => {
  const pages: Array<string> = []
  for (const words of wordsOf(millrace)) {
    const { code, err, out } = await run([...words, "--help"])
    expect([words, code, err]).toEqual([words, 0, ""])
    pages.push(`$ ${["millrace", ...words, "--help"].join(" ")}\n${out.trimEnd()}\n`)
  }
  await expectGolden("help.txt", pages.join("\n"))
})
