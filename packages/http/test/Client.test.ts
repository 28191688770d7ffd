import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import * as Client from "../src/Client.ts"
import * as Records from "./fakes/Records.ts"
import * as Server from "./fakes/Server.ts"

const server = Server.make()

const clientOf = (apiKey: string) =>
  Client.make({ baseUrl: "http://test", apiKey: Redacted.make(apiKey) }).pipe(
    Effect.provide(FetchHttpClient.layer),
    Effect.runPromise
  )

const run = <A, E>(effect: Effect.Effect<A, E>) =>
  effect.pipe(
    Effect.provideService(FetchHttpClient.Fetch, (input, init) => server.handler(new Request(input, init))),
    Effect.runPromise
  )

describe("the typed client", () => {
  it("reads records with their types", async () => {
    const client = await clientOf(Server.secret)
    const ref = { bank_id: Records.bank.id, account_id: Records.account.id }
    const { data: me } = await run(client.whoami())
    expect(me.workspaceId).toBe(Records.workspace.id)
    const page = await run(client.listTransactions({ params: ref, query: { limit: 7, pending: false } }))
    expect(page.meta.nextCursor).toBe("next")
    expect(page.data[0]).toMatchObject({ id: Records.transaction["id"], creditAmount: "0", pending: false })
    expect(server.calls["transactions"]).toEqual([{ filter: { pending: false }, limit: 7 }])
  })

  it("writes bodies", async () => {
    const client = await clientOf(Server.secret)
    const payload = { name: "T", fields: [{ name: "Amount", type: "currency" as const }] }
    const made = await run(client.createTable({ payload }))
    expect(made.data.id).toBe(Records.table.id)
    expect(server.calls["createTable"]).toEqual([payload])
  })

  it("fails with the error that was answered", async () => {
    const client = await clientOf("mill_bad")
    const error = await run(Effect.flip(client.getBank({ params: { bank_id: Records.bank.id } })))
    expect(error).toMatchObject({ _tag: "ApiError", code: "INVALID_CREDENTIAL", error: "Invalid or expired API key" })
  })
})
