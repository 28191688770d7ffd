/** The contract of the /v1 API, for programs that call it. */
export { Api } from "../api/Api.ts"
export { ApiError } from "../api/ApiError.ts"
export { type Client, make } from "../Client.ts"
