/** What is worked out of the keys of rows, for all that have the same keys. */

/** Whether an object has these keys in this order; without a list of its keys, which nearly every row would have made for nothing. */
export const hasJust = (values: object, keys: ReadonlyArray<string>): boolean => {
  let n = 0
  for (const key in values) if (key !== keys[n++]) return false
  return n === keys.length
}

/** Rows differ in which fields they have in a few ways: what is worked out for one way is remembered, up to so many. */
const mostForms = 1_000

/** Remembers what is worked out of the keys of rows, and looks first whether they are those of the row before. */
export const ofForms = <Form extends { readonly keys: ReadonlyArray<string> }>(
  make: (keys: ReadonlyArray<string>) => Form
): ((values: object) => Form) => {
  const known = new Map<string, Form>()
  let last: Form | undefined
  return (values) => {
    if (last !== undefined && hasJust(values, last.keys)) return last
    const keys = Object.keys(values)
    const name = keys.join("\n")
    last = known.get(name)
    if (last === undefined) {
      if (known.size === mostForms) known.clear()
      known.set(name, (last = make(keys)))
    }
    return last
  }
}
