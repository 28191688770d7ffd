/** What the framework says of a value that does not fit, as the end of a sentence that begins with its place. */

const choice = /^"[^"]*"(?: \| "[^"]*")*$/
/** A schema by the name it has in documents, which says nothing to the sender of the value. */
const named = /^[A-Z][A-Za-z0-9]*$/
const finished = /^(?:must|is|has|needs) /

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  "a finite number": "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
  "JSON value": "JSON"
}

/** `must be one of sync, upload`, `is required`. */
export const faultText = (message: string): string => {
  if (message === "Missing key") return "is required"
  if (message === "Unexpected key" || message === "Expected no excess property") return "is not a known key"
  // Said in words of our own.
  if (finished.test(message) || !message.startsWith("Expected ")) return message
  const expected = message.replace(/^Expected /, "")
  if (finished.test(expected)) return expected
  if (choice.test(expected)) {
    const choices = expected.replaceAll('"', "").split(" | ")
    return choices.length === 1 ? `must be ${choices[0]}` : `must be one of ${choices.join(", ")}`
  }
  const parts = expected.split(" | ").map((kind) => kinds[kind])
  if (!parts.includes(undefined)) return `must be ${parts.join(" or ")}`
  // The shape of an object or a list, written as a type.
  if (/^(?:\{|object\b)/.test(expected) || named.test(expected)) return "must be an object"
  if (/^(?:\[|readonly |ReadonlyArray|Array<)/.test(expected)) return "must be a list"
  const bound = /^a value ((?:between|greater|less) .*)$/.exec(expected)?.[1]
  if (bound !== undefined) return `must be ${bound}`
  // Several shapes at once, such as a text or an object.
  if (/[{}<>]|\breadonly\b/.test(expected)) return "must have another form"
  const length = /^a value with a length of (.*)$/.exec(expected)?.[1]
  if (length !== undefined) return length === "at least 1" ? "must not be empty" : `must have a length of ${length}`
  return `must be ${expected.replaceAll('"', "")}`
}
