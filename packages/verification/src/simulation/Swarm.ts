/**
 * Which faults a scenario meets, and how often: a random subset with random weights. Lives that meet everything
 * at once look alike; scenarios that meet much of a few things go further.
 */
import type { Seeded } from "@millrace/testing/model"

/** A weight for each kind: 0 for about two in five of them, but never for those that must be. */
export const weightsOf = <K extends string>(
  random: Seeded,
  kinds: ReadonlyArray<K>,
  always: { readonly [_ in K]?: number }
): ReadonlyArray<readonly [K, number]> =>
  kinds.map((kind) => [kind, always[kind] ?? (random.below(5) < 2 ? 0 : 1 + random.below(8))] as const)
