/** The elements of an OFX text that are open at a place, and what ends them. */
import type { OfxHandler } from "./OfxHandler.ts"
import { endsOpen } from "./OfxNesting.ts"
import { firstLeaf, isSameName, tagNames } from "./OfxTags.ts"
import { ownText } from "./Wording.ts"

export class OfxOpenElements {
  private text: string
  private readonly handler: OfxHandler
  // Tag number of each, and its name in capitals (of unknown ones).
  private readonly tags: Array<number> = []
  private readonly names: Array<string> = []
  // Name of the last leaf, which may be closed behind a comment: where it stands, or what it was in the text before.
  private leafFrom = 0
  private leafTo = 0
  private leafName = ""

  constructor(text: string, handler: OfxHandler) {
    this.text = text
    this.handler = handler
  }

  /** The file goes on in another text. */
  renew(text: string): void {
    if (this.leafTo > 0) this.leafName = ownText(this.text.slice(this.leafFrom, this.leafTo).toUpperCase())
    this.leafFrom = 0
    this.leafTo = 0
    this.text = text
  }

  get depth(): number {
    return this.tags.length
  }

  /** A leaf that begins: its name. */
  leaf(nameFrom: number, nameTo: number): void {
    this.leafFrom = nameFrom
    this.leafTo = nameTo
  }

  /** Opens an element, without telling the handler. `name`: of an unknown one, in capitals. */
  push(tag: number, name: string): void {
    this.tags.push(tag)
    this.names.push(name)
  }

  private pop(position: number): void {
    this.handler.close(this.tags.pop()!, position)
    this.names.pop()
  }

  /** An end tag: ends its element and all in it, or a leaf that ended already, or is said to be a stray one. */
  close(tag: number, position: number, nameFrom: number, nameTo: number): void {
    const name = tag === 0 ? this.text.slice(nameFrom, nameTo).toUpperCase() : ""
    let top = this.tags.length - 1
    while (top >= 0 && (this.tags[top] !== tag || this.names[top] !== name)) top--
    if (top >= 0) return this.endDownTo(top, position, true)
    if ((tag === 0 || tag >= firstLeaf) && this.isLastLeaf(nameFrom, nameTo)) return
    this.handler.stray(tag, position, this.text.slice(nameFrom, Math.min(nameTo, nameFrom + 40)))
  }

  private isLastLeaf(nameFrom: number, nameTo: number): boolean {
    const { leafFrom, leafTo, text } = this
    return leafTo > 0
      ? isSameName(text, leafFrom, leafTo, nameFrom, nameTo)
      : this.leafName !== "" && this.leafName === text.slice(nameFrom, nameTo).toUpperCase()
  }

  /** Ends what cannot hold the element that opens. */
  endBefore(tag: number, position: number): void {
    for (let index = 0; index < this.tags.length; index++) {
      if (endsOpen(tag, this.tags[index]!)) return this.endDownTo(index, position, false)
    }
  }

  /** Ends the element at `index` and all in it. Unknown ones may have been empty leaves that nobody closed. */
  private endDownTo(index: number, position: number, isOwnEnd: boolean): void {
    const last = isOwnEnd ? index + 1 : index
    while (this.tags.length > index) {
      const open = this.tags[this.tags.length - 1]!
      if (open !== 0 && this.tags.length > last) {
        const name = this.text.slice(position + 1, position + 41).replace(/>[^]*$/, "")
        this.handler.warn(position, `<${tagNames[open]!}> has no end tag: it ends before <${name}>`)
      }
      this.pop(position)
    }
  }

  /** Name of the innermost known element that is open. */
  openName(): string {
    for (let index = this.tags.length - 1; index >= 0; index--) {
      if (this.tags[index] !== 0) return tagNames[this.tags[index]!]!
    }
    return ""
  }
}
