/**
 * One pass over OFX text, SGML (1.x, leaf tags left open) and XML (2.x) alike: no tree, no string per tag.
 *
 * A known aggregate whose own end tag is missing ends where its parent does, or where one begins that cannot stand in
 * it. Unknown elements are aggregates when the file closes them somewhere, else empty leaves; what stands in them does
 * not count. The time is in proportion to the text, whatever the text is: nothing is searched for again and again.
 */
import { StatementFault } from "@millrace/core/upload"
import type { CharacterCodes } from "./CharacterCodes.ts"
import { isSpace } from "./AmountText.ts"
import { OfxEndTags } from "./OfxEndTags.ts"
import type { OfxHandler } from "./OfxHandler.ts"
import { endsAny } from "./OfxNesting.ts"
import { OfxOpenElements } from "./OfxOpenElements.ts"
import { OfxPlainRow } from "./OfxPlainRow.ts"
import { findTag, firstLeaf, isSameName, nameCodes, nextHash, Tag, tagNames } from "./OfxTags.ts"
import { TextForm } from "./OfxValues.ts"
import { TextLines } from "./TextLines.ts"

const maxDepth = 100

/**
 * Tags that are scanned at once. A loop over all of them would be compiled anew, in mid-course, for every file; a function
 * that is called again and again is compiled once.
 */
const tagsAtOnce = 512

const isLetter = (c: number): boolean => (c >= 65 && c <= 90) || (c >= 97 && c <= 122)

// Values in which people write "<" as a character.
const isFreeText = (tag: number): boolean => tag === Tag.NAME || tag === Tag.MEMO || tag === Tag.MESSAGE

// Elements of every file that hold others: the whole file would be looked through for their ends.
const messageSet = /^(?:[A-Z]+MSGSRSV\d|SONRS|(?:CC|INV)?STMTTRNRS)$/i

const root = /<OFX[\s>]/gi
const statements = /<(?:STMTTRNP?|INVTRANLIST|(?:CC|INV)?STMTRS)[\s>]/i

export class OfxScanner {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new OfxScanner(TextLines.exemplar, {
    fault: undefined,
    row: () => false,
    open: () => undefined,
    close: () => undefined,
    leaf: () => undefined,
    stray: () => undefined,
    warn: () => undefined
  })

  private readonly text: string
  private readonly codes: CharacterCodes
  private readonly lines: TextLines
  private readonly handler: OfxHandler
  private readonly elements: OfxOpenElements
  private readonly endTags: OfxEndTags
  private readonly row: OfxPlainRow
  private cdataValue = ""
  // How far the block was scanned, and whether that is its end.
  private at = 0
  private isEnded = false

  constructor(lines: TextLines, handler: OfxHandler) {
    this.text = lines.text
    this.codes = lines.codes
    this.lines = lines
    this.handler = handler
    this.elements = new OfxOpenElements(lines.text, handler)
    this.endTags = new OfxEndTags(lines.text, this.codes)
    this.row = new OfxPlainRow(lines)
  }

  /** Scans every OFX block of the text. */
  scan(): StatementFault | undefined {
    let from = 0
    let blocks = 0
    while (true) {
      root.lastIndex = from
      const found = root.exec(this.text)
      if (blocks > 0) {
        const fault = this.between(from, found === null ? this.text.length : found.index)
        if (fault !== undefined) return fault
      }
      if (found === null) break
      blocks++
      const end = this.block(found.index)
      if (typeof end !== "number") return end
      from = end
    }
    if (blocks === 0) return new StatementFault({ message: "no <OFX> element in the file", line: 1, element: "OFX" })
    return undefined
  }

  /** What stands behind an OFX block is not read, so it must not be what people would miss. */
  private between(from: number, to: number): StatementFault | undefined {
    const text = this.text.slice(from, to)
    const rows = statements.exec(text)
    if (rows !== null) {
      return this.faultAt("the file goes on behind </OFX>: move its end behind everything", from + rows.index, "OFX")
    }
    const element = text.search(/<\/?[A-Za-z]/)
    if (element >= 0) this.handler.warn(from + element, "what stands behind </OFX> was not read")
    return undefined
  }

