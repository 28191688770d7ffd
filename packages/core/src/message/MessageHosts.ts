/** Hosts of the own network that messages may go to, as the operator names them. */
import * as Context from "effect/Context"

export interface NamedHosts {
  /** Whether the operator named this host, at this port. */
  readonly has: (hostname: string, port: number) => boolean
}

/** None unless the program provides them. */
export const MessageHosts = Context.Reference<NamedHosts>("@millrace/core/message/MessageHosts", {
  defaultValue: () => ({ has: () => false })
})
