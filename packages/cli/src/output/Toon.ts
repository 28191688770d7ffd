/** TOON with exact numbers. Loaded only when it is asked for. */
import { encode, rawString } from "@toon-format/toon"
import { cleanLines } from "./Clean.ts"
import { isArray, isNumber, isObject, type Json } from "./ExactJson.ts"

const numberMark = "n"
const textMark = "t"

/** Texts and numbers as marked text: the encoder would make doubles of numbers. */
const marked = (value: Json): unknown => {
  if (isNumber(value)) return numberMark + value.rawJSON
  if (typeof value === "string") return textMark + value
  if (isArray(value)) return value.map(marked)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, marked(inner)]))
  return value
}

export const write = (value: Json): string => {
  const text = encode(marked(value), {
    replacer: (_, inner) => {
      if (typeof inner !== "string") return inner
      return inner.startsWith(numberMark) ? rawString(inner.slice(1)) : inner.slice(1)
    }
  })
  return `${cleanLines(text)}\n`
}