  private faultAt(message: string, position: number, element: string): StatementFault {
    return new StatementFault({ message, line: this.lines.at(position), column: this.lines.column(position), element })
  }

  /** Scans from `<OFX>` to its end; gives the position behind it. */
  private block(from: number): number | StatementFault {
    this.at = from
    this.isEnded = false
    while (true) {
      const fault = this.some()
      if (fault !== undefined) return fault
      if (this.isEnded) return this.at
    }
  }

  /** Scans some tags on from `at`. */
  private some(): StatementFault | undefined {
    const { text, codes, elements, handler, row } = this
    const length = text.length
    let { at } = this
    for (let tags = 0; tags < tagsAtOnce; tags++) {
      let less = at
      while (less < length && codes[less] !== 60) less++
      if (less >= length) return this.truncated(length)
      const next = codes[less + 1]!
      if (next === 33 || next === 63) {
        const end = this.skipMarkup(less)
        if (end < 0) return this.truncated(length)
        at = end
        continue
      }
      const closing = next === 47
      const nameFrom = closing ? less + 2 : less + 1
      let nameTo = nameFrom
      let hash = 0
      let c = codes[nameTo]!
      while (c < 128) {
        const code = nameCodes[c]!
        if (code === 0) break
        hash = nextHash(hash, code)
        c = codes[++nameTo]!
      }
      let greater = nameTo
      let empty = false
      if (c !== 62) {
        greater = nameTo === nameFrom ? -1 : this.tagEnd(nameTo)
        if (greater < 0) {
          // A "<" that begins no tag is text.
          at = less + 1
          continue
        }
        empty = codes[greater - 1] === 47
      } else if (nameTo === nameFrom) {
        at = less + 1
        continue
      }
      const tag = findTag(hash, nameTo - nameFrom)
      if (closing) {
        elements.close(tag, less, nameFrom, nameTo)
        if (handler.fault !== undefined) return handler.fault
        at = greater + 1
        if (elements.depth === 0) {
          this.at = at
          this.isEnded = true
          return undefined
        }
        continue
      }
      if (tag !== 0 && tag < firstLeaf) {
        if (endsAny(tag)) elements.endBefore(tag, less)
        if (handler.fault !== undefined) return handler.fault
        if (elements.depth >= maxDepth) return this.faultAt("elements are nested too deep", less, tagNames[tag]!)
        if (tag === Tag.STMTTRN && !empty) {
          const behind = row.scan(greater + 1)
          if (behind >= 0 && handler.row(row, less)) {
            if (handler.fault !== undefined) return handler.fault
            row.passLines()
            elements.leaf(row.leafFrom, row.leafTo)
            at = behind
            continue
          }
        }
        handler.open(tag, less)
        if (empty) handler.close(tag, less)
        else elements.push(tag, nameFrom, nameTo)
        if (handler.fault !== undefined) return handler.fault
        at = greater + 1
        continue
      }
      if (empty) {
        at = greater + 1
        continue
      }
      // A leaf: its value ends at the next tag. On the way it shows whether its text is plain.
      elements.leaf(nameFrom, nameTo)
      let start = greater + 1
      let end = start
      let special = length
      let raw = false
      let source = text
      while (true) {
        let code = codes[end]!
        while (code !== 60 && end < length) {
          if (code < 39 ? code === 38 || code < 32 : code === 0xa0) if (special === length) special = end
          code = codes[++end]!
        }
        if (end >= length) return this.truncated(length)
        const follow = codes[end + 1]!
        if (follow === 47 || (isLetter(follow) && (!isFreeText(tag) || this.isTag(end)))) break
        if (follow === 33) {
          if (!text.startsWith("<![CDATA[", end)) break
          const behind = this.readCdata(start)
          if (behind < 0) return this.truncated(length)
          end = behind
          raw = true
          break
        }
        if (follow === 63) break
        end++
      }
      const valueEnd = end
      let stop = end
      if (raw) {
        source = this.cdataValue
        start = 0
        stop = source.length
        while (start < stop && isSpace(source.charCodeAt(start))) start++
        while (stop > start && isSpace(source.charCodeAt(stop - 1))) stop--
      } else {
        while (start < stop && isSpace(codes[start]!)) start++
        while (stop > start && isSpace(codes[stop - 1]!)) stop--
      }
      const closed = codes[valueEnd + 1] === 47 && this.closesHere(valueEnd, nameFrom, nameTo)
      if (tag !== 0) {
        if (stop > start) {
          const form = raw ? TextForm.raw : special < stop ? TextForm.written : TextForm.plain
          handler.leaf(tag, less, source, start, stop, form)
          if (handler.fault !== undefined) return handler.fault
        }
      } else if (stop === start && !closed && this.isAggregate(nameFrom, nameTo)) {
        if (elements.depth >= maxDepth) {
          return this.faultAt(
            "elements are nested too deep",
            less,
            text.slice(nameFrom, Math.min(nameTo, nameFrom + 40))
          )
        }
        handler.open(0, less)
        elements.push(0, nameFrom, nameTo)
      }
      at = closed ? valueEnd + 3 + (nameTo - nameFrom) : valueEnd
    }
    this.at = at
    return undefined
  }

