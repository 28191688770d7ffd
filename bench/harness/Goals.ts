/** What every benchmark has to reach: `goals.json`, by the names of the benchmark and of the ratio or figure. */
import * as Schema from "effect/Schema"

export const Goal = Schema.Struct({
  min: Schema.optionalKey(Schema.Finite),
  max: Schema.optionalKey(Schema.Finite),
  /** What it was when somebody last noted it; nothing is judged by it. */
  last: Schema.optionalKey(Schema.Finite)
})
export type Goal = typeof Goal.Type

export const Goals = Schema.Record(Schema.String, Schema.Record(Schema.String, Goal))
export type Goals = typeof Goals.Type

export interface Judged {
  readonly name: string
  /** Undefined where the benchmark measured nothing of that name. */
  readonly value: number | undefined
  readonly goal: Goal | undefined
  readonly met: boolean
}

const meets = (value: number | undefined, { min, max }: Goal): boolean =>
  value !== undefined && (min === undefined || value >= min) && (max === undefined || value <= max)

/** Everything that was measured, then the goals that nothing was measured for: those are not met. */
export const judge = (
  goals: Readonly<Record<string, Goal>>,
  measured: ReadonlyArray<{ readonly name: string; readonly value: number }>
): ReadonlyArray<Judged> => {
  const names = new Set(measured.map(({ name }) => name))
  const found = measured.map(({ name, value }): Judged => {
    const goal = Object.hasOwn(goals, name) ? goals[name] : undefined
    return { name, value, goal, met: goal === undefined || meets(value, goal) }
  })
  const unmeasured = Object.entries(goals).flatMap(([name, goal]): ReadonlyArray<Judged> =>
    names.has(name) ? [] : [{ name, value: undefined, goal, met: false }]
  )
  return [...found, ...unmeasured]
}
