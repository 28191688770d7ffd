/** What the benchmark asks of the server that it measures, and what that returns. */

/** Where a feed of a connection delivers to. */
export const destinations = ["table", "file"] as const
export type Destination = (typeof destinations)[number]

/** A server of the benchmark, in a database of its own. */
export interface Place {
  readonly port: number
  readonly username: string
  readonly password: string
  readonly database: string
  /** Free, for the API. */
  readonly apiPort: number
  /** For its key and the files of its feeds. */
  readonly folder: string
}

export type Order =
  /** A bank of that many rows with a feed. Returns the feed. */
  | { readonly kind: "connect"; readonly rows: number; readonly accounts: number; readonly destination: Destination }
  /** Syncs the feed, and returns the job when it has ended. */
  | { readonly kind: "sync"; readonly feedId: string }
  /** From now on the upstream shows one row in a hundred corrected. */
  | { readonly kind: "correct" }
  /** Daily feeds over workspaces of twenty, each of a small bank of its own. Returns how many there are. */
  | { readonly kind: "schedule"; readonly feeds: number }
  /** A feed of a workspace of its own, without a schedule. */
  | { readonly kind: "bystander" }

/** A job as far as the benchmark looks at it. */
export interface Ended {
  readonly status: string
  readonly read: number
  readonly changed: number
  readonly errors: ReadonlyArray<string>
}

export type Request = Order & { readonly n: number }
export type Reply =
  | { readonly n: number; readonly value: unknown }
  | { readonly n: number; readonly fault: string }
  /** The first word, without a number: the server is up. */
  | { readonly ready: true }
