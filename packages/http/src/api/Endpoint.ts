/** The endpoint of an operation, from its definition. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { type AnyDefinition, file, raw } from "@millrace/core/operation"
import { errorSchemas } from "./ApiError.ts"
import { successSchemas } from "../answer/Envelope.ts"

/** Read by the checks before the handler, which hand on the one part `file`. */
const FileBody = Schema.Struct({ file: Schema.String.annotate({ format: "binary" }) })
  .annotate({ identifier: "UploadFile" })
  .pipe(HttpApiSchema.asMultipartStream())

/** A condition on the version of the record, `"3"`. */
const ifMatch = { "if-match": Schema.optionalKey(Schema.String) }
const ifNoneMatch = { "if-none-match": Schema.optionalKey(Schema.String) }

const make = {
  GET: HttpApiEndpoint.get,
  POST: HttpApiEndpoint.post,
  PUT: HttpApiEndpoint.put,
  PATCH: HttpApiEndpoint.patch,
  DELETE: HttpApiEndpoint.delete
}

const parametersOf = (path: string): Readonly<Record<string, typeof Schema.String>> =>
  Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, Schema.String]))

const payloadOf = ({ payload }: AnyDefinition): Schema.Top | undefined =>
  payload === file ? FileBody : payload === raw ? undefined : payload

export const endpointOf = (definition: AnyDefinition): HttpApiEndpoint.Top => {
  const { id, method, path, query, versioned } = definition
  const params = parametersOf(path)
  const payload = payloadOf(definition)
  const success = successSchemas(definition)
  const options = {
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(versioned ? { headers: method === "GET" ? ifNoneMatch : ifMatch } : {}),
    ...(payload === undefined ? {} : { payload }),
    success: success.length === 1 ? success[0] : success,
    error: errorSchemas(definition)
  }
  const endpoint = make[method] as unknown as (id: string, path: string, options: object) => HttpApiEndpoint.Top
  return endpoint(id, path, options)
}
