/** Invented securities and their daily prices. */
import { hash } from "./Seed.ts"

export interface Security {
  readonly id: string
  readonly ticker: string
  readonly name: string
  /** Cents. */
  readonly price: bigint
}

export const securities = [
  { id: "DEMO-TOTAL-MARKET", ticker: "DTMX", name: "Demo Total Market Fund", price: 184_20n },
  { id: "DEMO-WORLD-BOND", ticker: "DBND", name: "Demo World Bond Fund", price: 51_35n },
  { id: "DEMO-ROBOTICS", ticker: "DBOT", name: "Demo Robotics Inc.", price: 96_80n }
] as const satisfies ReadonlyArray<Security>

const slope = 190

/** Price in cents on a day: a slow wave of 19 % and a daily noise of 1.5 %. */
export const priceOn = (security: Security, epochDay: number): bigint => {
  const phase = (((epochDay + security.ticker.charCodeAt(1) * 13) % (2 * slope)) + 2 * slope) % (2 * slope)
  const wave = Math.abs(phase - slope)
  const noise = (hash(`${security.id}|${epochDay}`) % 31) - 15
  return (security.price * BigInt(1000 + wave + noise)) / 1000n
}
