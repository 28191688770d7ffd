/** Names of comparisons in conditions (enrichments E1, decisions 8.4). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaIssue from "effect/SchemaIssue"

export const operators = [
  "equals",
  "notEquals",
  "contains",
  "notContains",
  "startsWith",
  "endsWith",
  "in",
  "notIn",
  "gt",
  "gte",
  "lt",
  "lte",
  "between",
  "matches",
  "notMatches",
  "isEmpty",
  "isNotEmpty",
  "hasPassed",
  "notPassed"
] as const
export type Operator = (typeof operators)[number]

const aliases: Readonly<Record<Operator, ReadonlyArray<string>>> = {
  equals: ["eq", "is", "=", "=="],
  notEquals: ["neq", "isnot", "!="],
  contains: [],
  notContains: ["doesnotcontain"],
  startsWith: [],
  endsWith: [],
  in: ["oneof"],
  notIn: ["nin", "notoneof"],
  gt: [">", "greaterthan", "after"],
  gte: [">=", "greaterthanorequal", "onorafter"],
  lt: ["<", "lessthan", "before"],
  lte: ["<=", "lessthanorequal", "onorbefore"],
  between: [],
  matches: ["regex"],
  notMatches: [],
  isEmpty: ["isnull"],
  isNotEmpty: ["isnotnull"],
  hasPassed: [],
  notPassed: []
}

const byName = new Map<string, Operator>()
for (const operator of operators)
  for (const name of [operator.toLowerCase(), ...aliases[operator]]) byName.set(name, operator)

/** Case, `-`, `_` and blanks in the name do not matter. */
export const operatorOf = (name: string): Operator | undefined => byName.get(name.toLowerCase().replace(/[-_\s]/g, ""))

/** True where the field is empty; the negation of another operator everywhere else. */
const positives: Partial<Record<Operator, Operator>> = {
  notEquals: "equals",
  notContains: "contains",
  notIn: "in",
  notMatches: "matches"
}
export const positiveOf = (operator: Operator): Operator => positives[operator] ?? operator
export const isNegative = (operator: Operator): boolean => positives[operator] !== undefined

/** Any accepted spelling outside, the canonical name inside. */
export const Operator: Schema.Codec<Operator, string> = Schema.String.pipe(
  Schema.decodeTo(Schema.Literals(operators), {
    decode: SchemaGetter.transformEffect((name: string) => {
      const operator = operatorOf(name)
      return operator === undefined
        ? Effect.fail(
            new SchemaIssue.InvalidValue({ message: `unknown operator "${name}"; known are ${operators.join(", ")}` })
          )
        : Effect.succeed(operator)
    }),
    encode: SchemaGetter.transform((operator: Operator): string => operator)
  })
)
