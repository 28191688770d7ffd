/** Options and arguments that several commands share. */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"

// What no id has would lead to another path on the server.
const idForm = /^[A-Za-z0-9_-]{1,128}$/
const isId = (text: string): boolean => idForm.test(text)
const noId = (text: string): string => `an id of letters, digits, _ and -, not "${text}"`

export const idArgument = (what: string): Argument.Argument<string> =>
  Argument.String(`${what}-id`).pipe(Argument.withDescription(`Id of the ${what}`), Argument.filter(isId, noId))

/** What a path names otherwise than by an id, such as a data type. */
export const nameArgument = (what: string): Argument.Argument<string> =>
  Argument.String(what).pipe(
    Argument.withDescription(`Name of the ${what.replaceAll("-", " ")}`),
    Argument.filter(isId, (given) => `a name of letters, digits, _ and -, not "${given}"`)
  )

export const idFlag = (what: string): Flag.Flag<string> =>
  Flag.String(what).pipe(
    Flag.withMetavar(`<${what}-id>`),
    Flag.withDescription(`Id of the ${what}`),
    Flag.filter(isId, noId)
  )

export const text = (name: string, metavar: string, description: string): Flag.Flag<Option.Option<string>> =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

export const choice = <const Choices extends ReadonlyArray<string>>(
  name: string,
  choices: Choices,
  description: string
): Flag.Flag<Option.Option<Choices[number]>> =>
  Flag.Literals(name, choices).pipe(Flag.withMetavar(`<${name}>`), Flag.withDescription(description), Flag.optional)

/** On or off; off unless given. */
export const toggle = (name: string, description: string): Flag.Flag<boolean> =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(description), Flag.withDefault(false))

/** Yes, no, or not said. */
export const either = (name: string, description: string): Flag.Flag<Option.Option<boolean>> =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.optional)

/** What is done unless it was said not to. */
export const yes = (flag: Option.Option<boolean>): boolean => Option.getOrElse(flag, () => true)

export const browser = either("browser", "Open the browser, which it does unless --no-browser is given")

export const cursor = text("cursor", "<cursor>", "Where the page begins, from an earlier answer")

const atLeastOne = (limit: number): boolean => limit >= 1

const limitFlag = Flag.Int("limit").pipe(
  Flag.withMetavar("<count>"),
  Flag.withDescription("Records per page"),
  Flag.filter(atLeastOne, () => "a whole number of at least 1")
)

export const limit = Flag.optional(limitFlag)

export const limitOf = (value: number): Flag.Flag<number> =>
  limitFlag.pipe(Flag.withDescription(`Records per page (default ${value})`), Flag.withDefault(value))

/** `name=value`; the value may hold more equals signs. */
const pairOf = (given: string): readonly [string, string] => {
  const at = given.indexOf("=")
  return [given.slice(0, at), given.slice(at + 1)]
}

/** May be given several times. */
export const pairs = (name: string, description: string): Flag.Flag<ReadonlyArray<readonly [string, string]>> =>
  Flag.String(name).pipe(
    Flag.withMetavar("<name=value>"),
    Flag.withDescription(description),
    Flag.filter(
      (given) => given.indexOf("=") > 0,
      (given) => `name=value, not "${given}"`
    ),
    Flag.map(pairOf),
    Flag.atLeast(0)
  )

/** `what`: whose version is meant. */
export const ifVersion = (what: string): Flag.Flag<Option.Option<number>> =>
  Flag.Int("if-version").pipe(
    Flag.withMetavar("<version>"),
    Flag.withDescription(`Only if the ${what} still has this version`),
    Flag.optional
  )

/** Headers of a request that demands a version. */
export const matching = (version: Option.Option<number>): Readonly<Record<string, string>> =>
  Option.match(version, { onNone: () => ({}), onSome: (value) => ({ "if-match": `"${value}"` }) })

/** Query parameters: those that were given. */
export const queryOf = (
  values: Readonly<Record<string, Option.Option<string | number | boolean>>>
): ReadonlyArray<readonly [string, string]> =>
  Object.entries(values).flatMap(([name, value]) =>
    Option.isSome(value) ? [[name, String(value.value)] as const] : []
  )
