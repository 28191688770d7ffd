/**
 * One pass over the bytes of XML, in pieces: no tree, no string for a tag, memory that does not grow with the file.
 *
 * Elements that a reader wants are reported by number as they begin, with their text as they end. Names must close as
 * they opened. Entities of a document's own do not exist here: a DOCTYPE is refused, and a reference to an unknown entity
 * stays text. The time is in proportion to the bytes, whatever they are.
 */
import { Buffer } from "node:buffer"
import { StatementFault } from "@millrace/core/upload"
import { decodeEntities } from "./OfxValues.ts"
import { nextHash, type XmlPaths } from "./XmlPaths.ts"

/** What is made of the elements. `fault` ends the scan. */
export interface XmlHandler {
  readonly fault: StatementFault | undefined
  /** An element of number `wanted` begins on `line`. `attribute` gives the value of one of its attributes. */
  readonly begin: (wanted: number, line: number) => void
  /** It ended; `text` is its own text from `start` to `end` where it has no elements inside. */
  readonly end: (wanted: number, text: string, start: number, end: number) => void
}

const maxDepth = 100
/** Bytes of the file that are looked at together. */
const pieceLength = 65_536
/** One text or one tag is shorter. */
const maxToken = 262_144

const isBlank = (c: number): boolean => c === 32 || c === 9 || c === 10 || c === 13

/** Bytes in UTF-8, without a mark in front. */
export class XmlScanner {
  private readonly paths: XmlPaths
  private readonly handler: XmlHandler
  private readonly window = Buffer.alloc(maxToken + pieceLength + 1)
  private length = 0
  private text = ""

  // Open elements.
  private readonly hashes = new Int32Array(maxDepth)
  private readonly states = new Uint16Array(maxDepth)
  private depth = 0
  private opened = 0
  private rootName = ""

  private at = 0
  /** Where the text of the innermost element begins; -1 once another element stood in it. */
  private leafFrom = -1
  private leafLine = 1
  /** What came of the text before a comment or a CDATA section. */
  private before = ""
  private hasBefore = false
  private line = 1
  private lineStart = 0

  /** Bounds of the attributes of the element that begins. */
  private attributesFrom = 0
  private attributesTo = 0

  constructor(paths: XmlPaths, handler: XmlHandler) {
    this.paths = paths
    this.handler = handler
  }

  /** Scans a whole file, which may come in parts, or says what is wrong first. */
  scan(parts: Iterable<Uint8Array>): StatementFault | undefined {
    for (const bytes of parts) {
      for (let from = 0; from < bytes.length; from += pieceLength) {
        const fault = this.push(bytes.subarray(from, from + pieceLength))
        if (fault !== undefined) return fault
      }
    }
    return this.finish()
  }

  /** Takes the next bytes of a file: at most `pieceLength`. */
  private push(piece: Uint8Array): StatementFault | undefined {
    const { window } = this
    window.set(piece, this.length)
    this.length += piece.length
    // A mark behind the last byte, so that searching needs no bound.
    window[this.length] = 60
    this.text = window.toString("latin1", 0, this.length)
    const fault = this.run()
    if (fault !== undefined) return fault
    const kept = this.leafFrom >= 0 ? this.leafFrom : this.at
    if (this.length - kept > maxToken) {
      return this.faultAt(`a text or a tag has more than ${maxToken} bytes: no message of a bank has`, kept)
    }
    if (this.leafFrom >= 0) {
      // The text is looked at again, with what follows.
      this.line = this.leafLine
      this.leafFrom = 0
    }
    window.copyWithin(0, kept, this.length)
    this.length -= kept
    this.lineStart -= kept
    this.at = 0
    return undefined
  }

  private finish(): StatementFault | undefined {
    if (this.depth > 0) return this.faultAt(`the file ends inside <${this.rootName}>: it was cut off, get it again`, 0)
    if (this.opened === 0) return this.faultAt("the file holds no element", 0)
    return undefined
  }

