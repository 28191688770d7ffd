import { describe, expect, it } from "vitest"
import { Seeded } from "@millrace/testing/model"
import * as Result from "effect/Result"
import {
  destinationFaults,
  destinationLints,
  endpointsOf,
  MessageDestinations
} from "../../src/message/MessageDestination.ts"
import type { NamedHosts } from "../../src/message/MessageHosts.ts"
import { decode } from "../../src/shared/StrictDecoding.ts"

const nobody = { has: () => false }

const faults = (destinations: ReadonlyArray<unknown>, hosts: NamedHosts = nobody) => {
  const decoded = decode(MessageDestinations, destinations)
  const found = Result.isFailure(decoded) ? decoded.failure : destinationFaults(decoded.success, hosts)
  return found.map(({ field, message }) => `${field} ${message}`)
}

const secret = `whsec_${Buffer.alloc(24, 1).toString("base64")}`

describe("destinations", () => {
  it("takes what it is for", () => {
    expect(
      faults([
        { type: "email", recipients: ["owner@example.com", "büro@bücher.example", "a.b+c@sub.example.co.uk"] },
        { type: "slack", webhookUrl: "https://hooks.slack.com/services/T0/B0/x" },
        { type: "webhook", url: "https://example.com:8443/hook?a=b", secret },
        { type: "webhook", url: "https://93.184.215.14/hook" },
        { type: "sms", phoneNumbers: ["+31612345678"] }
      ])
    ).toEqual([])
  })

  it.each([
    [{ type: "email", recipients: ["owner"] }, "[0].recipients[0] must be an e-mail address such as name@example.com"],
    [{ type: "email", recipients: ["a@b.example, c@d.example"] }, "[0].recipients[0] must be an e-mail address"],
    [{ type: "email", recipients: ["A <a@b.example>"] }, "[0].recipients[0] must be an e-mail address"],
    [{ type: "email", recipients: ["a@b.example\r\nBcc: c@d.example"] }, "[0].recipients[0] must be an e-mail address"],
    [{ type: "email", recipients: [] }, "[0].recipients"],
    [
      { type: "slack", webhookUrl: "http://hooks.slack.com/x" },
      "destinations[0].webhookUrl must be an address that begins with https://"
    ],
    [{ type: "webhook", url: "https://user:pass@example.com/" }, "[0].url must not hold a user or password"],
    [
      { type: "webhook", url: "https://example.com/", secret: "s" },
      "[0].secret must be whsec_ and 24 to 64 bytes in base64"
    ],
    [{ type: "sms", phoneNumbers: ["0612345678"] }, "[0].phoneNumbers[0] must be a number in international form"],
    [{ type: "sms", phoneNumbers: Array.from({ length: 11 }, () => "+31612345678") }, "[0].phoneNumbers"]
  ])("names what is wrong with %j", (destination, message) => {
    expect(faults([destination])).toEqual([expect.stringContaining(message)])
  })

  it.each([
    "127.0.0.1",
    "10.0.0.1",
    "192.168.1.1",
    "172.16.0.1",
    "169.254.169.254",
    "[::1]",
    "[fd00::1]",
    "2130706433",
    "0x7f.1",
    "localhost",
    "nas.local",
    "intranet",
    "db.internal",
    "100.64.0.1"
  ])("refuses https://%s/, which stays inside of a network", (host) => {
    expect(faults([{ type: "webhook", url: `https://${host}/` }])).toEqual([expect.stringContaining("public address")])
  })

  it("takes http: and private hosts exactly where the operator named them, at that port", () => {
    const random = new Seeded(6)
    const hosts = ["n8n.internal", "10.1.2.3", "[fd00::7]", "ntfy", "homeassistant.local", "hooks.example.com"]
    for (let n = 0; n < 500; n++) {
      const [host, scheme] = [random.pick(hosts), random.pick(["http", "https"])]
      const port = random.pick(["", ":5678", ":8123"])
      const url = `${scheme}://${host}${port}/webhook/x`
      const entry = random.pick([host, `${host}:5678`, "other.internal"])
      const named = new Set([entry.replace(/[[\]]/g, "")])
      const has = (name: string, at: number) => named.has(name) || named.has(`${name}:${at}`)
      const isNamed = entry === host || (entry === `${host}:5678` && port === ":5678")
      const isTaken = isNamed || (scheme === "https" && host === "hooks.example.com")
      for (const destination of [
        { type: "webhook", url },
        { type: "slack", webhookUrl: url }
      ]) {
        expect([url, entry, faults([destination], { has }).length === 0]).toEqual([url, entry, isTaken])
      }
    }
  })

  it("tells each endpoint once, and that a webhook without a secret is not signed", () => {
    const destinations = [
      { type: "email", recipients: ["a@example.com", "b@example.com"] },
      { type: "email", recipients: ["B@example.com", "c@example.com"] },
      { type: "webhook", url: "https://example.com/" }
    ] as const
    expect(endpointsOf(destinations).map(({ to }) => to)).toEqual([
      "a@example.com",
      "b@example.com",
      "c@example.com",
      "https://example.com/"
    ])
    expect(destinationLints(destinations).map(({ field }) => field)).toEqual(["destinations[2].secret"])
  })
})
