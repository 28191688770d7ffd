/** Secrets of connections, sealed with AES. */
export * as AesSecrets from "../secrets/AesSecrets.ts"
export { derive, keysFor, type SecretKeys } from "../secrets/SecretKeys.ts"