  private faultAt(message: string, position: number, element?: string): StatementFault {
    const column = position - this.lineStart + 1
    return new StatementFault({
      message,
      line: this.line,
      ...(column > 0 ? { column } : {}),
      ...(element === undefined ? {} : { element })
    })
  }

  /** Line of what is reported. */
  get currentLine(): number {
    return this.line
  }

  /** Value of an attribute of the element that begins now, `""` without one. */
  attribute(name: string): string {
    if (this.attributesTo - this.attributesFrom < name.length + 3) return ""
    const attributes = this.text.slice(this.attributesFrom, this.attributesTo)
    let at = attributes.indexOf(name)
    while (at >= 0) {
      let behind = at + name.length
      while (isBlank(attributes.charCodeAt(behind))) behind++
      if (attributes[behind] === "=" && (at === 0 || isBlank(attributes.charCodeAt(at - 1)))) {
        behind++
        while (isBlank(attributes.charCodeAt(behind))) behind++
        const quote = attributes[behind]
        const end = quote === '"' || quote === "'" ? attributes.indexOf(quote, behind + 1) : -1
        return end < 0 ? "" : attributes.slice(behind + 1, end)
      }
      at = attributes.indexOf(name, at + 1)
    }
    return ""
  }

  /** Text of UTF-8 between two places of the piece, entities resolved. */
  private decode(start: number, end: number): string {
    const { window } = this
    let plain = true
    let ascii = true
    for (let at = start; at < end; at++) {
      const c = window[at]!
      if (c === 38) plain = false
      else if (c >= 128) ascii = false
    }
    const text = ascii ? this.text.slice(start, end) : window.toString("utf8", start, end)
    return plain ? text : decodeEntities(text)
  }

  /** Goes on until the piece is used up. */
  private run(): StatementFault | undefined {
    const { handler, hashes, paths, states, window } = this
    const { length } = this
    const { wants } = paths
    let at = this.at
    let { line } = this
    while (true) {
      let less = at
      let c = window[less]!
      while (c !== 60) {
        if (c === 10) {
          line++
          this.lineStart = less + 1
        }
        c = window[++less]!
      }
      if (less >= length) {
        this.at = length
        this.line = line
        return undefined
      }
      const first = window[less + 1]!
      if (less + 1 >= length) return this.pause(less, line)
      if (first === 47) {
        // An end tag.
        let to = less + 2
        let hash = 0
        c = window[to]!
        while (c !== 62 && c !== 60 && !isBlank(c)) {
          hash = c === 58 ? 0 : nextHash(hash, c)
          c = window[++to]!
        }
        while (c !== 62 && c !== 60) c = window[++to]!
        if (to >= length) return this.pause(less, line)
        this.line = line
        const { depth } = this
        if (c === 60 || depth === 0 || hashes[depth - 1] !== hash) {
          const name = this.text.slice(less + 2, Math.min(to, less + 42)).trim()
          return this.faultAt(`</${name}> closes what is not open: the file was changed, get it again`, less, name)
        }
        this.depth = depth - 1
        const wanted = wants[states[depth - 1]!]!
        if (wanted !== 0) {
          if (this.leafFrom < 0) handler.end(wanted, "", 0, 0)
          else this.endLeaf(wanted, less)
          if (handler.fault !== undefined) return handler.fault
        }
        this.leafFrom = -1
        at = to + 1
        continue
      }
      if (first === 33 || first === 63) {
        const behind = this.markup(less, line)
        if (typeof behind !== "number") return behind
        if (behind < 0) return this.pause(less, line)
        at = behind
        line = this.line
        continue
      }
      // A start tag.
      let to = less + 1
      let nameFrom = to
      let hash = 0
      c = first
      while (c !== 62 && c !== 47 && c !== 60 && !isBlank(c)) {
        if (c === 58) {
          hash = 0
          nameFrom = to + 1
        } else hash = nextHash(hash, c)
        c = window[++to]!
      }
      const nameTo = to
      if (c !== 62) {
        // Attributes: a ">" inside of quotes is one of their characters.
        let quote = 0
        while (to < length && c !== 60 && (c !== 62 || quote !== 0)) {
          if (c === quote) quote = 0
          else if (quote === 0 && (c === 34 || c === 39)) quote = c
          c = window[++to]!
        }
      }
      if (to >= length) return this.pause(less, line)
      this.line = line
      if (c === 60 || nameTo === nameFrom) {
        return this.faultAt('a "<" that begins no tag: the file was changed, get it again', less)
      }
      const { depth } = this
      if (depth >= maxDepth) return this.faultAt("elements are nested too deep", less)
      if (depth === 0) this.rootName = this.text.slice(nameFrom, Math.min(nameTo, nameFrom + 40))
      const state = paths.next(depth === 0 ? 0 : states[depth - 1]!, paths.tagOf(hash, nameTo - nameFrom))
      this.opened++
      const wanted = wants[state]!
      if (wanted !== 0) {
        this.attributesFrom = nameTo
        this.attributesTo = to
        handler.begin(wanted, line)
        if (handler.fault !== undefined) return handler.fault
      }
      // Attributes can be broken into lines.
      if (to - nameTo > 1) {
        for (let inner = nameTo; inner < to; inner++) {
          if (window[inner] === 10) {
            line++
            this.lineStart = inner + 1
          }
        }
      }
      at = to + 1
      if (window[to - 1] === 47) {
        if (wanted !== 0) {
          handler.end(wanted, "", 0, 0)
          if (handler.fault !== undefined) return handler.fault
        }
        this.leafFrom = -1
        continue
      }
      hashes[depth] = hash
      states[depth] = state
      this.depth = depth + 1
      if (wanted === 0) this.leafFrom = -1
      else {
        this.leafFrom = at
        this.leafLine = line
        this.hasBefore = false
      }
    }
  }

