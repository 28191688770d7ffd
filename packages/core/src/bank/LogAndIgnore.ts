import * as Effect from "effect/Effect"
import type { BankId } from "./Bank.ts"

/**
 * Writes what a look or a read says of the health of a connection. That it cannot be written is no reason to hide how the
 * look or the read went; it is logged, and the next look says the same.
 */
export const logAndIgnore = <A, E, R>(
  bank: { readonly id: BankId },
  write: Effect.Effect<A, E, R>
): Effect.Effect<void, never, R> =>
  write.pipe(
    Effect.catch((error) =>
      Effect.logWarning("The health of a connection could not be kept", { bankId: bank.id, error })
    ),
    Effect.asVoid
  )
