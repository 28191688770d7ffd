/** A request as a fake upstream got it, and what it was answered. */
export interface FakeRequest {
  /** Milliseconds of the upstream's clock. */
  readonly at: number
  readonly method: string
  /** Without the query, which is in `query`: `/v1/items?page=2` has the path `/v1/items`. */
  readonly path: string
  readonly query: URLSearchParams
  /** Exactly as it came, without `?`: what signatures are about. */
  readonly rawQuery: string
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly rawBody: Uint8Array
  /** The name that the fake gives to requests of this sort, such as `transactions`. */
  readonly endpoint: string
  /** The upstream's reference of the connection that it is about, where it is about one. */
  readonly connectionRef?: string
  /** Absent where no answer came. */
  status?: number
}

export interface FakeAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text is sent as it is, everything else as JSON; numbers made by `exactNumber` keep all their digits. */
  readonly body: unknown
  /** `application/json` unless given. */
  readonly contentType?: string
}
