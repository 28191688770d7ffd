/** Requests about workspaces. */
import type { RequestsOf } from "../Request.ts"

export const workspaces: RequestsOf = () => ({
  getWorkspace: [
    { title: "reads the workspace" },
    { title: "says that it has not changed", headers: { "if-none-match": '"1"' } },
    { title: "reads it to an app of others", as: "app-owner" }
  ],
  updateWorkspace: [
    {
      title: "renames it",
      json: { name: "New home", icon: "🏠", timezone: "Asia/Tokyo", locale: "de-CH", baseCurrency: "EUR" }
    },
    { title: "takes the icon away, at the version that it has", json: { icon: null }, headers: { "if-match": '"2"' } },
    { title: "refuses a version that it no longer has", json: { name: "Late" }, headers: { "if-match": '"1"' } },
    { title: "refuses a time zone that does not exist", json: { timezone: "Mars/Base" } },
    { title: "refuses a language that does not exist", json: { locale: "no such language" } },
    { title: "refuses an admin", json: { name: "Admin's" }, as: "person-admin" },
    { title: "is done by an owner", json: { name: "Owner's" }, as: "person-owner" }
  ]
})
