/** What has to be known of an OFX file before it is read in parts: its encoding, where it ends, and which elements end in it. */
import { StatementFault } from "@millrace/core/upload"
import { characterCodes } from "./CharacterCodes.ts"
import { guessEncodingOf } from "./EncodingSample.ts"
import { headOf } from "./FileHead.ts"
import { OfxEndTags } from "./OfxEndTags.ts"
import { markedEncoding } from "./TextDecoding.ts"
import { TextPieces } from "./TextPieces.ts"
import { Utf8Check } from "./Utf8Check.ts"

export interface OfxOutline {
  readonly encoding: string
  /** Whether it is another one than the file declares. */
  readonly isAssumed: boolean
  /** Whether nothing but the letters of the file says so. */
  readonly isGuessed: boolean
  /** Characters without what fills the end of the file. */
  readonly length: number
  /** Code that ends its lines. */
  readonly terminator: number
  readonly endTags: OfxEndTags
}

const headLength = 4_096

/** Position of the last character that fills nothing, -1 where there is none. */
const lastSolid = (text: string): number => {
  let at = text.length - 1
  while (at >= 0 && text.charCodeAt(at) <= 32) at--
  return at
}

/** Looks through the text once. */
const lookAt = (
  parts: Iterable<Uint8Array>,
  encoding: string,
  least: number | undefined
): Omit<OfxOutline, "isAssumed" | "isGuessed"> & { readonly binary: number } => {
  const pieces = new TextPieces(parts, encoding, least)
  const endTags = new OfxEndTags()
  let base = 0
  let length = 0
  let firstFeed = -1
  let binary = -1
  // What an end tag at the end of the piece before began with.
  let torn = ""
  for (let piece = pieces.next(); piece !== undefined; piece = pieces.next()) {
    const text = torn + piece
    const start = base - torn.length
    const codes = characterCodes(text)
    const looked = endTags.look(text, codes, 0, start, false)
    torn = text.slice(looked)
    const solid = lastSolid(piece)
    if (solid >= 0) length = base + solid + 1
    if (firstFeed < 0) {
      const feed = piece.indexOf("\n")
      if (feed >= 0) firstFeed = base + feed
    }
    if (binary < 0) {
      const zero = piece.indexOf("\u0000")
      if (zero >= 0) binary = base + zero
    }
    base += piece.length
  }
  const terminator = firstFeed >= 0 && firstFeed < length ? 10 : 13
  return { encoding, length, terminator, endTags, binary: binary < length ? binary : -1 }
}

/** The line and the column of a place in the file, both from 1. */
const placeIn = (
  parts: Iterable<Uint8Array>,
  { encoding, terminator }: Pick<OfxOutline, "encoding" | "terminator">,
  position: number
) => {
  const pieces = new TextPieces(parts, encoding)
  const end = String.fromCharCode(terminator)
  let base = 0
  let line = 1
  let start = 0
  for (let piece = pieces.next(); piece !== undefined && base <= position; piece = pieces.next()) {
    for (let at = piece.indexOf(end); at >= 0 && base + at < position; at = piece.indexOf(end, at + 1)) {
      line++
      start = base + at + 1
    }
    base += piece.length
  }
  pieces.close()
  return { line, column: position - start + 1 }
}

/** What says how a file is encoded. */
export interface OfxEncodings {
  /** The encoding that the options name. */
  readonly given: string | undefined
  /** The encoding that the head of the file declares. */
  readonly declared: (head: Uint8Array) => string | undefined
}

/**
 * Asks for the parts once, and again where the file is no UTF-8: it is in the encoding that it declares then, or in the one
 * that its letters tell. `least`: characters that are looked at together.
 */
export const outlineOf = (
  parts: () => Iterable<Uint8Array>,
  { declared, given }: OfxEncodings,
  least?: number
): OfxOutline | StatementFault => {
  const { head, parts: first } = headOf(parts(), headLength)
  const label = given ?? declared(head)
  const known = markedEncoding(head) ?? given
  const check = new Utf8Check()
  let outline = lookAt(known === undefined ? check.watch(first) : first, known ?? "utf-8", least)
  const isGuessed = !check.isValid && (label === undefined || label === "utf-8")
  if (!check.isValid) outline = lookAt(parts(), isGuessed ? guessEncodingOf(parts()) : label!, least)
  if (outline.binary < 0) {
    // ASCII is text of every encoding.
    const isTold = known === undefined && check.isValid && check.isAscii
    return { ...outline, isGuessed, isAssumed: !isTold && outline.encoding !== (label ?? "utf-8") }
  }
  return new StatementFault({
    message: "the file holds binary data: get it from the bank again",
    ...placeIn(parts(), outline, outline.binary)
  })
}
