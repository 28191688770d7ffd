/** What the benchmark and its runners tell each other. */
import type { Shape } from "./Shape.ts"

/** To a runner. */
export type Order =
  | { readonly kind: "shape"; readonly shape: Shape }
  /** It ends by SIGKILL right after its next commit of a page, before anybody learns it. */
  | { readonly kind: "die" }

/** From a runner. `at` is in milliseconds of the machine's clock, with fractions. */
export type Told =
  | { readonly kind: "ready" }
  | { readonly kind: "begun"; readonly job: string; readonly at: number }
  | { readonly kind: "fetching"; readonly job: string; readonly page: number; readonly at: number }
  /** The handler has returned: with the job done, or before. */
  | { readonly kind: "ended"; readonly job: string; readonly done: boolean; readonly at: number }
  | { readonly kind: "dying"; readonly at: number }

export const now = (): number => performance.timeOrigin + performance.now()
