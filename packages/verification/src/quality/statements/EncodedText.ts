/** Text as bytes of any encoding: what the platform decodes and does not encode. */
import { Buffer } from "node:buffer"
import { decoderOf } from "../../../../adapters/src/statement/TextDecoders.ts"

const wide = new Set(["shift_jis", "euc-jp", "euc-kr", "gbk", "big5"])

const codesOf = (encoding: string): ReadonlyMap<string, ReadonlyArray<number>> => {
  const decoder = decoderOf(encoding)
  const codes = new Map<string, ReadonlyArray<number>>()
  const add = (bytes: ReadonlyArray<number>): void => {
    const text = decoder.decode(Uint8Array.from(bytes))
    if ([...text].length === 1 && text !== "\ufffd" && !codes.has(text)) codes.set(text, bytes)
  }
  for (let byte = 0; byte < 256; byte++) add([byte])
  if (wide.has(encoding)) {
    for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) add([lead, trail])
  }
  return codes
}

const known = new Map<string, ReadonlyMap<string, ReadonlyArray<number>>>()

/** The bytes of a text; `undefined` where the encoding lacks one of its characters. */
export const encodeText = (text: string, encoding: string): Uint8Array | undefined => {
  const codes = known.get(encoding) ?? codesOf(encoding)
  known.set(encoding, codes)
  const bytes: Array<number> = []
  for (const character of text) {
    const own = codes.get(character)
    if (own === undefined) return undefined
    bytes.push(...own)
  }
  return Buffer.from(bytes)
}
