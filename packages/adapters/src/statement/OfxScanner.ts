/**
 * One pass over OFX text, SGML (1.x, leaf tags left open) and XML (2.x) alike: no tree, no string per tag. The text is that of
 * a whole file, or comes in parts: a tag or a value that a part ends in is read again with what follows it.
 *
 * A known aggregate whose own end tag is missing ends where its parent does, or where one begins that cannot stand in
 * it. Unknown elements are aggregates when the file closes them somewhere behind, else empty leaves; what stands in them does
 * not count. The time is in proportion to the text, whatever the text is: nothing is searched for again and again.
 */
import { StatementFault } from "@millrace/core/upload"
import type { CharacterCodes } from "./CharacterCodes.ts"
import { isSpace } from "./AmountText.ts"
import { type OfxEnds, OfxWholeEnds } from "./OfxEndTags.ts"
import type { OfxHandler } from "./OfxHandler.ts"
import { endsAny } from "./OfxNesting.ts"
import { OfxOpenElements } from "./OfxOpenElements.ts"
import { findTag, firstLeaf, isSameName, nameCodes, nextHash, Tag, tagNames } from "./OfxTags.ts"
import { maxElement } from "./StatementLimits.ts"
import { TextForm } from "./OfxValues.ts"
import { ownText } from "./Wording.ts"
import type { OfxWindows } from "./OfxWindows.ts"
import { TextLines } from "./TextLines.ts"

const maxDepth = 100

/**
 * Tags that are scanned at once. A loop over all of them would be compiled again, in mid-course, for every file; a function
 * that is called again and again is compiled once.
 */
const tagsAtOnce = 512

/** What is said of a "<" in the place of a position. */
const none = -1
const torn = -2

/** Longer names are those of leaves. */
const maxName = 64