  /** The piece ends inside of a tag. */
  private pause(less: number, line: number): undefined {
    this.at = less
    this.line = line
    return undefined
  }

  private endLeaf(wanted: number, less: number): void {
    const { handler, window } = this
    let start = this.leafFrom
    let end = less
    if (this.hasBefore) {
      const text = (this.before + this.decode(start, end)).trim()
      handler.end(wanted, text, 0, text.length)
      return
    }
    while (start < end && window[start]! <= 32) start++
    while (end > start && window[end - 1]! <= 32) end--
    for (let at = start; at < end; at++) {
      const c = window[at]!
      if (c === 38 || c >= 128 || c < 32) {
        const text = this.decode(start, end).trim()
        handler.end(wanted, text, 0, text.length)
        return
      }
    }
    handler.end(wanted, this.text, start, end)
  }

  /** Position behind a comment, an instruction or a CDATA section; -1 where the piece ends before it does. */
  private markup(less: number, line: number): number | StatementFault {
    const { text } = this
    const head = text.slice(less, less + 9)
    let close = "?>"
    let begins = 2
    if (head.startsWith("<!--")) {
      close = "-->"
      begins = 4
    } else if (head.startsWith("<![CDATA[")) {
      close = "]]>"
      begins = 9
    } else if (head.startsWith("<!")) {
      if (less + 9 > this.length) return -1
      this.line = line
      return this.faultAt(
        head.startsWith("<!DOCTYPE")
          ? "the file declares a DOCTYPE, which no message of a bank has: it is not read"
          : 'a "<!" that begins neither a comment nor text: the file was changed, get it again',
        less
      )
    }
    const end = text.indexOf(close, less + begins)
    if (end < 0) return -1
    if (this.leafFrom >= 0) {
      const plain = this.decode(this.leafFrom, less)
      const cdata = begins === 9 ? Buffer.from(this.window.subarray(less + 9, end)).toString("utf8") : ""
      this.before = (this.hasBefore ? this.before : "") + plain + cdata
      if (this.before.length > maxToken) return this.faultAt("the text is longer than any of a message", less)
      this.hasBefore = true
      this.leafFrom = end + close.length
    }
    let lines = line
    for (let at = less; at < end; at++) {
      if (this.window[at] === 10) {
        lines++
        this.lineStart = at + 1
      }
    }
    this.line = lines
    this.leafLine = lines
    return end + close.length
  }
}
