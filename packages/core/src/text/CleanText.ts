/** Text that can be stored and shown. */
import { limits } from "../shared/Limits.ts"

// PostgreSQL takes no NUL, and people no control characters but tab and line ends.
const control = /[^\P{Cc}\t\n\r]/u
const everyControl = /[^\P{Cc}\t\n\r]/gu

/** Text as we keep it: well-formed, clean, trimmed, of bounded length. */
export const cleanText = (text: string): string => {
  if (text === "") return text
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  const clean = (control.test(wellFormed) ? wellFormed.replace(everyControl, "") : wellFormed).trim()
  return clean.length > limits.textLength ? clean.slice(0, limits.textLength).toWellFormed().trim() : clean
}
