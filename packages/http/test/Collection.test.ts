/** A collection that a program adds: over HTTP it is like what is bundled. */
import { afterAll, describe, expect, it } from "vitest"
import { type AnyCollection, bundledCollections } from "@millrace/core/collection"
import { notes } from "../../core/test/collection/Notes.ts"
import * as Server from "./fakes/Server.ts"

const server = Server.make({ collections: [notes] })
afterAll(() => server.dispose())

const made = async (title: string, more: object = {}): Promise<Server.Loose> => {
  const answer = await server.json("POST", "/v1/notes", { title, ...more })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.data
}

it.each([notes, ...bundledCollections])("$surface.many are made, listed, read, changed and deleted", async (one) => {
  const { examples, surface } = one as AnyCollection
  const { path } = surface
  const created = await server.json("POST", path, examples.create)
  expect(created.status, created.text).toBe(201)
  const { id } = created.body.data
  const own = `${path}/${id}`
  expect((await server.call("GET", path)).body.data).toContainEqual(created.body.data)
  const read = await server.call("GET", own)
  expect([read.body.data, read.headers.get("etag")]).toEqual([created.body.data, '"1"'])
  const changed = await server.json("PUT", own, examples.update, { "if-match": '"1"' })
  expect(changed.body.data).toMatchObject(examples.update as object)
  expect((await server.call("DELETE", own)).status).toBe(200)
  expect((await server.call("GET", own)).status).toBe(404)
  if (!surface.trash) return
  expect((await server.call("POST", `${own}/restore`)).body.data.id).toBe(id)
  await server.call("DELETE", own)
  expect((await server.call("DELETE", `${own}?permanent=true`)).status).toBe(200)
})

