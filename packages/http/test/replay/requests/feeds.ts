/** Requests about feeds. */
import type { RequestsOf } from "../Request.ts"

export const feeds: RequestsOf = (scene, world) => {
  const { a, bankId, table } = scene
  const sourceConfig = { type: "sync", accounts: [{ bankId, accountId: a }] }
  const newFeed = { name: "New", source: "sync", dataType: "transactions", sourceConfig }
  return {
    listFeeds: [
      { title: "lists the feeds" },
      { title: "narrows to a source and a type", query: "source=upload&dataType=transactions" },
      { title: "lists those of client portals too", query: "scope=family" },
      { title: "lists none to an app that made none", as: "app-owner" }
    ],
    createFeed: [
      {
        title: "makes a feed into a table",
        json: {
          ...newFeed,
          icon: "📥",
          order: 2,
          schedule: null,
          destinationConfig: { type: "table", tableId: table.id }
        }
      },
      { title: "makes one without a destination", json: newFeed },
      {
        title: "makes one for files",
        json: { name: "Files", source: "upload", dataType: "transactions", sourceConfig: { type: "upload" } }
      },
      {
        title: "makes one with a schedule",
        json: { ...newFeed, name: "Daily", schedule: { enabled: true, frequency: "daily", timeOfDay: "06:00" } }
      },
      {
        title: "makes one with a schedule that there is none of",
        json: { ...newFeed, schedule: { frequency: "sometimes" } }
      },
      { title: "needs a name, a source and a type", json: {} },
      {
        title: "refuses an account that nothing has",
        json: {
          ...newFeed,
          sourceConfig: { type: "sync", accounts: [{ bankId, accountId: "acct_00000000000000000000000000" }] }
        }
      },
      {
        title: "refuses a table that nothing has",
        json: { ...newFeed, destinationConfig: { type: "table", tableId: "tbl_00000000000000000000000000" } }
      },
      {
        title: "refuses a destination that there is none of",
        json: { ...newFeed, destinationConfig: { type: "moon" } }
      },
      { title: "refuses a source of another kind", json: { ...newFeed, source: "upload" } },
      { title: "refuses a viewer", json: newFeed, as: "person-viewer" },
      { title: "is done by an editor", json: { ...newFeed, name: "Editor's" }, as: "person-editor" }
    ],
    getFeed: [{ title: "reads a feed" }, { title: "reads one of files", params: { feed_id: scene.filesId } }],
    updateFeed: [
      { title: "renames a feed", json: { name: "Renamed", icon: null } },
      { title: "refuses a version that it no longer has", json: { name: "Late" }, headers: { "if-match": '"1"' } },
      { title: "gives it a schedule", json: { schedule: { enabled: true, frequency: "daily", timeOfDay: "06:00" } } },
      { title: "refuses another source", json: { source: "upload" } },
      {
        title: "refuses an account that nothing has",
        json: { sourceConfig: { type: "sync", accounts: [{ bankId, accountId: "x" }] } }
      }
    ],
    deleteFeed: [
      { title: "deletes a feed", params: { feed_id: scene.filesId } },
      { title: "does not find it again", params: { feed_id: scene.filesId } },
      async () => {
        world.hold(true)
        await scene.one("POST", `/v1/feeds/${scene.params["feed_id"]}/sync`, {})
        return { title: "deletes one that runs" }
      }
    ],
    triggerLearn: [
      async () => {
        world.hold(false)
        const feed = await scene.one("POST", "/v1/feeds", {
          ...newFeed,
          destinationConfig: { type: "table", tableId: table.id }
        })
        return { title: "learns from what people changed", params: { feed_id: feed.id } }
      }
    ],
    getDataTypeSchema: [
      { title: "tells the fields of transactions" },
      { title: "tells those of loans", params: { data_type: "loans" } },
      { title: "tells those of receipts", params: { data_type: "receipts" } }
    ]
  }
}
