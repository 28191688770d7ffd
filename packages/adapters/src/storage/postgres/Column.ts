/** Values on their way between rows and the kernel. */
import { Timestamp } from "@millrace/core"

/** An instant as the driver gives it; columns keep milliseconds, so nothing is cut off. */
export const instant = (value: Date): Timestamp.Timestamp => Timestamp.fromMillis(value.getTime())

type Present<A> = { readonly [K in keyof A]?: Exclude<A[K], null> }

/** Optional properties out of nullable columns: what is null is absent. */
export const present = <A extends Readonly<Record<string, unknown>>>(columns: A): Present<A> =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== null)) as Present<A>

export const optionalInstant = (value: Date | null): Timestamp.Timestamp | null =>
  value === null ? null : instant(value)

/** A parameter for a json column; absent is SQL null. */
export const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

/** A parameter for a nullable column. */
export const nullable = <A>(value: A | undefined): A | null => value ?? null
