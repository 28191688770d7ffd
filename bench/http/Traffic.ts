/**
 * A client that costs little: connections that are kept open, each with one request under way, over plain sockets. What is
 * measured is a server, and the client shares its cores.
 */
import { connect, type Socket } from "node:net"

export interface Request {
  readonly path: string
  readonly key: string
}

export interface Traffic {
  /** Reconnects what a server has closed: they do with connections that nobody uses for a minute. */
  readonly ready: () => Promise<void>
  /** Sends so many requests, taking the list round and round, and returns how many were answered with 200. */
  readonly send: (requests: ReadonlyArray<Request>, count: number) => Promise<number>
  readonly close: () => void
}

const textOf = ({ key, path }: Request, port: number): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-api-key: ${key}\r\naccept: application/json\r\n\r\n`

const headEnd = Buffer.from("\r\n\r\n")

const lengthOf = (head: string): number => {
  const found = /\r\ncontent-length: (\d+)/i.exec(head)
  if (found === null) throw new Error(`an answer without its length: ${head}`)
  return Number(found[1])
}

/** Reads answers one after the other; each is its status. */
class Connection {
  private socket: Socket
  private readonly port: number
  private parts: Array<Buffer> = []
  private missing: number | undefined
  private status = 0
  private answered: ((status: number) => void) | undefined
  private failed: ((cause: Error) => void) | undefined

  constructor(port: number) {
    this.port = port
    this.socket = this.connected()
  }

  private connected(): Socket {
    const socket = connect({ port: this.port, host: "127.0.0.1", noDelay: true })
    socket.on("data", (chunk: Buffer) => this.take(chunk))
    socket.on("error", (cause) => this.failed?.(cause))
    socket.on("close", () => this.failed?.(new Error("the server closed the connection")))
    return socket
  }

  ready(): Promise<void> {
    if (this.socket.destroyed || !this.socket.writable) this.socket = this.connected()
    const { socket } = this
    if (!socket.connecting) return Promise.resolve()
    return new Promise((ready, failed) => {
      socket.once("connect", ready)
      socket.once("error", failed)
    })
  }

  private take(chunk: Buffer): void {
    if (this.missing === undefined) {
      this.parts.push(chunk)
      const bytes = this.parts.length === 1 ? chunk : Buffer.concat(this.parts)
      const end = bytes.indexOf(headEnd)
      if (end < 0) return
      const head = bytes.toString("latin1", 0, end)
      this.status = Number(head.slice(9, 12))
      this.missing = lengthOf(head) - (bytes.length - end - headEnd.length)
      this.parts = []
    } else this.missing -= chunk.length
    if (this.missing > 0) return
    this.missing = undefined
    this.answered?.(this.status)
  }

  send(text: string): Promise<number> {
    return new Promise((answered, failed) => {
      this.answered = answered
      this.failed = failed
      // Nothing would be said of it: a socket that is closed takes what it is given.
      if (this.socket.destroyed) failed(new Error("the server has closed the connection"))
      else this.socket.write(text)
    })
  }

  close(): void {
    this.failed = undefined
    this.socket.destroy()
  }
}

export const open = (port: number, connections: number): Traffic => {
  const held = Array.from({ length: connections }, () => new Connection(port))
  return {
    ready: async () => {
      await Promise.all(held.map((connection) => connection.ready()))
    },
    send: async (requests, count) => {
      const texts = requests.map((request) => textOf(request, port))
      let next = 0
      let good = 0
      await Promise.all(
        held.map(async (connection) => {
          while (next < count) {
            const status = await connection.send(texts[next++ % texts.length]!)
            if (status === 200) good++
          }
        })
      )
      return good
    },
    close: () => {
      for (const connection of held) connection.close()
    }
  }
}
