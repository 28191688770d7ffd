/** The scene of replays on a socket, for commands. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { makeScene } from "../../../http/test/replay/Scene.ts"
import { makeWorld } from "../../../http/test/replay/World.ts"

const bytesOf = async (request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  return new Uint8Array(Buffer.concat(chunks))
}

export const serveScene = async () => {
  const world = await makeWorld()
  const scene = await makeScene(world)
  /** One request after the other: time moves with each. */
  let last: Promise<unknown> = Promise.resolve()
  const server = createServer((request, response) => {
    const body = bytesOf(request)
    last = last.then(async () => {
      const bytes = await body
      const headers = Object.entries(request.headers).flatMap(([name, value]) =>
        typeof value === "string" ? [[name, value] as const] : []
      )
      const answer = await world.send({
        method: request.method ?? "GET",
        path: request.url ?? "/",
        headers: Object.fromEntries(headers),
        ...(bytes.length === 0 ? {} : { body: bytes })
      })
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(answer.text)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    base,
    env: { MILLRACE_BASE_URL: base, MILLRACE_API_KEY: scene.secrets.owner },
    scene,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await world.dispose()
    }
  }
}