  /** Does an unknown element without a value hold others? Message sets do, and what stands in them. */
  private isAggregate(nameFrom: number, nameTo: number): boolean {
    return (
      (nameTo - nameFrom <= 40 && messageSet.test(this.text.slice(nameFrom, nameTo))) ||
      this.endTags.follows(nameFrom, nameTo)
    )
  }

  private truncated(length: number): StatementFault {
    const open = this.elements.openName()
    return this.faultAt(
      `the file ends inside <${open === "" ? "OFX" : open}>: it was cut off, get it anew`,
      length,
      open === "" ? "OFX" : open
    )
  }

  /** Is the closing tag at `position` that of the element? */
  private closesHere(position: number, nameFrom: number, nameTo: number): boolean {
    const length = nameTo - nameFrom
    return (
      this.text.charCodeAt(position + 2 + length) === 62 &&
      isSameName(this.text, nameFrom, nameTo, position + 2, position + 2 + length)
    )
  }

  /** Position of the `>` that ends a tag with white space, attributes or a slash; -1 when this is no tag. */
  private tagEnd(from: number): number {
    const { codes } = this
    const c = codes[from]!
    if (c !== 47 && !isSpace(c)) return -1
    const { length } = this.text
    let at = from
    // Never beyond the next "<": what was looked at here is looked at once more, by who goes on from there.
    while (at < length && codes[at] !== 62) {
      if (codes[at] === 60) return -1
      at++
    }
    return at < length ? at : -1
  }

  private isTag(less: number): boolean {
    const { codes } = this
    let at = less + 1
    while (nameCodes[codes[at]!]! > 0) at++
    return codes[at] === 62 || this.tagEnd(at) >= 0
  }

  /** Behind a comment, a processing instruction or a stray CDATA section; -1 when it never ends. */
  private skipMarkup(less: number): number {
    const end = this.text.startsWith("<!--", less) ? "-->" : this.text.startsWith("<![CDATA[", less) ? "]]>" : ">"
    const found = this.text.indexOf(end, less + 2)
    return found < 0 ? -1 : found + end.length
  }

  /** Joins text and CDATA sections into `cdataValue`; gives the position of the tag behind, -1 when cut off. */
  private readCdata(from: number): number {
    let value = ""
    let at = from
    while (true) {
      const less = this.text.indexOf("<", at)
      if (less < 0) return -1
      value += this.text.slice(at, less)
      if (!this.text.startsWith("<![CDATA[", less)) {
        this.cdataValue = value
        return less
      }
      const end = this.text.indexOf("]]>", less + 9)
      if (end < 0) return -1
      value += this.text.slice(less + 9, end)
      at = end + 3
    }
  }
}
