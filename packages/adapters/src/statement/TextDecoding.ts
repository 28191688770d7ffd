/** Bytes of a statement file -> text, by byte order mark, content and declaration, in this order. */
import { Buffer, isAscii, isUtf8 } from "node:buffer"
import type { CharacterCodes } from "./CharacterCodes.ts"
import { oneByteText } from "./OneByteText.ts"
import { decoderOf } from "./TextDecoders.ts"

export interface DecodedText {
  readonly text: string
  readonly encoding: string
  /** As `characterCodes` gives them, where decoding has made them already. */
  readonly codes?: CharacterCodes
}

const decodeAs = (bytes: Uint8Array, label: string): string => decoderOf(label).decode(bytes)

/** Charset names of OFX headers and XML declarations -> labels of the Encoding standard. */
export const encodingLabel = (declared: string): string | undefined => {
  const name = declared.trim().toLowerCase().replaceAll("_", "-")
  const codePage = /^(?:cp|windows-?|ansi)?(125[0-8])$/.exec(name)
  if (codePage !== null) return `windows-${codePage[1]}`
  const latin = /^iso-?8859-(\d{1,2})$/.exec(name)
  if (latin !== null) {
    const part = Number(latin[1])
    // The Encoding standard reads Latin-1 as its superset windows-1252.
    return part === 1 ? "windows-1252" : part >= 2 && part <= 16 && part !== 9 && part !== 12 ? name : undefined
  }
  if (name === "utf-8" || name === "utf8" || name === "unicode") return "utf-8"
  const dos = /^(?:cp|ibm)?-?(85[02])$/.exec(name)
  if (dos !== null) return `ibm${dos[1]}`
  if (name === "932" || name === "shift-jis" || name === "shift_jis") return "shift_jis"
  if (name === "936" || name === "gbk" || name === "gb2312") return "gbk"
  if (name === "949" || name === "euc-kr") return "euc-kr"
  if (name === "950" || name === "big5") return "big5"
  return name === "us-ascii" || name === "usascii" || name === "none" || name === "8859-1" ? "windows-1252" : undefined
}

/** The encoding that the mark at the beginning of a file tells. */
export const markedEncoding = (head: Uint8Array): string | undefined => {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return "utf-8"
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le"
  return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : undefined
}

/**
 * `declared` is a label of the Encoding standard that the file or its reader names. Text that is valid UTF-8
 * beyond ASCII is UTF-8 whatever a header says: many banks write an old header above UTF-8.
 */
export const decodeText = (bytes: Uint8Array, declared: string | undefined, force = false): DecodedText => {
  const marked = markedEncoding(bytes)
  if (marked !== undefined) return { text: decodeAs(bytes, marked), encoding: marked }
  if (force && declared !== undefined) return { text: decodeAs(bytes, declared), encoding: declared }
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isUtf8(buffer)) {
    // One-byte strings are half the memory and faster to scan.
    const encoding = isAscii(buffer) ? (declared ?? "utf-8") : "utf-8"
    const narrow = oneByteText(buffer)
    return narrow === undefined ? { text: buffer.toString("utf8"), encoding } : { ...narrow, encoding }
  }
  const label = declared === undefined || declared === "utf-8" ? "windows-1252" : declared
  return { text: decodeAs(bytes, label), encoding: label }
}

/** The first bytes as text, for looking at headers before the encoding is known. */
export const headText = (bytes: Uint8Array, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(length, bytes.byteLength)).toString("latin1")
