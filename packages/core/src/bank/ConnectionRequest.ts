/** What callers ask for when they start a connection (specification 4.4). */
import type { PsuContext } from "../provider/Connect.ts"

export interface ConnectionRequest {
  /** `<kind>:<instance>`. */
  readonly providerInstanceId: string
  readonly email?: string
  readonly mobile?: string
  readonly institutionId?: string
  readonly brandId?: string
  /** Two letters each, capital or small. */
  readonly countryCodes?: ReadonlyArray<string>
  /** Where the person's browser ends; the landing page sends it there. */
  readonly redirectUri?: string
  readonly brokerageSlug?: string
  readonly saltedgeConsentScopes?: ReadonlyArray<string>
  readonly connectionType?: "read" | "trade"
  /** Another connection, also where a bank of the same institution is connected. */
  readonly forceNewConnection?: boolean
  /** A language tag. */
  readonly language?: string
}

/** A request as its attempt keeps it. */
export interface KeptRequest extends ConnectionRequest {
  /** The name of the institution that was chosen, where it is known. */
  readonly institutionName?: string
  /**
   * Of a bank that is reconnected: whether its connection was to be mended, or another one made in its place. What the
   * person brings back is of that sort, no matter what happens to the bank meanwhile. Absent until the upstream is asked.
   */
  readonly begunAs?: "repair" | "another"
}

/** A request with the person who makes it, where one waits for the answer. */
export interface InteractiveRequest extends ConnectionRequest {
  readonly psu?: PsuContext
}

/** Country codes as providers know them: people write them in small letters, too. */
export const countriesOf = (codes: ReadonlyArray<string>): ReadonlyArray<string> =>
  codes.map((code) => code.toUpperCase())
