/** Bodies of answers, read up to a bound: what is packed counts unpacked, so no small answer becomes a large one. */
import type { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGunzip } from "node:zlib"

/** More than may be read was sent. */
export class TooLarge extends Error {}

/** Packed in a way that was not asked for. */
export class OtherEncoding extends Error {}

const bounded = (most: number) =>
  async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > most) throw new TooLarge()
      yield chunk
    }
  }

const collect = async (chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

const lengthOf = (header: string | undefined): number => (header === undefined ? 0 : Number(header))

/** The whole body, at most `most` bytes of it. */
export const readBody = async (
  body: Readable,
  headers: Readonly<Record<string, string>>,
  most: number
): Promise<Uint8Array> => {
  if (lengthOf(headers["content-length"]) > most) throw new TooLarge()
  const encoding = (headers["content-encoding"] ?? "identity").trim().toLowerCase()
  const check = bounded(most)
  switch (encoding) {
    case "identity":
    case "":
      return collect(check(body))
    case "gzip":
    case "x-gzip": {
      let unpacked: Uint8Array = new Uint8Array()
      await pipeline(body, check, createGunzip(), async (chunks: AsyncIterable<Uint8Array>) => {
        unpacked = await collect(check(chunks))
      })
      return unpacked
    }
    default:
      throw new OtherEncoding()
  }
}
