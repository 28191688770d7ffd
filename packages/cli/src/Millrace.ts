/** The command tree, and a run of it: arguments in, exit code out. */
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import type { HelpDoc } from "effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { ChildProcessSpawner, make as makeSpawner } from "effect/process/ChildProcessSpawner"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import * as Api from "./request/Api.ts"
import { discover, firstWord } from "./commands/Discovery.ts"
import { bankCommands } from "./commands/Banks.ts"
import { call } from "./commands/Call.ts"
import { feedCommands } from "./commands/Feeds.ts"
import { institutionCommands } from "./commands/Institutions.ts"
import { jobCommands } from "./commands/Jobs.ts"
import { login, logout, profiles } from "./commands/Login.ts"
import { mcp } from "./commands/Mcp.ts"
import { groups } from "./commands/operations.generated.ts"
import { recordCommands } from "./commands/Records.ts"
import { rowCommands } from "./commands/Rows.ts"
import { byHand, type ByWords, treeOf } from "./commands/Tree.ts"
import type { Group } from "./commands/Derived.ts"
import { exitCodeOf, exitCodes, linesOf, type Failure } from "./program/Failure.ts"
import * as Notes from "./program/Notes.ts"
import * as Options from "./program/Options.ts"
import * as Output from "./program/Output.ts"
import { asCalled, program } from "./program/Program.ts"
import * as Settings from "./program/Settings.ts"
import { version } from "./program/Version.ts"

const services = Layer.mergeAll(Api.layer, Output.layer).pipe(
  Layer.provideMerge(Notes.layer),
  Layer.provideMerge(Settings.layer)
)

/** What is special. Every other operation has the command that follows from its definition. */
const handmade: ByWords = {
  ...byHand("banks", bankCommands),
  ...byHand("institutions", institutionCommands),
  ...byHand("feeds", feedCommands),
  ...byHand("jobs", jobCommands),
  ...byHand("records", recordCommands),
  ...byHand("rows", rowCommands),
  ...byHand("", [call, login, logout, profiles, mcp])
}

const programOf = (all: ReadonlyArray<Group>) =>
  Command.make("millrace").pipe(
    Command.withDescription("Bank data in, enriched, out to where you work: the command line of the Millrace API."),
    Command.withSubcommands(treeOf(all, handmade)),
    Command.provide(services),
    Command.withGlobalFlags(Options.all)
  )

export const millrace = programOf(groups)

const known: ReadonlySet<string> = new Set(
  millrace.subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))
)

/** The commands there are for these arguments: where a word is none of ours, the server is asked whether it is one of its. */
const programFor = (args: ReadonlyArray<string>, offered: ReadonlyArray<Group>) => {
  const word = firstWord(args)
  if (word === undefined || known.has(word)) return Effect.succeed(offered === groups ? millrace : programOf(offered))
  return Effect.map(discover(word, args), (group) => (group === undefined ? millrace : programOf([...offered, group])))
}

const colored = (stream: NodeJS.WriteStream, args: ReadonlyArray<string>): boolean =>
  stream.isTTY === true && Settings.wantsColors(args.includes("--no-color"))

/** With commands as the person would type them. */
const called = (help: HelpDoc): HelpDoc => ({
  ...help,
  usage: asCalled(help.usage),
  description: asCalled(help.description),
  ...(help.examples === undefined
    ? {}
    : { examples: help.examples.map((example) => ({ ...example, command: asCalled(example.command) })) })
})

/** Help that was asked for is data; help after a mistake is not, and the mistake comes first. */
const presenter = (args: ReadonlyArray<string>): CliOutput.Presenter => {
  const toData = CliOutput.defaultFormatter({ colors: colored(process.stdout, args), globalFlags: "summary" })
  const toPerson = CliOutput.defaultFormatter({ colors: colored(process.stderr, args), globalFlags: "summary" })
  return {
    present: (event) =>
      Effect.sync(() => {
        switch (event._tag) {
          case "Version":
            return void process.stdout.write(`${event.version}\n`)
          case "Help":
            return void (event.reason === "Requested" || event.commandPath.length === 1
              ? process.stdout.write(`${toData.formatHelpDoc(called(event.helpDoc))}\n`)
              : process.stderr.write(`${toPerson.formatHelpDoc(called(event.helpDoc))}\n`))
          case "InvalidInvocation": {
            const faults = event.errors.map((error) => `millrace: ${toPerson.formatCliError(error)}\n`)
            const hint = `\nUsage: ${asCalled(event.helpDoc.usage)}\nSee:   ${[program, ...event.commandPath.slice(1)].join(" ")} --help\n`
            return void process.stderr.write([...faults, hint].join(""))
          }
        }
      })
  }
}

/** What the parser of commands may ask for, and none of our commands does. */
const unused = Effect.die("not used by any command")
const environment = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Stdio.layerTest({}),
  Layer.succeed(
    Terminal.Terminal,
    Terminal.make({
      columns: unused,
      rows: unused,
      size: unused,
      readInput: unused,
      readLine: unused,
      display: () => unused
    })
  ),
  Layer.succeed(
    ChildProcessSpawner,
    makeSpawner(() => unused)
  )
)

const tell = (failure: Failure): Effect.Effect<number> =>
  Effect.sync(() => {
    process.stderr.write(
      linesOf(failure)
        .map((line, index) => `${index === 0 ? "millrace: " : ""}${line}\n`)
        .join("")
    )
    return exitCodeOf(failure)
  })

/** `millrace` alone shows its help; a group of commands without a command is a mistake. */
const codeOfHelp = (help: CliError.ShowHelp): number =>
  help.errors.length === 0 && help.commandPath.length === 1 ? exitCodes.ok : exitCodes.usage

/** `--sort -amount` means a field to descend by; without this it would be read as options of one letter. */
const joined = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((arg, at) => {
    if (arg === "--sort" && /^-[^-]/.test(args[at + 1] ?? "")) return [`--sort=${args[at + 1]}`]
    return args[at - 1] === "--sort" && /^-[^-]/.test(arg) ? [] : [arg]
  })

/** `offered`: the operations that have commands; those that are bundled unless given. */
export const run = (args: ReadonlyArray<string>, offered: ReadonlyArray<Group> = groups): Effect.Effect<number> =>
  Effect.flatMap(programFor(args, offered), (tree) => Command.runWith(tree, { version })(joined(args))).pipe(
    Effect.as<number>(exitCodes.ok),
    Effect.catch((error) =>
      CliError.isCliError(error)
        ? Effect.succeed(error._tag === "ShowHelp" ? codeOfHelp(error) : exitCodes.usage)
        : tell(error)
    ),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause as Cause.Cause<never>)
        : Effect.sync(() => {
            process.stderr.write(`millrace: this is a fault of the program\n${Cause.pretty(cause)}\n`)
            return exitCodes.failure
          })
    ),
    Effect.provide(environment),
    Effect.provideService(CliOutput.Presenter, presenter(args)),
    Effect.provide(CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] }))
  )