/** Characters behind a place that are looked at at most before it is known what stands there: the beginning of a tag. */
const lookAhead = 16

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
    renew: () => undefined,
    open: () => undefined,
    close: () => undefined,
    leaf: () => undefined,
    stray: () => undefined,
    warn: () => undefined
  })

  private text: string
  private codes: CharacterCodes
  private lines: TextLines
  private readonly handler: OfxHandler
  private readonly elements: OfxOpenElements
  private readonly ends: OfxEnds
  private readonly windows: OfxWindows | undefined
  private cdataValue = ""
  // How far the block was scanned, whether that is its end, and whether the text has to go on before it is scanned further.
  private at = 0
  private isEnded = false
  private isTorn = false
  // Whether it was said that something stands behind the block.
  private isWarned = false

  /** `lines`: of a whole file; or of the first of `windows`, with what was seen of the file before. */
  constructor(lines: TextLines, handler: OfxHandler, ends?: OfxEnds, windows?: OfxWindows) {
    this.text = lines.text
    this.codes = lines.codes
    this.lines = lines
    this.handler = handler
    this.elements = new OfxOpenElements(lines.text, handler)
    this.ends = ends ?? new OfxWholeEnds(lines.text, lines.codes)
    this.windows = windows
  }

  /** Goes on in a text that begins at a position of this one. */
  private renew(from: number): void {
    this.lines = this.windows!.after(this.lines, from)
    this.text = this.lines.text
    this.codes = this.lines.codes
    this.elements.renew(this.text)
    this.handler.renew(this.lines)
  }

  /** Scans every OFX block of the text. */
  scan(): StatementFault | undefined {
    let from = 0
    let blocks = 0
    while (true) {
      root.lastIndex = from
      const found = root.exec(this.text)
      const to = found === null ? this.tornFrom(from) : found.index
      if (blocks > 0) {
        const fault = this.between(from, to)
        if (fault !== undefined) return fault
      }
      if (found === null) {
        if (this.lines.isLast) break
        this.renew(to)
        from = 0
        continue
      }
      blocks++
      this.isWarned = false
      const fault = this.block(to)
      if (fault !== undefined) return fault
      from = this.at
    }
    if (blocks === 0) return new StatementFault({ message: "no <OFX> element in the file", line: 1, element: "OFX" })
    return undefined
  }

  /** Where a tag begins that the text may end in; the length of the text where there is none. */
  private tornFrom(from: number): number {
    const { length } = this.text
    const less = this.lines.isLast ? -1 : this.text.indexOf("<", Math.max(from, length - lookAhead))
    return less < 0 ? length : less
  }

  /** What stands behind an OFX block is not read, so it must not be what people would miss. */
  private between(from: number, to: number): StatementFault | undefined {
    const text = this.text.slice(from, to)
    const rows = statements.exec(text)
    if (rows !== null) {
      return this.faultAt("the file goes on behind </OFX>: move its end behind everything", from + rows.index, "OFX")
    }
    const element = this.isWarned ? -1 : text.search(/<\/?[A-Za-z]/)
    if (element >= 0) {
      this.handler.warn(from + element, "what stands behind </OFX> was not read")
      this.isWarned = true
    }
    return undefined
  }

  private faultAt(message: string, position: number, element: string): StatementFault {
    return new StatementFault({ message, line: this.lines.at(position), column: this.lines.column(position), element })
  }

  /** Scans from `<OFX>` to its end, up to `at`. */
  private block(from: number): StatementFault | undefined {
    this.at = from
    this.isEnded = false
    while (!this.isEnded) {
      const fault = this.some()
      if (fault !== undefined) return fault
      if (!this.isTorn) continue
      this.isTorn = false
      this.renew(this.at)
      this.at = 0
    }
    return undefined
  }

  /** What begins at `from` ends behind the text: there has to be more, or the file was cut off. */
  private cutOff(from: number): StatementFault | undefined {
    const { length } = this.text
    if (length - from > maxElement + lookAhead) return this.tooLong(from)
    return this.lines.isLast ? this.truncated(length) : this.pause(from)
  }

  /** To be gone on with at `from`, once there is more of the text. */
  private pause(from: number): undefined {
    this.at = from
    this.isTorn = true
    return undefined
  }

  private tooLong(from: number): StatementFault {
    const open = this.elements.openName()
    const message = `an element has more than ${maxElement} characters: no file of a bank has`
    return this.faultAt(message, from, open === "" ? "OFX" : open)
  }

  /** Scans some tags on from `at`. */
  private some(): StatementFault | undefined {
    const { text, codes, elements, handler } = this
    const length = text.length
    const { isLast } = this.lines
    let { at } = this
    for (let tags = 0; tags < tagsAtOnce; tags++) {
      let less = at
      while (less < length && codes[less] !== 60) less++
      if (less >= length) return isLast ? this.truncated(length) : this.pause(length)
      if (less + 1 >= length && !isLast) return this.pause(less)
      const next = codes[less + 1]!
      if (next === 33 || next === 63) {
        if (length - less < lookAhead && !isLast) return this.pause(less)
        const end = this.skipMarkup(less)
        if (end < 0) return this.cutOff(less)
        if (end - less > maxElement) return this.tooLong(less)
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
        if (nameTo >= length && !isLast && nameTo - nameFrom <= maxElement) return this.pause(less)
        greater = nameTo === nameFrom ? -1 : this.tagEnd(nameTo)
        if (greater === torn) return this.pause(less)
        if (greater < 0) {
          // A "<" that begins no tag is text.
          at = less + 1
          continue
        }
        empty = codes[greater - 1] === 47
      } else if (nameTo === nameFrom || nameTo - nameFrom > maxElement) {
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
        handler.open(tag, less)
        if (empty) handler.close(tag, less)
        else elements.push(tag, "")
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
        if (end >= length) return this.cutOff(less)
        if (end + 1 >= length && !isLast) return this.cutOff(less)
        const follow = codes[end + 1]!
        if (follow === 47) break
        if (isLetter(follow)) {
          if (!isFreeText(tag)) break
          const tagEnd = this.isTag(end)
          if (tagEnd === torn && end - less <= maxElement + lookAhead) return this.pause(less)
          if (tagEnd !== none) break
        }
        if (follow === 33) {
          if (length - end < lookAhead && !isLast) return this.cutOff(less)
          if (!text.startsWith("<![CDATA[", end)) break
          const behind = this.readCdata(start)
          if (behind < 0) return this.cutOff(less)
          end = behind
          raw = true
          break
        }
        if (follow === 63) break
        end++
      }
      if (end - less > maxElement) return this.tooLong(less)
      if (!isLast && end + nameTo - nameFrom + 3 > length) return this.pause(less)
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
        const name = ownText(text.slice(nameFrom, nameTo).toUpperCase())
        if (elements.depth >= maxDepth) {
          return this.faultAt(
            "elements are nested too deep",
            less,
            text.slice(nameFrom, Math.min(nameTo, nameFrom + 40))
          )
        }
        handler.open(0, less)
        elements.push(0, name)
      }
      at = closed ? valueEnd + 3 + (nameTo - nameFrom) : valueEnd
    }
    this.at = at
    return undefined
  }

  /** Does an unknown element without a value hold others? Message sets do, and what stands in them. */
  private isAggregate(nameFrom: number, nameTo: number): boolean {
    if (nameTo - nameFrom > maxName) return false
    const name = this.text.slice(nameFrom, nameTo).toUpperCase()
    return messageSet.test(name) || this.ends.follows(name, this.lines.base + nameTo)
  }

  private truncated(length: number): StatementFault {
    const open = this.elements.openName()
    return this.faultAt(
      `the file ends inside <${open === "" ? "OFX" : open}>: it was cut off, get it again`,
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

  /**
   * Position of the `>` that ends a tag with white space, attributes or a slash; `none` when this is no tag, `torn` when
   * the text ends before that is known.
   */
  private tagEnd(from: number): number {
    const { codes } = this
    const c = codes[from]!
    if (c !== 47 && !isSpace(c)) return none
    const { length } = this.text
    const last = Math.min(length, from + maxElement)
    let at = from
    // Never beyond the next "<": what was looked at here is looked at again, by who goes on from there.
    while (at < last && codes[at] !== 62) {
      if (codes[at] === 60) return none
      at++
    }
    return at < last ? at : last === length && !this.lines.isLast ? torn : none
  }

  /** As `tagEnd`, for a tag that begins at `less`. */
  private isTag(less: number): number {
    const { codes } = this
    const { length } = this.text
    const last = Math.min(length, less + maxElement)
    let at = less + 1
    while (at < last && nameCodes[codes[at]!]! > 0) at++
    if (at >= last) return last === length && !this.lines.isLast ? torn : none
    return codes[at] === 62 ? at : this.tagEnd(at)
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
      if (this.text.length - less < lookAhead && !this.lines.isLast) return -1
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
