/** Requests about audit. */
import type { RequestsOf } from "../Request.ts"

export const audit: RequestsOf = (scene) => ({
  listAuditEntries: [
    { title: "lists the newest entries", query: "limit=3" },
    async () => {
      const query = await scene.queryBehind(`/v1/workspaces/${scene.workspace.id}/audit?limit=2`)
      return { title: "goes on behind a page", query }
    },
    { title: "narrows to an operation", query: "operationId=createFeed&limit=1" },
    { title: "narrows to what was refused", query: "outcome=denied" },
    { title: "narrows to a time", query: "from=2026-03-16&to=2026-03-16&limit=1" },
    { title: "narrows to a resource", query: `resourceId=${scene.params["feed_id"]}&limit=1` },
    { title: "refuses an editor", as: "person-editor" },
    { title: "is read by an admin", as: "person-admin", query: "limit=1" }
  ],
  verifyAudit: [
    { title: "says that the entries are whole" },
    { title: "compares with an entry that is known", query: `known=1:${"a".repeat(64)}` }
  ]
})
