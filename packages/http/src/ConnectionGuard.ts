/**
 * Keeps one client from taking the server for itself: a bound on open connections, on the requests of one connection
 * that are under way, and on all requests that wait for their turn.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

export interface ConnectionLimits {
  /** Connections that are open at once. Beyond them, the one that has been idle the longest makes room. */
  readonly connections: number
  /** Connections beyond those, when none is idle: they are for probes alone. */
  readonly reserved: number
  /** Requests of one connection that are under way at once. Others of it wait, and nothing more is read from it. */
  readonly perConnection: number
  /** Requests of all connections that were read and wait. A connection that brings more is closed. */
  readonly waiting: number
}

export const connectionLimits: ConnectionLimits = {
  connections: 1_000,
  reserved: 50,
  perConnection: 4,
  waiting: 8_000
}

interface Waiting {
  readonly event: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Node stops to read in its listener of this event, which a stream that is paused already does not emit. */
const stopReading = (socket: Socket): void => {
  socket.pause()
  socket.emit("pause")
}

interface Connection {
  underWay: number
  /** Requests that came so far. */
  arrived: number
  readonly waiting: Array<Waiting>
  /** Opened when there was no room: it may only ask how the server is. */
  readonly reserved: boolean
}

const isProbe = (url: string | undefined): boolean => url === "/livez" || url === "/readyz"

export interface Refusals {
  /** There is no room for this request now. */
  readonly busy: (response: ServerResponse) => void
  /** Answers a request that no application is to see. Returns whether it did. */
  readonly unfit: (request: IncomingMessage, response: ServerResponse) => boolean
}

export interface Bounded {
  /**
   * Called where a request on the connection has not come whole in its time. Calls `end`, at once unless it is we who
   * read nothing more from it: then when that is over, and the rest still has not come in the time for headers.
   */
  readonly overdue: (socket: Duplex, end: () => void) => void
}

/** Passes requests on to the listeners of the server as the limits allow. */
export const bound = (server: Server, limits: ConnectionLimits, refusals: Refusals): Bounded => {
  const connections = new Map<Socket, Connection>()
  /** The one that has been idle the longest comes first. */
  const idle = new Set<Socket>()
  const pass = server.emit.bind(server) as (event: string, ...given: ReadonlyArray<unknown>) => boolean
  let waiting = 0

  const open = (socket: Socket): void => {
    if (connections.size >= limits.connections) {
      const [longest] = idle
      if (longest !== undefined) {
        forget(longest)
        longest.destroy()
      }
    }
    if (connections.size >= limits.connections + limits.reserved) {
      socket.destroy()
      return
    }
    const connection: Connection = {
      underWay: 0,
      arrived: 0,
      waiting: [],
      reserved: connections.size >= limits.connections
    }
    connections.set(socket, connection)
    idle.add(socket)
    // Node reads on by itself whenever it is done with a request.
    socket.on("resume", () => {
      if (connection.waiting.length > 0) stopReading(socket)
    })
    socket.once("close", () => forget(socket))
  }

  const forget = (socket: Socket): void => {
    const connection = connections.get(socket)
    if (connection === undefined) return
    waiting -= connection.waiting.length
    connection.waiting.length = 0
    connections.delete(socket)
    idle.delete(socket)
  }

  const begin = (socket: Socket, connection: Connection, { event, request, response }: Waiting): void => {
    connection.underWay++
    idle.delete(socket)
    response.once("close", () => finish(socket, connection))
    if (refusals.unfit(request, response)) return
    if (connection.reserved && !isProbe(request.url)) refusals.busy(response)
    else pass(event, request, response)
  }

  const finish = (socket: Socket, connection: Connection): void => {
    connection.underWay--
    const next = connection.waiting.shift()
    if (next !== undefined) {
      waiting--
      begin(socket, connection, next)
    } else if (connection.underWay === 0 && connections.has(socket)) idle.add(socket)
    if (connection.waiting.length === 0) socket.resume()
  }

  const arrive = (arrival: Waiting): void => {
    const { socket } = arrival.request
    const connection = connections.get(socket)
    if (connection !== undefined) connection.arrived++
    if (connection === undefined) socket.destroy()
    else if (connection.underWay < limits.perConnection) begin(socket, connection, arrival)
    else if (waiting >= limits.waiting) socket.destroy()
    else {
      waiting++
      connection.waiting.push(arrival)
      stopReading(socket)
    }
  }

  server.on("connection", open)
  server.emit = (event: string, ...given: ReadonlyArray<unknown>) => {
    if (event !== "request" && event !== "checkContinue") return pass(event, ...given)
    const [request, response] = given as [IncomingMessage, ServerResponse]
    arrive({ event, request, response })
    return true
  }

  const overdue: Bounded["overdue"] = (socket, end) => {
    const connection = connections.get(socket as Socket)
    if (connection === undefined || connection.waiting.length === 0) return end()
    const { arrived } = connection
    let isFree = false
    const look = (): void => {
      // Gone, or the request came after all: Node watches the next one itself.
      if (!connections.has(socket as Socket) || connection.arrived !== arrived) return
      if (isFree) return end()
      isFree = connection.waiting.length === 0
      setTimeout(look, server.headersTimeout).unref()
    }
    look()
  }
  return { overdue }
}
