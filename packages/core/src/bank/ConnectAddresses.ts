/** Where browsers and upstreams reach this installation while a bank is connected. */
import * as Context from "effect/Context"

export interface ConnectAddresses {
  /** Where browsers reach the pages, such as `https://money.example`; no slash at the end. */
  readonly base: string
  /** Set where upstreams reach it as well: the operator said so, and it is not an address of this machine alone. */
  readonly isPublic: boolean
}

/**
 * Set by programs that serve the landing pages. Without it upstreams send browsers where the caller asks for, and callbacks
 * nowhere.
 */
export const CurrentConnectAddresses = Context.Reference<ConnectAddresses | undefined>(
  "@millrace/core/bank/ConnectAddresses",
  { defaultValue: () => undefined }
)

/** The landing page of an instance, for the browser that belongs to a state. */
export const landingOf = ({ base }: ConnectAddresses, instanceId: string, state: string): string =>
  `${base}/connect/callback/${encodeURIComponent(instanceId)}?state=${encodeURIComponent(state)}`

/** The page on which a person goes through an attempt. */
export const pageOf = ({ base }: ConnectAddresses, state: string): string =>
  `${base}/connect/attempt?state=${encodeURIComponent(state)}`

/** The page on which a person uploads files to a feed. */
export const uploadPageOf = ({ base }: ConnectAddresses, state: string): string =>
  `${base}/connect/upload?state=${encodeURIComponent(state)}`

/** Where an upstream sends its callbacks. */
export const webhookOf = ({ base, isPublic }: ConnectAddresses, instanceId: string): string | undefined =>
  isPublic ? `${base}/v1/webhooks/${encodeURIComponent(instanceId)}` : undefined
