import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { compress } from "../../server/src/Compress.ts"
import { encodingFor } from "../src/middleware/Compression.ts"
import * as Server from "./fakes/Server.ts"

describe("the encoding of an answer", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["gzip", "gzip"],
    ["GZIP", "gzip"],
    ["gzip, deflate, br", "br"],
    ["br;q=0.2, gzip;q=0.9", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["gzip;q=0", undefined],
    ["*", "br"],
    ["*;q=0", undefined],
    ["br;q=0, *", "gzip"],
    ["br;q=nonsense", undefined],
    ["deflate", undefined]
  ])("for Accept-Encoding %j is %j", (accepted, expected) => {
    expect(encodingFor(accepted)).toBe(expected)
  })
})

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

describe("answers", () => {
  const server = Server.make({ compressor: compress })
  const plain = Server.make()
  const ask = (path: string, accepted?: string) =>
    server.handler(
      new Request(`http://test${path}`, {
        headers: { "x-api-key": Server.secret, ...(accepted === undefined ? {} : { "accept-encoding": accepted }) }
      })
    )

  it.each([
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync]
  ])("over 1 KiB are sent as %s to those who take it, and hold the same", async (encoding, open) => {
    const response = await ask("/openapi.json", encoding)
    expect(response.headers.get("content-encoding")).toBe(encoding)
    expect(response.headers.get("vary")).toContain("accept-encoding")
    const sent = await bytesOf(response)
    const whole = await bytesOf(await ask("/openapi.json"))
    expect(sent.length * 4).toBeLessThan(whole.length)
    expect(open(sent).equals(whole)).toBe(true)
  })

  it("are plain where nothing is asked for, where they are small, and where the platform cannot", async () => {
    const unasked = await ask("/openapi.json")
    expect(unasked.headers.get("content-encoding")).toBeNull()
    expect(unasked.headers.get("vary")).toContain("accept-encoding")
    expect((await ask("/livez", "gzip")).headers.get("content-encoding")).toBeNull()
    const unable = await plain.call("GET", "/openapi.json", { headers: { "accept-encoding": "gzip" } })
    expect(unable.headers.get("content-encoding")).toBeNull()
  })
})
