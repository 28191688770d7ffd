/** A connection that can be disturbed on its way: stands between a process under test and a server it talks to. */
import { once } from "node:events"
import { createServer, connect, type AddressInfo, type Socket } from "node:net"
import { setTimeout as wait } from "node:timers/promises"

/**
 * `pass` lets everything through. `blackhole` keeps everything that is sent, in both directions, until another mode
 * lets it pass: what a network that is cut off for a while does, since lost packets are sent again. `reset` breaks
 * what is open and refuses what is new. `latencyMillis` delays every piece in each direction, `sliceBytes` cuts
 * pieces down to that size.
 */
export type ProxyMode =
  | "pass"
  | "blackhole"
  | "reset"
  | { readonly latencyMillis: number }
  | { readonly sliceBytes: number }

export interface TcpProxy {
  readonly port: number
  readonly set: (mode: ProxyMode) => void
  readonly close: () => Promise<void>
}

const slices = (piece: Buffer, size: number): ReadonlyArray<Buffer> =>
  Array.from({ length: Math.ceil(piece.length / size) }, (_, n) => piece.subarray(n * size, (n + 1) * size))

const send = async (piece: Buffer, to: Socket): Promise<void> => {
  if (!to.write(piece) && to.writable) await Promise.race([once(to, "drain"), once(to, "close")])
}

/** Listens on a free port of this machine and connects every caller to `target`. */
export const startTcpProxy = async (target: { readonly port: number }): Promise<TcpProxy> => {
  let mode: ProxyMode = "pass"
  let opened = Promise.withResolvers<void>()
  opened.resolve()
  const sockets = new Set<Socket>()

  const keep = (socket: Socket): void => {
    socket.setNoDelay(true)
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    // Told to the other side by `pump`.
    socket.on("error", () => undefined)
  }

  const pump = async (from: Socket, to: Socket): Promise<void> => {
    try {
      for await (const piece of from as AsyncIterable<Buffer>) {
        await opened.promise
        if (typeof mode === "object" && "latencyMillis" in mode) await wait(mode.latencyMillis)
        if (typeof mode === "object" && "sliceBytes" in mode) {
          for (const slice of slices(piece, mode.sliceBytes)) {
            await send(slice, to)
            await new Promise(setImmediate)
          }
        } else await send(piece, to)
      }
      await opened.promise
      to.end()
    } catch {
      await opened.promise
      to.destroy()
    }
  }

  const server = createServer((caller) => {
    keep(caller)
    if (mode === "reset") {
      caller.resetAndDestroy()
      return
    }
    const called = connect(target.port, "127.0.0.1")
    keep(called)
    void pump(caller, called)
    void pump(called, caller)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")

  return {
    port: (server.address() as AddressInfo).port,
    set: (next) => {
      mode = next
      if (next === "blackhole") opened = Promise.withResolvers()
      else opened.resolve()
      if (next === "reset") for (const socket of sockets) socket.resetAndDestroy()
    },
    close: async () => {
      opened.resolve()
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    }
  }
}
