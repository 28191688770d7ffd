/** What a guest of an upload page is told: nothing that only the owner of the feed understands. */
import { csvFields, CsvOptions } from "@millrace/core/feed"
import { describe, expect, it } from "vitest"
import { guestSentence } from "../src/connect/UploadWords.ts"
import * as Server from "./fakes/Server.ts"

const owner = " The person who sent you here can change how the file is read."

describe("a guest of an upload page", () => {
  it.each([
    [
      "no header names the date: Col2 read, set sourceConfig.csv.columns.date to override",
      "set the column of the date to override"
    ],
    [
      "name it in sourceConfig.csv.columns.amount, or the others in columns.debit and columns.credit",
      "Name it as the column of the amount, or the others as the column of money that leaves and the column of money that comes in"
    ],
    ['decimal ambiguous: "," assumed, set sourceConfig.csv.decimal to override', "set the decimal mark to override"],
    ["sourceConfig.csv says how it is read", "The feed says how it is read"]
  ])("is told %s in plain words", (text, words) => {
    expect(guestSentence(text)).toContain(words)
    expect(guestSentence(text)).toMatch(new RegExp(`${owner.replaceAll(".", "\\.")}$`))
  })

  it("reads the name of no setting, whichever it is", () => {
    const names = [...csvFields.map((field) => `columns.${field}`), ...Object.keys(CsvOptions.fields)]
    for (const name of names) {
      const said = guestSentence(`set sourceConfig.csv.${name} to override`)
      expect(said).toMatch(/^Set the [a-z' ,]+ to override\. /)
    }
  })

  it("is told other sentences as they are", () => {
    expect(guestSentence("the file is empty")).toBe("The file is empty.")
  })

  it("sees the plain words on the page", async () => {
    const uploadWarning = "encoding guessed: utf-8, set sourceConfig.csv.encoding to override"
    const body = new FormData()
    body.append("file", new File(["a"], "a.csv"))
    const server = Server.make({ trouble: { uploadWarning } })
    const { status, text } = await server.call("POST", "/connect/upload?state=s", { anonymous: true, body })
    expect([status, text.includes("sourceConfig")]).toEqual([200, false])
    expect(text).toContain("Encoding guessed: utf-8, set the encoding to override.")
  })
})
