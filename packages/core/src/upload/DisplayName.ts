/** Names of uploaded files, as they are shown. */
import { limits } from "../shared/Limits.ts"

// What is not seen, or turns around what is: controls, line ends, marks of direction, blanks without width.
const unseen = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu

const extensionForm = /\.[\p{L}\p{N}]{1,8}$/u

/**
 * The last part of a path, without what is not seen, of at most `limits.nameLength` characters; what is cut is cut
 * before the extension. `"statement"` where nothing is left.
 */
export const displayName = (name: string): string => {
  const last =
    name
      .toWellFormed()
      .split(/[/\\]/)
      .findLast((part) => part.trim() !== "") ?? ""
  const clean = last.replace(unseen, "").replace(/\s+/gu, " ").trim()
  if (clean === "" || /^\.+$/.test(clean)) return "statement"
  const points = [...clean]
  if (points.length <= limits.nameLength) return clean
  const extension = [...(extensionForm.exec(clean)?.[0] ?? "")]
  return [...points.slice(0, limits.nameLength - extension.length), ...extension].join("")
}
