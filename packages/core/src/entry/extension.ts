/** For modules that add providers, destinations and enrichment kinds to an installation. */
export { type DestinationMaking, type Extension, extension } from "../Extension.ts"
