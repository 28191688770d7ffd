/** Text with fields of the record in it (enrichments E4). */
import type { Cells } from "../filter/Cells.ts"
import { limits } from "../shared/Limits.ts"

/** Literal text, or the name of a field. */
export type TemplatePart = { readonly text: string } | { readonly field: string }

/**
 * One pass over the template: `{{ name }}` is a field, `\{{` is two literal braces, and braces that are
 * never closed are literal.
 */
export const parseTemplate = (template: string): ReadonlyArray<TemplatePart> => {
  const parts: Array<TemplatePart> = []
  let text = ""
  let at = 0
  while (at < template.length) {
    if (template.startsWith("\\{{", at)) {
      text += "{{"
      at += 3
      continue
    }
    const end = template.startsWith("{{", at) ? template.indexOf("}}", at + 2) : -1
    if (end < 0) {
      text += template[at]!
      at++
      continue
    }
    if (text !== "") parts.push({ text })
    text = ""
    parts.push({ field: template.slice(at + 2, end).trim() })
    at = end + 2
  }
  if (text !== "") parts.push({ text })
  return parts
}

/** Characters in which there are at least 2,000 code points: each has one or two. */
const enough = 2 * limits.textLength

/** At most 2,000 code points of it. */
export const cutText = (text: string): string => {
  if (text.length <= limits.textLength) return text
  let end = 0
  for (let points = 0; points < limits.textLength && end < text.length; points++) {
    end += text.codePointAt(end)! > 0xff_ff ? 2 : 1
  }
  return text.slice(0, end)
}

/**
 * What is rendered is not looked at again; trimmed, and cut at 2,000 code points. Nothing is rendered beyond what is kept: a short
 * template can stand for megabytes.
 */
export const compileTemplate = (template: string, cells: Cells): ((cells: Cells) => string) => {
  const parts = parseTemplate(template).map((part) => ("text" in part ? part.text : cells.slot(part.field)))
  return (given) => {
    let text = ""
    for (const part of parts) {
      const more = typeof part === "string" ? part : given.plainText(part)
      // White space at the beginning does not count, so there may be any amount of it.
      const shown = text === "" ? more.trimStart() : more
      const taken = shown.slice(0, enough - text.length)
      given.work.spend(1 + more.length - shown.length + taken.length)
      text += taken
      if (text.length >= enough) break
    }
    return cutText(text).trimEnd()
  }
}
