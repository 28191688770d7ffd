/** The registry of bundled providers. */
import type { ProviderFactory } from "@millrace/core/provider"
import * as bundled from "./bundled.ts"

/** By kind. */
export const bundledProviders: ReadonlyArray<ProviderFactory> = Object.values(bundled)
