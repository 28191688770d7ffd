/** Patterns in linear time, with RE2. */
export * as Re2Patterns from "../pattern/Re2Patterns.ts"