describe("a collection over HTTP", () => {
  it("makes, reads, changes and deletes", async () => {
    const note = await made("Rent", { color: "red", unknown: 1 })
    expect(note).toEqual({
      id: expect.stringMatching(/^note_[0-9a-z]{26}$/),
      title: "Rent",
      text: "",
      color: "red",
      rank: 0,
      createdBy: { kind: "api", clientId: expect.any(String) },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      version: 1,
      trashedAt: null,
      purgeAt: null
    })
    const path = `/v1/notes/${note.id}`
    const read = await server.call("GET", path)
    expect([read.body.data, read.headers.get("etag")]).toEqual([note, '"1"'])
    expect((await server.call("GET", path, { headers: { "if-none-match": '"1"' } })).status).toBe(304)
    const changed = await server.json("PUT", path, { text: "Soon", color: null }, { "if-match": '"1"' })
    const { color: _, ...rest } = note
    expect(changed.body.data).toEqual({ ...rest, text: "Soon", version: 2, updatedAt: changed.body.data.updatedAt })
    const stale = await server.json("PUT", path, { text: "x" }, { "if-match": '"1"' })
    expect([stale.status, stale.body.code]).toEqual([412, "PRECONDITION_FAILED"])
    expect((await server.call("DELETE", path, { headers: { "if-match": '"1"' } })).status).toBe(412)
    expect((await server.call("DELETE", path)).body).toEqual({ success: true, data: { deleted: true } })
    expect((await server.call("GET", path)).body).toMatchObject({ code: "NOT_FOUND", error: "Note not found" })
    expect((await server.call("DELETE", path)).status).toBe(404)
    const [trashed] = (await server.call("GET", "/v1/notes?trashed=true")).body.data
    expect(trashed).toMatchObject({ id: note.id, trashedAt: expect.any(String), purgeAt: expect.any(String) })
    expect((await server.call("POST", `${path}/restore`)).body.data).toMatchObject({ trashedAt: null, version: 4 })
    expect((await server.call("POST", `${path}/restore`)).body).toMatchObject({ code: "INVALID_STATE" })
    await server.call("DELETE", path)
    expect((await server.call("DELETE", `${path}?permanent=true`)).status).toBe(200)
    expect((await server.call("GET", "/v1/notes?trashed=true")).body.data).toEqual([])
  })

  it("pages with cursors and links, narrowed to a field", async () => {
    for (let n = 0; n < 5; n++) await made(`page ${n}`, { rank: 7, color: n % 2 === 0 ? "red" : "green" })
    const first = await server.call("GET", "/v1/notes?limit=2&rank=7&color=red")
    expect(first.body.data.map(({ title }: Server.Loose) => title)).toEqual(["page 0", "page 2"])
    expect(first.body.meta).toMatchObject({ count: 2, hasMore: true })
    const next = await server.call("GET", first.body.links.next)
    expect(next.body.data.map(({ title }: Server.Loose) => title)).toEqual(["page 4"])
    expect(next.body.meta).toEqual({ count: 1, hasMore: false })
    for (const query of ["limit=0", "rank=x", "trashed=yes", "cursor=x", "rank="]) {
      const refused = await server.call("GET", `/v1/notes?${query}`)
      expect([query, refused.status]).toEqual([query, 400])
      expect(refused.body.details[0].field).toBe(query.split("=")[0])
    }
  })

  it("tells every fault of shape with its field, a key that is taken and what means nothing", async () => {
    const wrong = await server.json("POST", "/v1/notes", { text: 1, color: "blue", rank: 1.5 })
    expect([wrong.status, wrong.body.code]).toEqual([400, "INVALID_REQUEST"])
    expect(wrong.body.details).toEqual([
      { field: "title", message: "is required" },
      { field: "text", message: "must be text" },
      { field: "color", message: expect.stringContaining("red") },
      { field: "rank", message: expect.any(String) }
    ])
    await made("Only one")
    const taken = await server.json("POST", "/v1/notes", { title: "Only one" })
    expect([taken.status, taken.body.code, taken.body.error]).toEqual([
      409,
      "KEY_TAKEN",
      "Another note has the same title"
    ])
    const repeated = await server.json("POST", "/v1/notes", { title: "x", text: "x" })
    expect([repeated.status, repeated.body.details]).toEqual([
      422,
      [{ field: "text", message: "must not repeat the title" }]
    ])
    for (const id of ["x", "note_x", `bank_${"0".repeat(26)}`, `note_${"0".repeat(26)}`, "%2F"]) {
      expect((await server.call("GET", `/v1/notes/${id}`)).body).toMatchObject({ error: "Note not found" })
    }
  })

  it("makes one thing of requests with one key", async () => {
    const headers = { "idempotency-key": "once" }
    const [first, again] = [
      await server.json("POST", "/v1/notes", { title: "Once", rank: 99 }, headers),
      await server.json("POST", "/v1/notes", { rank: 99, title: "Once" }, headers)
    ]
    expect(again.body).toEqual(first.body)
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    expect((await server.call("GET", "/v1/notes?rank=99")).body.data).toHaveLength(1)
    const other = await server.json("POST", "/v1/notes", { title: "Twice" }, headers)
    expect(other.body.code).toBe("IDEMPOTENCY_KEY_REUSED")
  })

  it("needs its scopes, and is no operation where it was not added", async () => {
    const reader = Server.make({ collections: [notes], scopes: ["tables:read"] })
    expect((await reader.call("GET", "/v1/notes")).status).toBe(200)
    expect((await reader.json("POST", "/v1/notes", { title: "x" })).body.code).toBe("INSUFFICIENT_SCOPE")
    const plain = Server.make()
    expect((await plain.call("GET", "/v1/notes")).body.code).toBe("ROUTE_NOT_FOUND")
    expect((await server.call("PATCH", "/v1/notes")).headers.get("allow")).toBe("GET, POST, HEAD, OPTIONS")
    expect((await server.call("GET", "/v1/tables")).status).toBe(200)
    await Promise.all([reader.dispose(), plain.dispose()])
  })

  it("stands in the document of the API with its command, its scopes and its examples", async () => {
    const { body } = await server.call("GET", "/openapi.json")
    expect(body.tags.at(-1)).toEqual({ name: "notes", description: "Notes of a workspace." })
    const operations = Object.values(body.paths as Server.Loose)
      .flatMap((path) => Object.values(path as Server.Loose))
      .filter(({ tags }: Server.Loose) => tags.includes("notes")) as ReadonlyArray<Server.Loose>
    expect(
      operations.map((one) => [one.operationId, one["x-command"], one["x-required-scopes"], one["x-required-role"]])
    ).toEqual([
      ["listNotes", "notes list", ["tables:read"], "viewer"],
      ["createNote", "notes create", ["tables:write"], "editor"],
      ["getNote", "notes get", ["tables:read"], "viewer"],
      ["updateNote", "notes update", ["tables:write"], "editor"],
      ["deleteNote", "notes delete", ["tables:write"], "editor"],
      ["restoreNote", "notes restore", ["tables:write"], "editor"]
    ])
    const create = operations.find(({ operationId }) => operationId === "createNote")
    expect(create.requestBody.content["application/json"]).toMatchObject({
      schema: { $ref: "#/components/schemas/CreateNote" },
      example: { title: "Rent", text: "Is due on the first", color: "red" }
    })
    expect(Object.keys(create.responses)).toEqual(expect.arrayContaining(["201", "400", "401", "403", "409", "422"]))
    expect(body.components.schemas.CreateNote.required).toEqual(["title"])
    expect(Object.keys(body.components.schemas)).toEqual(expect.arrayContaining(["Note", "NoteList", "UpdateNote"]))
  })
})
