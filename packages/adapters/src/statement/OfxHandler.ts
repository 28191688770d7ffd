/** Who receives what an OFX text holds. */
import type { StatementFault } from "@millrace/core/upload"
import type { TextForm } from "./OfxValues.ts"
import type { TextLines } from "./TextLines.ts"

/** Receives the elements in file order. A set `fault` ends the scan. */
export interface OfxHandler {
  readonly fault: StatementFault | undefined
  /** The file goes on in another text: positions are positions in it. */
  renew(lines: TextLines): void
  open(tag: number, position: number): void
  close(tag: number, position: number): void
  /** The text of an element; `form` says what is to be done to it. */
  leaf(tag: number, position: number, source: string, start: number, end: number, form: TextForm): void
  /** An end tag without a beginning; `tag` is 0 for an unknown one. */
  stray(tag: number, position: number, name: string): void
  /** Something that was read over. */
  warn(position: number, message: string): void
}
