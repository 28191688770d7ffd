/** Feeds and the files that feeds of source `upload` are made of (specification 2.3). */
import { entriesOf, reaches, reads, removes, sets } from "./Operation.ts"

const viewing = { scopes: { anyOf: ["feeds:read"] }, role: "viewer", app: "own" } as const
const changing = { scopes: { anyOf: ["feeds:write"] }, role: "editor", app: "own" } as const

export const feedOperations = entriesOf("feeds", {
  listFeeds: {
    ...viewing,
    summary: "List feeds",
    idempotency: "read",
    tool: reads("list_feeds"),
    command: "feeds list"
  },
  createFeed: {
    ...changing,
    summary: "Create a feed",
    idempotency: "key",
    body: "required",
    tool: reaches("create_feed"),
    command: "feeds create"
  },
  getFeed: {
    ...viewing,
    summary: "Get a feed",
    idempotency: "read",
    versioned: true,
    tool: reads("get_feed"),
    command: "feeds get"
  },
  updateFeed: {
    ...changing,
    summary: "Change a feed",
    idempotency: "inherent",
    versioned: true,
    body: "required",
    tool: sets("update_feed"),
    command: "feeds update"
  },
  deleteFeed: {
    ...changing,
    summary: "Delete a feed; delivered rows stay where they are",
    idempotency: "inherent",
    versioned: true,
    tool: removes("delete_feed"),
    command: "feeds delete"
  },
  triggerLearn: {
    summary: "Learn at once from what people changed at the destination",
    scopes: { anyOf: ["jobs:write"] },
    role: "editor",
    app: "own",
    idempotency: "inherent",
    tool: reaches("trigger_learn"),
    command: "feeds learn"
  },
  getDataTypeSchema: {
    ...viewing,
    app: "all",
    summary: "Get the fields and options of a data type",
    idempotency: "read",
    tool: reads("get_data_type_schema"),
    command: "feeds data-type"
  }
})

const files = { absent: "Files are not sent through tools." }

export const uploadOperations = entriesOf("uploads", {
  uploadFeedFile: {
    summary: "Upload a statement file",
    scopes: { anyOf: ["jobs:write"] },
    role: "editor",
    app: "own",
    idempotency: "key",
    waits: true,
    body: "file",
    tool: files,
    command: "feeds upload"
  },
  startFeedUpload: {
    summary: "Get the address of a page on which a person uploads files to a feed",
    scopes: { anyOf: ["jobs:write"] },
    role: "editor",
    app: "own",
    // Each address is good by itself.
    idempotency: "inherent",
    body: "optional",
    tool: reads("start_feed_upload"),
    command: "feeds upload"
  },
  endFeedUpload: {
    summary: "End the address of an upload page",
    scopes: { anyOf: ["jobs:write"] },
    role: "editor",
    app: "own",
    idempotency: "inherent",
    tool: files,
    command: "feeds uploads end"
  },
  listFeedUploads: {
    summary: "List the uploaded files of a feed, newest first",
    scopes: { anyOf: ["jobs:read"] },
    role: "viewer",
    app: "own",
    idempotency: "read",
    tool: files,
    command: "feeds uploads list"
  },
  deleteFeedUpload: {
    summary: "Delete an uploaded file and what only it showed",
    scopes: { anyOf: ["banks:write"] },
    role: "editor",
    app: "own",
    idempotency: "inherent",
    tool: files,
    command: "feeds uploads delete"
  },
  readFeedUpload: {
    summary: "Read an uploaded file again, with the options that its feed has now",
    scopes: { anyOf: ["banks:write"] },
    role: "editor",
    app: "own",
    idempotency: "key",
    waits: true,
    tool: files,
    command: "feeds uploads read"
  }
})
