/** The scripted incidents of the demo bank, by the name that is typed at the connection. */

/** What each scenario does, as `demo:<scenario>`. */
export const scenarios = {
  normal: "A bank without trouble.",
  reauth: "The bank asks the person to sign in again; no data comes.",
  consent: "The consent has expired; no data comes.",
  "rate-limit": "Refuses reads in every second span of two seconds.",
  mutating: "Refuses to go on paging once the minute in which the run began is over.",
  down: "The bank is down.",
  "not-ready": "First data comes ten seconds after the connection was made.",
  quarantine: "Some rows cannot be read.",
  "checkpoint-lost": "Forgets checkpoints after an hour.",
  slow: "Every page takes 200 milliseconds.",
  large: "`demo:large-<n>`: n transactions, up to 1,000,000, in the first account."
} as const
export type Scenario = keyof typeof scenarios

export const largestLedger = 1_000_000
export const slowPage = "200 millis"
