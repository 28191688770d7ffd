/** Requests about uploads. */
import { formOf, statement } from "../Statement.ts"
import type { RequestsOf } from "../Request.ts"

export const uploads: RequestsOf = (scene) => {
  const feed = { feed_id: scene.filesId }
  const file = (name: string, content: string) => {
    const { body, headers } = formOf(name, content)
    return { params: feed, raw: body, headers }
  }
  return {
    uploadFeedFile: [
      { title: "takes a file", ...file("april.csv", statement("2026-04-0")) },
      { title: "takes the same file again", ...file("april.csv", statement("2026-04-0")) },
      { title: "refuses what is no statement", ...file("notes.txt", "hello") },
      { title: "refuses an empty file", ...file("empty.csv", "") },
      { title: "refuses a feed that reads a bank", ...file("may.csv", statement("2026-05-0")), params: {} },
      { title: "refuses a form without a file", ...file("x.csv", "x"), raw: "--replay--\r\n" },
      { title: "refuses a viewer", ...file("may.csv", statement("2026-05-0")), as: "person-viewer" }
    ],
    listFeedUploads: [
      { title: "lists the files", params: feed },
      { title: "lists those that failed", params: feed, query: "status=failed" },
      { title: "lists one of them", params: feed, query: "limit=1" }
    ],
    startFeedUpload: [
      { title: "makes a page for files", params: feed, json: { redirectUri: "https://app.example/done" } },
      { title: "makes one that leads nowhere", params: feed },
      { title: "refuses a way back that is none", params: feed, json: { redirectUri: "nowhere" } },
      { title: "refuses a feed that reads a bank", json: {} }
    ],
    endFeedUpload: [
      { title: "ends a page", params: feed },
      { title: "ends it again", params: feed }
    ],
    deleteFeedUpload: [
      { title: "takes a file back", params: feed },
      { title: "takes it back again", params: feed }
    ],
    readFeedUpload: [
      async () => {
        const files = await scene.many("GET", `/v1/feeds/${scene.filesId}/uploads`)
        return { title: "reads a file again", params: { ...feed, upload_id: files[0]!.id } }
      },
      { title: "refuses a file that was taken back", params: feed }
    ]
  }
}
