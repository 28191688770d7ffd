/** Options of a command from the fields of its operation. */
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { type Json, type JsonObject, parse } from "../output/ExactJson.ts"
import type { DerivedField } from "./Derived.ts"
import { idArgument } from "./Flags.ts"
import type { OptionPresentation, Presentation } from "./Presentation.ts"

/** Options that every command has, and those of all bodies and versions. */
const taken: ReadonlySet<string> = new Set(
  `profile api-key base-url output crlf fields all timeout no-retry idempotency-key quiet no-color help version starter
  completions log-level wizard file if-version`.split(/\s+/)
)

/** Paging is the same everywhere. */
const paging: Readonly<Record<string, OptionPresentation>> = {
  cursor: { description: "Where the page begins, from an earlier answer" },
  limit: { metavar: "<count>", description: "Records per page" }
}

export type Param = Flag.Flag<unknown> | Argument.Argument<unknown>
export type Given = Readonly<Record<string, unknown>>

/** The fields of a query or of a body, with how they are shown. */
export interface Fields {
  /** Where: `query` or `body`. */
  readonly of: "query" | "body"
  readonly fields: ReadonlyArray<DerivedField>
  readonly options: Presentation["options"]
}

const presented = ({ of, options = {} }: Fields, { name }: DerivedField): OptionPresentation => {
  const own = options[name]
  const given = typeof own === "string" ? { description: own } : own
  return given ?? (of === "query" ? (paging[name] ?? {}) : {})
}

/** `feedIds` -> `feed-ids`. */
const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-")

/** The option of a field; `undefined` where there is none, or where it means something else already. */
const optionOf = ({ name }: DerivedField, { hidden = false, option = kebab(name) }: OptionPresentation) =>
  hidden || taken.has(option) || !/^[a-z][a-z0-9-]*$/.test(option) ? undefined : option

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text)
const noNumber = (text: string): string => `a number, not "${text}"`

/** What was given, as JSON; `None` where nothing was. */
const flagOf = (field: DerivedField, option: string, shown: OptionPresentation): Flag.Flag<Option.Option<Json>> => {
  const { minimum, type } = field
  const { clears = false, description = field.description, repeats = false, without = [] } = shown
  const choices = (field.choices ?? []).filter((one) => !without.includes(one))
  const described = <A>(flag: Flag.Flag<A>): Flag.Flag<A> =>
    flag.pipe(Flag.withMetavar(shown.metavar ?? `<${option}>`), Flag.withDescription(description))
  const several = described(Flag.atLeast(Flag.String(option), 0))
  if (choices.length > 0) return Flag.optional(described(Flag.Literals(option, choices)))
  if (repeats) {
    return Flag.map(several, (texts) => (texts.length === 0 ? Option.none() : Option.some<Json>(texts.join(","))))
  }
  switch (type) {
    case "boolean":
      return Flag.Boolean(option).pipe(Flag.withDescription(description), Flag.optional)
    case "integer": {
      const whole = described(Flag.Int(option)).pipe(
        Flag.filter(
          (value) => minimum === undefined || value >= minimum,
          () => `a whole number of at least ${minimum}`
        )
      )
      return Flag.optional(Flag.map(whole, (value): Json => parse(String(value))))
    }
    case "number":
      // All digits of it.
      return described(Flag.String(option)).pipe(
        Flag.filter(isNumber, noNumber),
        Flag.map((text): Json => parse(text)),
        Flag.optional
      )
    case "texts":
      return Flag.map(several, (texts) => (texts.length === 0 ? Option.none() : Option.some<Json>(texts)))
    default:
      return Flag.optional(
        Flag.map(described(Flag.String(option)), (text): Json => (clears && text === "" ? null : text))
      )
  }
}

/** Options and arguments of these fields, by the names under which their values are given. */
export const paramsOf = (all: Fields): Readonly<Record<string, Param>> =>
  Object.fromEntries(
    all.fields.flatMap((field): ReadonlyArray<readonly [string, Param]> => {
      const shown = presented(all, field)
      const key = `${all.of}:${field.name}`
      if (shown.argument !== undefined) return [[key, Argument.map(idArgument(shown.argument), Option.some)]]
      const option = optionOf(field, shown)
      return option === undefined ? [] : [[key, flagOf(field, option, shown)]]
    })
  )

/** The values of these fields that were given. */
export const valuesOf = ({ fields, of }: Fields, given: Given): JsonObject =>
  Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = given[`${of}:${name}`] as Option.Option<Json> | undefined
      return value !== undefined && Option.isSome(value) ? [[name, value.value] as const] : []
    })
  )
