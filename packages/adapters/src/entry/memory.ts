/** Storage in memory, for tests and for programs that keep nothing. */
export * as MemoryStorage from "../storage/memory/MemoryStorage.ts"
