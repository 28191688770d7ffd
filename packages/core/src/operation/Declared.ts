/** Which errors of the kernel an operation declares. The compiler compares them with those that its use case can fail with. */
import type { KernelError, StatusOf } from "./ErrorAnswer.ts"

/** Errors beside those that follow from an operation's path, body, version and repeats. */
export const furtherErrors = { Conflict: 409, Unprocessable: 422, NotAvailable: 501 } as const
export type FurtherError = keyof typeof furtherErrors

/** What any operation can answer (decisions 2.9). */
type Always = 400 | 401 | 403 | 429 | 500 | 503

export type Repeats = "read" | "inherent" | "key"

/** Statuses of an operation: 404 with an id in its path, 413 and 415 with a body, 409 and 422 with an idempotency key. */
export type Statuses<Path extends string, Body, R extends Repeats, Versioned extends boolean, F extends FurtherError> =
  | Always
  | (Path extends `${string}/:${string}` ? 404 : never)
  | ([Body] extends [never] ? never : 413 | 415)
  | (R extends "key" ? 409 | 422 : never)
  | (Versioned extends true ? 412 : never)
  | (typeof furtherErrors)[F]

/** The errors of the kernel that have one of these statuses. */
export type ErrorsOf<Status extends number> = {
  readonly [Tag in keyof StatusOf]: StatusOf[Tag] extends Status ? Extract<KernelError, { readonly _tag: Tag }> : never
}[keyof StatusOf]
