/** What stand-ins of upstreams have in common. */
import type { ConnectPayload } from "@millrace/core/provider"

export interface StandInOptions {
  /** A free one unless given. */
  readonly port?: number
  /** Rows of a page at most, however many are asked for. As many as there, unless given. */
  readonly pageRows?: number
  /** Written behind the name of every institution, so that a trial is seen to be one. */
  readonly mark?: string
  /** Days that the first rows are spread over. */
  readonly days?: number
  /** First rows of the account that moves most. */
  readonly rows?: number
}

/** What a person brings back from a page of the upstream: the id of the connection. */
export const returned = (connectionId: string): ConnectPayload => ({ kind: "provider_connection_id", connectionId })

/** The connection of that id; throws where there is none. */
export const connectionOf = <A extends { readonly ref: string }>(all: Iterable<A>, ref: string): A => {
  for (const one of all) if (one.ref === ref) return one
  throw new RangeError(`there is no connection ${ref}`)
}
